#include "contents.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/mpi_codes.h"
#include "gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/packing.h"
#include "shim/mpi/real.h"
#include "shim/types/signature.h"
#include "threading.h"

enum {
	VALUES_MOST = 1 << 10,  /* bytes reported of a message of numbers */
	TEXT_MOST = 64 << 10,   /* of characters, or of types that only the program can read */
	PACKED_MOST = 64 << 20, /* most bytes to pack for these */
};

static struct {
	pthread_mutex_t lock; /* of `frames`, if threads call at the same time */
	struct wire_buffer frames;
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Text: basic types with elements of one byte, and data without types. */
static size_t most_of(const struct wire_types *types)
{
	return types->run_count == 0 && type_code_size(types->basic) <= 1 ? TEXT_MOST : VALUES_MOST;
}

/* Packs as many elements as needed; the caller frees the bytes. NULL: they cannot be packed. */
static unsigned char *pack_first(const struct contents_data *data, size_t size, size_t most,
                                 size_t *ret_count)
{
	MPI_Count wanted = (MPI_Count)((most + size - 1) / size);
	int count = (int)(wanted < data->count ? wanted : data->count), room = 0, packed = 0;
	unsigned char *bytes;

	if (size > PACKED_MOST
	    || real_mpi()->Pack_size(count, data->type, MPI_COMM_SELF, &room) != MPI_SUCCESS)
		return NULL;
	bytes = malloc((size_t)room + 1);
	if (!bytes)
		return NULL;
	if (packing_pack(data->buffer, count, data->type, bytes, room, &packed) != MPI_SUCCESS) {
		free(bytes);
		return NULL;
	}
	*ret_count = (size_t)packed < most ? (size_t)packed : most;
	return bytes;
}

/* The caller frees it. NULL: out of memory. */
static char *print_digits(const unsigned char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * count + 1);

	for (size_t i = 0; text && i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	if (text)
		text[2 * count] = '\0';
	return text;
}

static void keep_frame(const struct wire_message *message)
{
	if (gate_is_serialised())
		threading_lock(&noted.lock);
	wire_encode(&noted.frames, message);
	if (gate_is_serialised())
		pthread_mutex_unlock(&noted.lock);
}

bool contents_are_wanted(void)
{
	return gate_welcome()->contents;
}

/* A wrong argument, which MPI reports. */
static bool is_nowhere(const struct contents_data *data)
{
	return data->count > 0 && !data->buffer && abi_is_basic(data->type);
}

static void note(struct wire_name name, const struct contents_data *data, struct wire_types types)
{
	struct wire_message message = {.type = WIRE_CONTENTS};
	unsigned char *packed = NULL;
	const unsigned char *bytes = data->buffer;
	size_t size = type_size(data->type), all = size * (size_t)data->count;
	size_t most = most_of(&types), count = all < most ? all : most;

	if (count > 0 && !abi_is_basic(data->type)) {
		bytes = packed = pack_first(data, size, most, &count);
		if (!packed)
			return;
	}
	message.contents = (struct wire_contents){
		.name = name,
		.bytes = all,
		.types = types,
		.first = print_digits(bytes, count),
	};
	if (message.contents.first)
		keep_frame(&message);
	free(message.contents.first);
	free(packed);
}

void contents_note_data(struct wire_name name, const struct contents_data *data)
{
	if (contents_are_wanted() && data->count >= 0 && !is_nowhere(data))
		note(name, data, signature_of(data->type));
}

void contents_note(struct wire_name name, const struct contents_data *data, struct wire_types types)
{
	if (contents_are_wanted())
		note(name, data, types);
}

void contents_encode(struct wire_buffer *out)
{
	if (noted.frames.count == 0)
		return;
	if (gate_is_serialised())
		threading_lock(&noted.lock);
	wire_append(out, &noted.frames);
	noted.frames.count = 0;
	if (gate_is_serialised())
		pthread_mutex_unlock(&noted.lock);
}
