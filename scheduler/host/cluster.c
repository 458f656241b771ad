#define _GNU_SOURCE /* accept4 */
#include "cluster.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster_internal.h"
#include "environment.h"
#include "outpost_link.h"

#define START_MS 60000 /* limit for an outpost to start and connect */
#define END_MS 5000    /* the same to end */
#define ANSWER_S 60    /* the same to answer a question */
#define SECRET_BYTES 32
#define GUESTS_MOST 100 /* connections that have not said who they are */

struct guest {
	struct cluster *cluster;
	struct frames *frames;
};

struct waiting {
	void (*ready)(void *user);
	void *user;
};

void cluster_fail(struct cluster *cluster, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list arguments;

	if (cluster->failed || cluster->closed)
		return;
	cluster->failed = true;
	va_start(arguments, format);
	why = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	cluster->local->listener->failed(cluster->local->user, why);
}

/* --- doors ------------------------------------------------------------------------------------ */

static void on_visitor(uv_poll_t *handle, int status, int events)
{
	struct door *door = handle->data;
	int visitor;

	(void)status;
	(void)events;
	while ((visitor = accept4(door->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		door->enter(door->cluster, visitor);
}

void cluster_door_open(struct door *door, struct cluster *cluster, int socket,
                       void (*enter)(struct cluster *cluster, int socket))
{
	door->socket = socket;
	door->cluster = cluster;
	door->enter = enter;
	uv_poll_init(&cluster->local->loop, &door->ready, socket);
	door->ready.data = door;
	uv_poll_start(&door->ready, UV_READABLE, on_visitor);
}

static void on_door_closed(uv_handle_t *handle)
{
	close(((struct door *)handle->data)->socket);
}

void cluster_door_close(struct door *door)
{
	if (door->cluster)
		uv_close((uv_handle_t *)&door->ready, on_door_closed);
}

/* --- machines --------------------------------------------------------------------------------- */

static bool is_ready(const struct cluster *cluster)
{
	for (guint i = 0; i < cluster->machines->len; i++)
		if (((struct machine *)cluster->machines->pdata[i])->state == MACHINE_STARTING)
			return false;
	return cluster->allocated || cluster->local->options.cluster->kind != CLUSTER_SLURM;
}

static void call_waiting(struct cluster *cluster)
{
	while (is_ready(cluster) && cluster->waiting->len > 0) {
		g_autofree struct waiting *first = g_ptr_array_steal_index(cluster->waiting, 0);

		first->ready(first->user);
	}
}

static void release_machine(struct machine *machine)
{
	frames_free(g_steal_pointer(&machine->frames));
	launcher_free(g_steal_pointer(&machine->shell));
	uv_timer_stop(&machine->limit);
	if (machine->cluster->closed && !uv_is_closing((uv_handle_t *)&machine->limit))
		uv_close((uv_handle_t *)&machine->limit, NULL);
}

static void lose_machine(struct machine *machine)
{
	machine->state = MACHINE_LOST;
	cluster_ranks_lost(machine);
	release_machine(machine);
}

static void on_machine_frame(void *user, const struct frame *frame)
{
	struct machine *machine = user;
	g_autoptr(GVariant) text = NULL;

	switch (frame->kind) {
	case OUTPOST_OPENED: cluster_rank_opened(machine, frame->id, frame->bytes); break;
	case OUTPOST_BYTES: cluster_rank_bytes(machine, frame->id, frame->bytes); break;
	case OUTPOST_CLOSED: cluster_rank_closed(machine, frame->id); break;
	case OUTPOST_EXITED:
		cluster_errand_exited(machine->cluster, frame->id, frame->bytes);
		break;
	default: break; /* an answer that came too late */
	}
}

static void on_machine_lost(void *user, const char *why)
{
	struct machine *machine = user;

	cluster_fail(machine->cluster,
	             "%s is lost: matchpoint there has ended, or cannot be reached: %s",
	             machine->name, why);
	lose_machine(machine);
}

static void make_worlds(struct machine *machine)
{
	GHashTableIter iter;
	void *world;

	g_hash_table_iter_init(&iter, machine->cluster->worlds);
	while (g_hash_table_iter_next(&iter, &world, NULL)) {
		g_autoptr(GVariant)
			answer = machine_ask(machine, OUTPOST_ADD_WORLD,
		                             g_variant_new_uint32(GPOINTER_TO_UINT(world)), "s");

		if (answer && *g_variant_get_string(answer, NULL))
			cluster_fail(machine->cluster, "%s: %s", machine->name,
			             g_variant_get_string(answer, NULL));
	}
}

static void welcome(struct machine *machine, struct frames *frames, bool at_home)
{
	uv_timer_stop(&machine->limit);
	if (at_home) {
		machine->state = MACHINE_HOME;
		frames_free(frames);
	} else {
		machine->state = MACHINE_UP;
		machine->frames = frames;
		frames_watch(frames, OUTPOST_LOST_SECONDS);
		make_worlds(machine);
	}
	cluster_errands_begin(machine);
	call_waiting(machine->cluster);
}

static const struct frames_user machine_user = {on_machine_frame, on_machine_lost, NULL};

/* --- outposts that connect -------------------------------------------------------------------- */

static struct machine *find_by_secret(const struct cluster *cluster, const char *secret)
{
	for (guint i = 0; i < cluster->machines->len; i++) {
		struct machine *machine = cluster->machines->pdata[i];

		if (machine->state == MACHINE_STARTING && strcmp(machine->secret, secret) == 0)
			return machine;
	}
	return NULL;
}

static void guest_leaves(struct guest *guest)
{
	frames_free(guest->frames);
	g_hash_table_remove(guest->cluster->guests, guest);
}

static void on_guest_lost(void *user, const char *why)
{
	(void)why;
	guest_leaves(user);
}

static void on_guest_frame(void *user, const struct frame *frame)
{
	struct guest *guest = user;
	struct cluster *cluster = guest->cluster;
	g_autoptr(GVariant)
		value = frame->kind == OUTPOST_HELLO ? frames_value(frame->bytes, "(sb)") : NULL;
	struct frames_user known = machine_user;
	struct machine *machine = NULL;
	const char *secret;
	gboolean at_home; /* (GVariant) */

	if (value) {
		g_variant_get(value, "(&sb)", &secret, &at_home);
		machine = find_by_secret(cluster, secret);
	}
	if (!machine) {
		guest_leaves(guest);
		return;
	}
	known.user = machine;
	frames_give(guest->frames, &known);
	welcome(machine, g_steal_pointer(&guest->frames), at_home);
	g_hash_table_remove(cluster->guests, guest);
}

static void on_guest(struct cluster *cluster, int visitor)
{
	struct frames_user user = {on_guest_frame, on_guest_lost, NULL};
	struct guest *guest;

	if (g_hash_table_size(cluster->guests) >= GUESTS_MOST) {
		close(visitor);
		return;
	}
	user.user = guest = g_new0(struct guest, 1);
	guest->cluster = cluster;
	guest->frames = frames_new(&cluster->local->loop, visitor, &user);
	g_hash_table_add(cluster->guests, guest);
}

/* On all addresses of this machine, at a port that the kernel chooses. */
static int listen_everywhere(guint16 *ret_port, GError **error)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
	struct sockaddr_in four = {.sin_family = AF_INET};
	int family = AF_INET6, no = 0;
	int opened = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t size = sizeof(six);

	if (opened >= 0 && setsockopt(opened, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)) == 0
	    && bind(opened, (const struct sockaddr *)&six, sizeof(six)) == 0
	    && listen(opened, 128) == 0
	    && getsockname(opened, (struct sockaddr *)&six, &size) == 0) {
		*ret_port = ntohs(six.sin6_port);
		return opened;
	}
	if (opened >= 0)
		close(opened);
	family = AF_INET;
	size = sizeof(four);
	opened = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (opened >= 0 && bind(opened, (const struct sockaddr *)&four, sizeof(four)) == 0
	    && listen(opened, 128) == 0
	    && getsockname(opened, (struct sockaddr *)&four, &size) == 0) {
		*ret_port = ntohs(four.sin_port);
		return opened;
	}
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
	            "cannot listen for other machines: %s", g_strerror(errno));
	if (opened >= 0)
		close(opened);
	return -1;
}

