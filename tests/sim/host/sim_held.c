/* Ranks held at their end, to be rewound in place; models shim/park/park_hold.c. */
#include <glib/gstdio.h>

#include "ckpt/agent_failure.h"
#include "sim_internal.h"

#define KILLED_US 20000 /* a held rank may be killed within this time */

static void say_held(struct sim_process *process, const char *hazard)
{
	const struct wire_message message = {
		.type = WIRE_HELD, .held = {sim_is_unshared(process->sim, 8), (char *)hazard}};

	sim_say(process, &message);
}

static void on_killed(void *object, GBytes *frame)
{
	struct sim_process *process = object;

	(void)frame;
	if (process->held)
		sim_process_die(process, 9);
}

bool sim_hold(struct sim_process *process)
{
	struct sim *sim = process->sim;

	if (!process->stays || !process->keeper)
		return false;
	if (!process->has_birth || sim_goes_wrong(sim, SIM_NO_HOLD, 60)) {
		say_held(process,
		         process->has_birth ? "it has forked" : "it was parked, and has continued");
		return false;
	}
	say_held(process, "");
	process->held = true;
	if (sim_goes_wrong(sim, SIM_HELD_KILLED, 100))
		sim_plan(sim, sim->now + sim_draw(sim, KILLED_US), on_killed, process, NULL);
	return true;
}

/* Removes the output that the rank wrote since. */
static void put_output_back(const struct sim_process *process)
{
	g_autofree char *file = sim_output(process);

	g_unlink(file);
}

/* Where ranks may be late with HELLO, those that are late refuse, again and again. */
static bool refuses_rewind(const struct sim_process *process)
{
	struct sim *sim = process->sim;

	if (!(sim->options.faults & 1u << SIM_LATE_HELLO))
		return sim_goes_wrong(sim, SIM_NO_REWIND, 30);
	if (!(sim->options.faults & 1u << SIM_NO_REWIND) || process->link->up <= sim->now)
		return false;
	sim->happened |= 1u << SIM_NO_REWIND;
	return true;
}

void sim_rewind(struct sim_process *process, const struct wire_rewind *order)
{
	struct sim *sim = process->sim;

	process->held = false;
	process->world = order->world;
	if (order->follows)
		sim_be_late(process);
	if (refuses_rewind(process)) {
		say_held(process, "its memory cannot be read");
		sim_process_die(process, AGENT_FAILURE_REWIND << 8);
		return;
	}
	if (sim_goes_wrong(sim, SIM_KILLED_REWINDING, 30)) {
		sim_process_die(process, 9);
		return;
	}
	put_output_back(process);
	sim_become_image(process, order->image);
	process->moved = process->ends = false;
	sim->rewound++;
	sim_say_hello(process, true);
	if (sim_strikes(sim, SIM_KILLED_REWOUND, 30))
		sim_process_die(process, 9);
}

/* Any other order (BIND, GO) concerns a call that is over: other ranks may have moved meanwhile. */
void sim_held_obey(struct sim_process *process, const struct wire_message *order)
{
	if (order->type == WIRE_REWIND)
		sim_rewind(process, &order->rewind);
	else if (order->type == WIRE_FORGET)
		sim_forget_image(process, order->forget);
	else if (order->type == WIRE_END)
		sim_process_die(process, order->end.status << 8);
}
