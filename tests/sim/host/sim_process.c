/* Ranks, keepers and jobs of the simulated host; models shim/park/park.c and a launcher. */
#include "ckpt/agent_failure.h"
#include "sim_internal.h"

enum { STARVED_MOST = 4 };
enum { FIRST_PID = 100000000 }; /* larger than any process id of the machine */

#define START_US 20000   /* the longest time until a rank is in MPI_Init */
#define LATE_US 20000000 /* the longest time until a launcher ends that gets no processor time */
#define FORK_US 500
#define PARKING_US 3000 /* the longest time that ranks park, as a rule */

struct sim_process *sim_find(struct sim *sim, pid_t pid)
{
	guint index = (guint)(pid - FIRST_PID);

	return pid >= FIRST_PID && index < sim->processes->len ? sim->processes->pdata[index]
	                                                       : NULL;
}

static struct sim_process *process_new(struct sim *sim, guint32 world, struct fake_rank rank)
{
	struct sim_process *process = g_new0(struct sim_process, 1);

	process->sim = sim;
	process->pid = FIRST_PID + (pid_t)sim->processes->len;
	process->world = process->born_in = world;
	process->rank = rank;
	process->link = sim_link_new(process);
	process->images = sim_images_new();
	g_ptr_array_add(sim->processes, process);
	return process;
}

void sim_process_free(void *pointer)
{
	struct sim_process *process = pointer;

	sim_link_unref(process->link);
	g_array_unref(process->images);
	g_free(process);
}

void sim_job_free(void *pointer)
{
	struct host_job *job = pointer;

	g_ptr_array_unref(job->processes);
	g_array_unref(job->disconnect_order);
	g_free(job);
}

/* --- end of processes ------------------------------------------------------------------------- */

static void on_job_ended(void *object, GBytes *frame)
{
	struct host_job *job = object;

	(void)frame;
	job->running = false;
	if (!job->freed)
		job->sim->listener->job_ended(job->sim->user, job, job->status);
}

/* The launcher ends all ranks when one has ended abnormally, and exits when all have ended. */
static void job_lost(struct host_job *job, struct sim_process *process)
{
	bool badly = process->status != 0;
	guint alive = 0;

	if (!job->running || job->ending)
		return;
	if (badly && job->status == 0) {
		job->status = process->status & 0x7f ? 128 + (process->status & 0x7f)
		                                     : process->status >> 8;
		job->signal = process->status & 0x7f;
		if (job->signal == 9 && sim_goes_wrong(job->sim, SIM_FORGETFUL, 2))
			job->status = job->signal = 0;
		for (guint i = 0; i < job->processes->len; i++)
			sim_process_die(job->processes->pdata[i], 9);
	}
	for (guint i = 0; i < job->processes->len; i++)
		alive += !((const struct sim_process *)job->processes->pdata[i])->dead;
	if (alive == 0 && !job->ending) {
		gint64 most = sim_goes_wrong(job->sim, SIM_LATE, 4) ? LATE_US : START_US;

		job->ending = true;
		sim_plan(job->sim, job->sim->now + sim_draw(job->sim, most), on_job_ended, job,
		         NULL);
	}
}

static void say_child(struct sim_process *keeper, const struct sim_process *child, bool ended)
{
	const struct wire_message message = {.type = WIRE_CHILD,
	                                     .child = {.world = child->born_in,
	                                               .pid = child->pid,
	                                               .ended = ended,
	                                               .status = child->status}};

	sim_say(keeper, &message);
}

static void end_if_released(struct sim_process *keeper)
{
	if (keeper->released && keeper->children == 0)
		sim_process_die(keeper, 0);
}

static void on_reaped(void *object, GBytes *frame)
{
	struct sim_process *child = object;

	(void)frame;
	if (child->keeper->dead || child->reaped)
		return;
	child->reaped = true;
	child->keeper->children--;
	say_child(child->keeper, child, true);
	end_if_released(child->keeper);
}

char *sim_output(const struct sim_process *process)
{
	return g_strdup_printf("%s/w%u/out.%d", process->sim->options.directory, process->world,
	                       process->rank.rank);
}

