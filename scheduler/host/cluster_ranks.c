/* Connections of ranks on other machines, which outposts relay. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cluster_internal.h"
#include "disconnect_order.h"

struct relayed {
	struct machine *machine;
	guint32 number;
	struct host_link *link; /* NULL: it is a connection for PMI */
	uv_pipe_t pmi;          /* to our own server (pmi.h) */
	int rank;
	struct disconnect_order *order; /* NULL: nobody wants to know */
};

static void write_to(void *data, const guint8 *bytes, gsize count)
{
	const struct relayed *relayed = data;

	if (relayed->machine->frames)
		frames_send(relayed->machine->frames, OUTPOST_BYTES, relayed->number, bytes, count);
}

static void close_it(void *data)
{
	struct relayed *relayed = data;

	if (relayed->machine->frames)
		frames_send(relayed->machine->frames, OUTPOST_CLOSED, relayed->number, NULL, 0);
	g_hash_table_remove(relayed->machine->links, GUINT_TO_POINTER(relayed->number));
	g_free(relayed);
}

static bool has_unread(void *data)
{
	const struct relayed *relayed = data;

	return relayed->machine->frames && frames_has_unread(relayed->machine->frames);
}

static gint64 seat_key(guint32 world, int rank)
{
	return (gint64)world << 32 | (guint32)rank;
}

/* HELLO has the number of a process on its machine. */
static void arrive(void *data, struct wire_message *message)
{
	const struct relayed *relayed = data;
	struct cluster *cluster = relayed->machine->cluster;
	gint64 key;

	if (message->type != WIRE_HELLO)
		return;
	message->hello.pid = (int32_t)(relayed->machine->number << CLUSTER_SHIFT)
	                     | cluster_there(message->hello.pid);
	g_hash_table_remove(cluster->known, GINT_TO_POINTER(message->hello.pid));
	key = seat_key(message->hello.world, message->hello.rank);
	g_hash_table_insert(cluster->seats, g_memdup2(&key, sizeof(key)),
	                    GUINT_TO_POINTER(relayed->machine->number));
}

/* --- PMI -------------------------------------------------------------------------------------- */

struct pending_write {
	uv_write_t request;
	guint8 bytes[];
};

static char read_area[4096];

static void on_pmi_freed(uv_handle_t *handle)
{
	g_free(handle->data);
}

static void close_pmi(struct relayed *relayed)
{
	struct machine *machine = relayed->machine;

	if (machine->frames)
		frames_send(machine->frames, OUTPOST_CLOSED, relayed->number, NULL, 0);
	g_hash_table_remove(machine->links, GUINT_TO_POINTER(relayed->number));
	uv_close((uv_handle_t *)&relayed->pmi, on_pmi_freed);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(read_area, sizeof(read_area));
}

static void on_pmi_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	if (count > 0)
		write_to(stream->data, (const guint8 *)buffer->base, (gsize)count);
	else if (count < 0)
		close_pmi(stream->data);
}

static void on_pmi_written(uv_write_t *request, int status)
{
	(void)status; /* the reader notices a broken connection */
	g_free(request->data);
}

static void write_pmi(struct relayed *relayed, const void *bytes, gsize count)
{
	struct pending_write *pending = g_malloc(sizeof(*pending) + count);
	uv_buf_t buffer = uv_buf_init((char *)pending->bytes, (unsigned)count);

	memcpy(pending->bytes, bytes, count);
	pending->request.data = pending;
	if (uv_write(&pending->request, (uv_stream_t *)&relayed->pmi, &buffer, 1, on_pmi_written)
	    != 0)
		g_free(pending);
}

static void open_pmi(struct relayed *relayed)
{
	struct local *local = relayed->machine->cluster->local;
	g_autofree char *path = run_directory_file(local->options.directory, RUN_DIRECTORY_PMI);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	uv_pipe_init(&local->loop, &relayed->pmi, 0);
	relayed->pmi.data = relayed;
	if (connect(opened, (const struct sockaddr *)&address, sizeof(address)) == 0
	    && uv_pipe_open(&relayed->pmi, opened) == 0) {
		uv_read_start((uv_stream_t *)&relayed->pmi, on_alloc, on_pmi_read);
		return;
	}
	close(opened);
	close_pmi(relayed);
}

/* --- frames ----------------------------------------------------------------------------------- */

static const struct link_carrier carrier = {write_to, close_it, has_unread, arrive};

void cluster_rank_opened(struct machine *machine, guint32 number, GBytes *bytes)
{
	struct cluster *cluster = machine->cluster;
	g_autoptr(GVariant) door = frames_value(bytes, "u");
	struct relayed *relayed;

	if (cluster->closed || !cluster->local->server || !door)
		return;
	relayed = g_new0(struct relayed, 1);
	relayed->machine = machine;
	relayed->number = number;
	g_hash_table_insert(machine->links, GUINT_TO_POINTER(number), relayed);
	if (g_variant_get_uint32(door) == OUTPOST_DOOR_PMI)
		open_pmi(relayed);
	else
		relayed->link = link_carried(cluster->local->server, &carrier, relayed);
}

void cluster_rank_bytes(struct machine *machine, guint32 number, GBytes *bytes)
{
	struct relayed *relayed = g_hash_table_lookup(machine->links, GUINT_TO_POINTER(number));
	gsize count;
	const void *data = g_bytes_get_data(bytes, &count);

	if (relayed && relayed->link)
		link_arrived(relayed->link, data, count);
	else if (relayed)
		write_pmi(relayed, data, count);
}

void cluster_rank_closed(struct machine *machine, guint32 number)
{
	struct relayed *relayed = g_hash_table_lookup(machine->links, GUINT_TO_POINTER(number));

	if (!relayed)
		return;
	if (!relayed->link) {
		close_pmi(relayed);
		return;
	}
	if (relayed->order)
		disconnect_order_add(relayed->order, relayed->rank);
	link_lost(relayed->link, NULL);
}

void cluster_ranks_lost(struct machine *machine)
{
	g_autoptr(GList) numbers = g_hash_table_get_keys(machine->links);

	for (GList *number = numbers; number; number = number->next)
		cluster_rank_closed(machine, GPOINTER_TO_UINT(number->data));
}

bool cluster_watch(const struct host_link *link, int rank, struct disconnect_order *order)
{
	struct relayed *relayed = link_carried_data(link);

	if (!relayed)
		return false;
	relayed->rank = rank;
	relayed->order = order;
	return true;
}

void cluster_unwatch(struct cluster *cluster, const struct disconnect_order *order)
{
	for (guint i = 0; cluster && i < cluster->machines->len; i++) {
		const struct machine *machine = cluster->machines->pdata[i];
		GHashTableIter iter;
		void *value;

		g_hash_table_iter_init(&iter, machine->links);
		while (g_hash_table_iter_next(&iter, NULL, &value)) {
			struct relayed *relayed = value;

			if (relayed->order == order)
				relayed->order = NULL;
		}
	}
}

struct machine *cluster_seat(struct cluster *cluster, guint32 world, int rank)
{
	gint64 key = seat_key(world, rank);
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(cluster->seats, &key));
	struct machine *machine = number > 0 ? cluster->machines->pdata[number - 1] : NULL;

	return machine && machine->frames ? machine : NULL;
}

void cluster_forget_seats(struct cluster *cluster, guint32 world)
{
	for (int rank = 0; rank < cluster->local->options.ranks; rank++) {
		gint64 key = seat_key(world, rank);

		g_hash_table_remove(cluster->seats, &key);
	}
}