/* --- starting an outpost ---------------------------------------------------------------------- */

/* The name of this machine, and its addresses that others may know. */
static char **own_addresses(void)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	uv_interface_address_t *all = NULL;
	int count = 0;

	g_strv_builder_add(builder, g_get_host_name());
	uv_interface_addresses(&all, &count);
	for (int i = 0; i < count; i++) {
		char text[INET6_ADDRSTRLEN] = "";
		const struct sockaddr_in6 *six = &all[i].address.address6;

		if (all[i].is_internal)
			continue;
		if (six->sin6_family == AF_INET)
			uv_ip4_name(&all[i].address.address4, text, sizeof(text));
		else if (!IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr))
			uv_ip6_name(six, text, sizeof(text));
		if (*text)
			g_strv_builder_add(builder, text);
	}
	uv_free_interface_addresses(all, count);
	return g_strv_builder_end(builder);
}

static char *make_secret(void)
{
	guint8 bytes[SECRET_BYTES];
	GString *text = g_string_new(NULL);

	while (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		continue;
	for (gsize i = 0; i < sizeof(bytes); i++)
		g_string_append_printf(text, "%02x", bytes[i]);
	return g_string_free(text, false);
}

/* The process in the name of the run directory. */
static int owner_of(const char *directory)
{
	const char *dash = strchr(strrchr(directory, '/'), '-');

	return dash ? (int)g_ascii_strtoll(dash + 1, NULL, 10) : 0;
}

static char *orders_for(const struct machine *machine)
{
	const struct local *local = machine->cluster->local;
	const char *directory = run_directory_path(local->options.directory);
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_auto(GStrv) addresses = own_addresses();
	g_autofree char *version = outpost_version();
	const struct {
		const char *key, *value;
	} words[] = {{OUTPOST_VERSION, version},
	             {OUTPOST_SECRET, machine->secret},
	             {OUTPOST_DIRECTORY, directory},
	             {OUTPOST_SHIM, local->shim},
	             {OUTPOST_MACHINE, machine->name}};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		g_key_file_set_string(file, OUTPOST_GROUP, words[i].key, words[i].value);
	g_key_file_set_string_list(file, OUTPOST_GROUP, OUTPOST_ADDRESSES,
	                           (const char *const *)addresses, g_strv_length(addresses));
	g_key_file_set_integer(file, OUTPOST_GROUP, OUTPOST_PORT, machine->cluster->port);
	g_key_file_set_integer(file, OUTPOST_GROUP, OUTPOST_RANKS, local->options.ranks);
	g_key_file_set_integer(file, OUTPOST_GROUP, OUTPOST_OWNER, owner_of(directory));
	return g_key_file_to_data(file, NULL, NULL);
}

static char **shell_command(const struct machine *machine)
{
	GPtrArray *self = launcher_self(OUTPOST_VERB);
	char **command = cluster_words_command(machine->cluster->local->options.cluster,
	                                       machine->name, self->pdata[0], self->pdata[1]);

	g_ptr_array_set_free_func(self, g_free);
	g_ptr_array_unref(self);
	return command;
}

/* The remote shell has ended. If the outpost is up, its connection shows the rest. */
static void on_shell_ended(void *user, const struct launcher *launcher, int status)
{
	struct machine *machine = user;
	g_autofree char *text = NULL;
	g_auto(GStrv) command = NULL;

	if (machine->state != MACHINE_STARTING || status == 0)
		return;
	text = g_strstrip(g_strdup(launcher_output(launcher)));
	command = shell_command(machine);
	machine->state = MACHINE_LOST;
	cluster_fail(machine->cluster,
	             "matchpoint could not be started on %s: %s ended with status %d%s%s",
	             machine->name, command[0], status, *text ? "; it printed:\n" : "", text);
}

static void on_limit(uv_timer_t *timer)
{
	struct machine *machine = timer->data;
	g_auto(GStrv) command = shell_command(machine);

	if (machine->cluster->closed) {
		lose_machine(machine);
		return;
	}
	machine->state = MACHINE_LOST;
	cluster_fail(machine->cluster,
	             "%s does not answer: %s has not started matchpoint there in "
	             "%d s",
	             machine->name, command[0], START_MS / 1000);
}

static void start_outpost(struct machine *machine)
{
	struct cluster *cluster = machine->cluster;
	g_auto(GStrv) command = shell_command(machine);
	g_auto(GStrv) environment = environment_plain(NULL, true);
	g_autofree char *orders = orders_for(machine);
	g_autoptr(GError) error = NULL;

	machine->shell = launcher_start(
		&(struct launcher_options){
			.loop = &cluster->local->loop,
			.command = command,
			.environment = environment,
			.input = orders,
			.lock = run_directory_lock(cluster->local->options.directory),
			.ended = on_shell_ended,
			.user = machine},
		&error);
	uv_timer_start(&machine->limit, on_limit, START_MS, 0);
	if (machine->shell)
		return;
	machine->state = MACHINE_LOST;
	cluster_fail(cluster, "%s: %s", machine->name, error->message);
}

struct machine *cluster_machine(struct cluster *cluster, const char *name)
{
	struct machine *machine;

	for (guint i = 0; i < cluster->machines->len; i++) {
		machine = cluster->machines->pdata[i];
		if (strcmp(machine->name, name) == 0)
			return machine;
	}
	machine = g_new0(struct machine, 1);
	machine->cluster = cluster;
	machine->name = g_strdup(name);
	machine->secret = make_secret();
	machine->links = g_hash_table_new(NULL, NULL);
	uv_timer_init(&cluster->local->loop, &machine->limit);
	machine->limit.data = machine;
	g_ptr_array_add(cluster->machines, machine);
	machine->number = cluster->machines->len;
	if (machine->number <= CLUSTER_MACHINES_MOST && !cluster->closed) {
		start_outpost(machine);
		return machine;
	}
	machine->state = MACHINE_LOST;
	cluster_fail(cluster, "ranks can be on %d other machines, not more", CLUSTER_MACHINES_MOST);
	return machine;
}

struct machine *cluster_machine_of(struct host *host, pid_t process)
{
	const struct cluster *cluster = local_of(host)->cluster;
	guint number = process > 0 ? (guint)process >> CLUSTER_SHIFT : 0;
	struct machine *machine = cluster && number > 0 && number <= cluster->machines->len
	                                  ? cluster->machines->pdata[number - 1]
	                                  : NULL;

	return machine && machine->frames && machine->state == MACHINE_UP ? machine : NULL;
}

/* --- questions -------------------------------------------------------------------------------- */

GVariant *machine_ask(struct machine *machine, enum outpost_question question, GVariant *about,
                      const char *type)
{
	g_autoptr(GVariant) owned = g_variant_ref_sink(about);
	g_autoptr(GVariant) value = NULL, answer = NULL;
	g_autoptr(GBytes) bytes = NULL;
	guint32 number = ++machine->cluster->last_question;

	if (!machine->frames || frames_is_lost(machine->frames))
		return NULL;
	frames_send_value(machine->frames, OUTPOST_ASK, number,
	                  g_variant_new("(uv)", (guint32)question, owned));
	bytes = frames_ask(machine->frames, OUTPOST_ANSWER, number, ANSWER_S);
	if (!bytes)
		frames_give_up(machine->frames, "it does not answer");
	value = bytes ? frames_value(bytes, "v") : NULL;
	answer = value ? g_variant_get_variant(value) : NULL;
	return answer && g_variant_is_of_type(answer, G_VARIANT_TYPE(type))
	               ? g_steal_pointer(&answer)
	               : NULL;
}

void machine_tell(struct machine *machine, enum outpost_question question, GVariant *about)
{
	g_autoptr(GVariant) owned = g_variant_ref_sink(about);

	if (machine->frames)
		frames_send_value(machine->frames, OUTPOST_TELL, 0,
		                  g_variant_new("(uv)", (guint32)question, owned));
}

/* --- from beginning to end -------------------------------------------------------------------- */

/* srun starts ranks past us, so there must be an outpost on each machine before. */
static void start_all(struct cluster *cluster)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) names = cluster_words_allocation(&error);

	cluster->allocated = true;
	if (!names)
		cluster_fail(cluster, "%s", error->message);
	for (char **name = names; name && *name; name++)
		cluster_machine(cluster, *name);
}