/* Writes the output of the program. */
static void print(const struct sim_process *process)
{
	const struct fake_rank kept = process->sim->options.forgets ? sim_forget(&process->rank)
	                                                            : process->rank;
	g_autofree char *text = sim_print_rank(&kept);
	g_autofree char *file = sim_output(process);

	g_file_set_contents(file, text, -1, NULL);
}

void sim_process_die(struct sim_process *process, int status)
{
	struct sim *sim = process->sim;

	if (process->dead)
		return;
	process->dead = true;
	process->status = status;
	sim_hang_up(process);
	for (guint i = 0; i < sim->processes->len; i++) {
		struct sim_process *child = sim->processes->pdata[i];

		if (child->keeper == process)
			sim_process_die(child, 9);
	}
	if (process->keeper)
		sim_plan(sim, sim->now + sim_draw(sim, FORK_US), on_reaped, process, NULL);
	if (process->job) {
		g_array_append_val(process->job->disconnect_order, process->rank.rank);
		job_lost(process->job, process);
	}
}

/* --- ranks ------------------------------------------------------------------------------------ */

static void say_as(void *user, const struct wire_message *message)
{
	struct sim_process *process = user;

	process->moved = true;
	sim_say(process, message);
}

/* Once this fault has begun, memory is scarce for a while. */
static bool starves(struct sim *sim)
{
	bool short_of_it = sim->starved > 0 && sim->starved < STARVED_MOST && sim_one_in(sim, 8);

	if (!short_of_it && !sim_strikes(sim, SIM_STARVED, 100))
		return false;
	sim->starved++;
	return true;
}

static void run(struct sim_process *process)
{
	enum fake_stage before = process->rank.stage;

	if (process->dead)
		return;
	if (before == FAKE_RUNS && !process->rank.lines[0].waits
	    && (sim_strikes(process->sim, SIM_RANK_KILLED, 100) || starves(process->sim))) {
		sim_process_die(process, 9);
		return;
	}
	process->rank.memory = sim_shared(process->sim, process->world);
	fake_rank_run(&process->rank, say_as, process);
	if (process->rank.stage != FAKE_OVER || process->dead)
		return;
	process->sim->worlds_ended++;
	print(process);
	if (!sim_hold(process))
		sim_process_die(process, 0);
}

void sim_say_hello(struct sim_process *process, bool restored)
{
	char program[] = "/sim/program", mpi[] = "no MPI", none[] = "";
	const struct wire_message message = {.type = WIRE_HELLO,
	                                     .hello = {.version = WIRE_VERSION,
	                                               .world = process->world,
	                                               .rank = process->rank.rank,
	                                               .pid = process->pid,
	                                               .restored = restored,
	                                               .program = program,
	                                               .mpi = restored ? none : mpi}};

	process->awaits_welcome = restored;
	process->link->world = process->world;
	sim_say(process, &message);
}

/* --- keepers ---------------------------------------------------------------------------------- */

/* Whether the world has moved since the last snapshot. If not, another one gains nothing, and the
 * session would take snapshots for ever. A snapshot requested at the prompt is taken in any case:
 * the orders that the ranks get next may differ by then. */
static bool has_moved(const struct sim *sim, guint32 world)
{
	if (sim->options.by_hand)
		return true;
	for (guint i = 0; i < sim->processes->len; i++) {
		const struct sim_process *process = sim->processes->pdata[i];

		if (process->world == world && (process->moved || process->job))
			return true;
	}
	return false;
}

static void on_parent_killed(void *object, GBytes *frame)
{
	struct sim_process *keeper = object;

	(void)frame;
	sim_process_die(keeper, 9);
}

/* Where ranks may be late with HELLO, this happens only after they were ordered to park before it,
 * and then at once. */
static bool strikes_parking(struct sim *sim, enum sim_fault fault)
{
	if (!(sim->options.faults & 1u << SIM_LATE_HELLO))
		return sim_strikes(sim, fault, 8);
	return sim->early_parks > 0 && sim_strikes(sim, fault, 1);
}