void cluster_when_ready(struct cluster *cluster, void (*ready)(void *user), void *user)
{
	struct waiting *waiting = g_new(struct waiting, 1);

	*waiting = (struct waiting){ready, user};
	g_ptr_array_add(cluster->waiting, waiting);
	if (!cluster->allocated && cluster->local->options.cluster->kind == CLUSTER_SLURM)
		start_all(cluster);
	call_waiting(cluster);
}

void cluster_forget(struct cluster *cluster, const void *user)
{
	for (guint i = cluster->waiting->len; i-- > 0;)
		if (((struct waiting *)cluster->waiting->pdata[i])->user == user)
			g_free(g_ptr_array_steal_index(cluster->waiting, i));
}

struct cluster *cluster_new(struct local *local, GError **error)
{
	struct cluster *cluster = g_new0(struct cluster, 1);
	int opened = listen_everywhere(&cluster->port, error);

	cluster->local = local;
	cluster->machines = g_ptr_array_new();
	cluster->waiting = g_ptr_array_new_with_free_func(g_free);
	cluster->guests = g_hash_table_new_full(NULL, NULL, g_free, NULL);
	cluster->errands = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	cluster->worlds = g_hash_table_new(NULL, NULL);
	cluster->known = g_hash_table_new(NULL, NULL);
	cluster->seats = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	if (opened >= 0) {
		cluster_door_open(&cluster->machines_door, cluster, opened, on_guest);
		if (cluster_errands_open(cluster, error))
			return cluster;
	}
	cluster_close(cluster);
	uv_run(&local->loop, UV_RUN_NOWAIT);
	cluster_free(cluster);
	return NULL;
}