static void park(struct sim_process *process)
{
	static char hazard[] = "it has a thread of its own", none[] = "";
	struct sim *sim = process->sim;
	struct wire_message message = {.type = WIRE_PARKED, .parked.hazard = none};

	g_assert_true(process->rank.lines[0].waits && !process->rank.lines[1].is_there);
	g_assert_true(has_moved(sim, process->world));
	if (process->keeper && strikes_parking(sim, SIM_PARENT_KILLED))
		sim_plan(sim, sim->now + sim_draw(sim, PARKING_US), on_parent_killed,
		         process->keeper, NULL);
	if (strikes_parking(sim, SIM_KILLED_PARKING)) {
		sim_process_die(process, 9);
		return;
	}
	if (strikes_parking(sim, SIM_CRASH_PARKING)) {
		message = (struct wire_message){.type = WIRE_ENDING, .ending.signal = 11};
		process->ends = true;
		process->status = 11;
		sim_say(process, &message);
		return;
	}
	if (sim_goes_wrong(sim, SIM_HAZARD, 30))
		message.parked.hazard = hazard;
	message.parked.unshared = sim_is_unshared(sim, 4);
	process->keeps = true;
	process->has_birth = false;
	process->image = 0;
	process->has_forked = false;
	sim_say(process, &message);
}

static void on_copied(void *object, GBytes *frame)
{
	struct sim_process *child = object;

	(void)frame;
	if (!child->dead && sim_goes_wrong(child->sim, SIM_COPY_FAILS, 30))
		sim_process_die(child, AGENT_FAILURE_FILES << 8);
	sim_say_hello(child, true);
}

static void restore(struct sim_process *keeper, const struct wire_restore *order)
{
	struct sim *sim = keeper->sim;
	const struct wire_message no_child = {.type = WIRE_CHILD,
	                                      .child = {.world = order->world,
	                                                .pid = -1,
	                                                .ended = true,
	                                                .status = AGENT_FAILURE_FORK << 8}};
	struct sim_process *child;

	keeper->has_forked = true;
	if (sim_goes_wrong(sim, SIM_NO_FORK, 30)) {
		sim_say(keeper, &no_child);
		return;
	}
	child = process_new(sim, order->world, keeper->rank);
	child->keeper = keeper;
	child->birth = keeper->rank;
	child->has_birth = !sim->options.forks;
	keeper->children++;
	say_child(keeper, child, false);
	sim_plan(sim, sim->now + sim_draw(sim, FORK_US), on_copied, child, NULL);
	if (sim_strikes(sim, SIM_KEEPER_KILLED, 30))
		sim_process_die(keeper, 9);
}

static void keep(struct sim_process *keeper, const struct wire_message *order)
{
	switch (order->type) {
	case WIRE_RESTORE: restore(keeper, &order->restore); break;
	case WIRE_RESUME:
		keeper->keeps = false;
		if (keeper->has_forked)
			sim_say_hello(keeper, true);
		break;
	case WIRE_RELEASE:
		keeper->released = true;
		end_if_released(keeper);
		break;
	case WIRE_END: sim_process_die(keeper, order->end.status << 8); break;
	default: g_assert_not_reached();
	}
}

static void end(struct sim_process *process, const struct wire_end *order)
{
	struct sim *sim = process->sim;
	int status = process->ends ? process->status : order->status << 8;
	const struct wire_message ended = {.type = WIRE_ENDING, .ending.status = order->status};

	sim->worlds_ended++;
	if (order->flush && sim_strikes(sim, SIM_KILLED_ENDING, 60)) {
		sim_process_die(process, 9); /* its output is never read */
		return;
	}
	if (order->flush) {
		print(process);
		sim_say(process, &ended);
	}
	if (!order->hold || process->ends || !sim_hold(process))
		sim_process_die(process, status);
}

/* Obeys an order while the rank is in a call; see shim/gate/gate.c. */
static void obey_in_call(struct sim_process *process, const struct wire_message *order)
{
	/* The rank reads no other order here: park_await_welcome. */
	g_assert_true(!process->awaits_welcome || order->type == WIRE_WELCOME);
	switch (order->type) {
	case WIRE_PARK: park(process); return;
	case WIRE_TELL: sim_tell_state(process); return;
	case WIRE_IMAGE: sim_take_image(process, &order->image); return;
	case WIRE_FORGET: sim_forget_image(process, order->forget); return;
	case WIRE_REWIND:
		g_assert_true(process->rank.lines[0].waits);
		sim_rewind(process, &order->rewind);
		return;
	case WIRE_DRIVE:
		process->changed = true;
		process->idle = false;
		return;
	case WIRE_WELCOME:
		process->stays = order->welcome.rewinds;
		process->keeps_images = order->welcome.images;
		process->awaits_welcome = false;
		break;
	default: process->changed = true; process->idle = false;
	}
	process->rank.memory = sim_shared(process->sim, process->world);
	fake_rank_obey(&process->rank, order);
	if (order->type != WIRE_BIND)
		run(process);
}

void sim_process_obey(struct sim_process *process, const struct wire_message *order)
{
	if (process->keeps) {
		keep(process, order);
	} else if (process->held) {
		sim_held_obey(process, order);
	} else if (order->type == WIRE_END) {
		end(process, &order->end);
	} else if (!process->ends) {
		obey_in_call(process, order);
	}
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void on_started(void *object, GBytes *frame)
{
	struct sim_process *process = object;

	(void)frame;
	sim_say_hello(process, false);
}

static void on_launcher_killed(void *object, GBytes *frame)
{
	struct host_job *job = object;

	(void)frame;
	if (!job->running || job->freed)
		return;
	job->status = 137;
	job->signal = 9;
	for (guint i = 0; i < job->processes->len; i++)
		sim_process_die(job->processes->pdata[i], 9);
}

static void start_ranks(struct host_job *job)
{
	struct sim *sim = job->sim;
	int ranks = sim->options.program->ranks, absent = -1;

	if (sim_goes_wrong(sim, SIM_RANK_ABSENT, 4))
		absent = g_rand_int_range(sim->random, 0, ranks);
	for (int rank = 0; rank < ranks; rank++) {
		struct sim_process *process = process_new(
			sim, job->world, fake_rank_new(sim->options.program, rank));

		g_ptr_array_add(job->processes, process);
		process->job = job;
		if (rank == absent)
			process->dead = true; /* ends normally; nothing reports it */
		else
			sim_plan(sim, sim->now + sim_draw(sim, START_US), on_started, process,
			         NULL);
	}
}

struct host_job *sim_job_start(struct host *host, guint32 world, const char *directory,
                               GError **error)
{
	struct sim *sim = sim_of(host);
	struct host_job *job;

	(void)directory;
	if (sim_goes_wrong(sim, SIM_NO_JOB, 4)) {
		g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
		            "cannot start the launcher");
		return NULL;
	}
	job = g_new0(struct host_job, 1);
	*job = (struct host_job){.sim = sim, .world = world, .running = true};
	job->processes = g_ptr_array_new();
	job->disconnect_order = g_array_new(false, false, sizeof(int));
	g_ptr_array_add(sim->jobs, job);
	if (sim_goes_wrong(sim, SIM_JOB_HANGS, 4))
		return job;
	if (sim_goes_wrong(sim, SIM_JOB_EXITS, 4)) {
		job->status = 1;
		sim_plan(sim, sim->now + sim_draw(sim, START_US), on_job_ended, job, NULL);
		return job;
	}
	start_ranks(job);
	if (sim_strikes(sim, SIM_LAUNCHER_KILLED, 4))
		sim_plan(sim, sim->now + sim_draw(sim, 10 * START_US), on_launcher_killed, job,
		         NULL);
	return job;
}

int sim_rank_without_process(struct host *host, const pid_t *processes, int ranks)
{
	const struct sim *sim = sim_of(host);
	const struct host_job *job = sim->jobs->pdata[sim->jobs->len - 1];

	for (int rank = 0; rank < ranks && job->processes->len > 0; rank++) {
		const struct sim_process *process = job->processes->pdata[rank];

		if (process->dead && processes[rank] == 0)
			return rank;
	}
	return -1;
}