static void end_machine(struct machine *machine)
{
	if (machine->state == MACHINE_UP && machine->frames) {
		frames_send(machine->frames, OUTPOST_END, 0, NULL, 0);
		cluster_ranks_lost(machine);
		uv_timer_start(&machine->limit, on_limit, END_MS, 0);
	} else {
		release_machine(machine);
	}
}

void cluster_close(struct cluster *cluster)
{
	GHashTableIter iter;
	void *guest;

	if (!cluster || cluster->closed)
		return;
	cluster->closed = true;
	cluster_door_close(&cluster->machines_door);
	cluster_errands_close(cluster);
	g_hash_table_iter_init(&iter, cluster->guests);
	while (g_hash_table_iter_next(&iter, &guest, NULL)) {
		frames_free(((struct guest *)guest)->frames);
		g_hash_table_iter_remove(&iter);
	}
	for (guint i = 0; i < cluster->machines->len; i++)
		end_machine(cluster->machines->pdata[i]);
}

void cluster_free(struct cluster *cluster)
{
	if (!cluster)
		return;
	for (guint i = 0; i < cluster->machines->len; i++) {
		struct machine *machine = cluster->machines->pdata[i];

		g_hash_table_destroy(machine->links);
		g_free(machine->name);
		g_free(machine->secret);
		g_free(machine);
	}
	g_ptr_array_unref(cluster->machines);
	g_ptr_array_unref(cluster->waiting);
	g_hash_table_destroy(cluster->guests);
	g_hash_table_destroy(cluster->errands);
	g_hash_table_destroy(cluster->worlds);
	g_hash_table_destroy(cluster->known);
	g_hash_table_destroy(cluster->seats);
	g_free(cluster);
}
