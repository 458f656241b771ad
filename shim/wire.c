#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* Each message is described once, by a function that names its fields in order; the same
 * description appends to a buffer or takes from a frame, so that the two directions cannot drift
 * apart. */

enum { HEADER_BYTES = 4, TYPE_BYTES = 2, FIRST_CAPACITY = 1024 };

struct codec {
	struct wire_buffer *out; /* encoding; NULL when decoding */
	const uint8_t *next, *end;
	bool failed;
};

static uint8_t *buffer_extend(struct wire_buffer *buffer, size_t bytes)
{
	if (buffer->failed)
		return NULL;
	if (buffer->capacity - buffer->count < bytes) {
		size_t capacity = buffer->capacity > 0 ? buffer->capacity : FIRST_CAPACITY;
		while (capacity - buffer->count < bytes)
			capacity *= 2;
		uint8_t *grown = realloc(buffer->bytes, capacity);
		if (!grown) {
			buffer->failed = true;
			return NULL;
		}
		buffer->bytes = grown;
		buffer->capacity = capacity;
	}
	uint8_t *place = buffer->bytes + buffer->count;
	buffer->count += bytes;
	return place;
}

/* The place of the next `bytes` bytes of the frame, or NULL when there are none. */
static const uint8_t *take(struct codec *codec, size_t bytes)
{
	if (codec->failed || (size_t)(codec->end - codec->next) < bytes) {
		codec->failed = true;
		return NULL;
	}
	const uint8_t *place = codec->next;
	codec->next += bytes;
	return place;
}

static void store_little_endian(uint8_t *place, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		place[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t load_little_endian(const uint8_t *place, size_t bytes)
{
	uint64_t value = 0;
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)place[i] << (8 * i);
	return value;
}

static void put(struct codec *codec, uint64_t value, size_t bytes)
{
	uint8_t *place = buffer_extend(codec->out, bytes);
	if (place)
		store_little_endian(place, value, bytes);
}

/* The next number of the frame, 0 after a failure. */
static uint64_t get(struct codec *codec, size_t bytes)
{
	const uint8_t *place = take(codec, bytes);
	return place ? load_little_endian(place, bytes) : 0;
}

static void field_u8(struct codec *codec, uint8_t *value, uint8_t largest)
{
	if (codec->out)
		put(codec, *value, 1);
	else
		*value = (uint8_t)get(codec, 1);
	if (*value > largest)
		codec->failed = true;
}

static void field_bool(struct codec *codec, bool *value)
{
	uint8_t byte = codec->out ? *value : 0;
	field_u8(codec, &byte, 1);
	if (!codec->out)
		*value = byte == 1;
}

static void field_u16(struct codec *codec, uint16_t *value)
{
	if (codec->out)
		put(codec, *value, 2);
	else
		*value = (uint16_t)get(codec, 2);
}

static void field_u32(struct codec *codec, uint32_t *value)
{
	if (codec->out)
		put(codec, *value, 4);
	else
		*value = (uint32_t)get(codec, 4);
}

static void field_i32(struct codec *codec, int32_t *value)
{
	if (codec->out)
		put(codec, (uint32_t)*value, 4);
	else
		*value = (int32_t)(uint32_t)get(codec, 4);
}

static void field_u64(struct codec *codec, uint64_t *value)
{
	if (codec->out)
		put(codec, *value, 8);
	else
		*value = get(codec, 8);
}

static void field_i64(struct codec *codec, int64_t *value)
{
	uint64_t bits = (uint64_t)*value;

	field_u64(codec, &bits);
	*value = (int64_t)bits;
}

/* A string without NUL inside; NULL is written as the empty string, never read. */
static void field_string(struct codec *codec, char **value)
{
	if (codec->out) {
		size_t length = *value ? strlen(*value) : 0;
		put(codec, length, 4);
		uint8_t *place = length > 0 ? buffer_extend(codec->out, length) : NULL;
		if (place)
			memcpy(place, *value, length);
		return;
	}
	size_t length = get(codec, 4);
	const uint8_t *place = take(codec, length);
	if (place && !memchr(place, 0, length))
		*value = malloc(length + 1);
	if (!*value) {
		codec->failed = true;
		return;
	}
	memcpy(*value, place, length);
	(*value)[length] = '\0';
}

/* The length of a list; when decoding, makes room for it. `smallest` is the least number of bytes
 * that an element takes on the wire, so that a frame cannot ask for more memory than its size
 * warrants. `elements` points to the list's pointer. Returns how many elements to go through. */
static uint32_t field_list(struct codec *codec, uint32_t *count, void *elements, size_t size,
                           size_t smallest)
{
	field_u32(codec, count);
	if (codec->out)
		return *count;
	if (codec->failed || *count > (size_t)(codec->end - codec->next) / smallest) {
		codec->failed = true;
		*count = 0;
	}
	if (*count > 0) {
		void *room = calloc(*count, size);
		memcpy(elements, &room, sizeof(room));
		if (!room) {
			codec->failed = true;
			*count = 0;
		}
	}
	return *count;
}

#define FIELD_LIST(codec, count, list, smallest) \
	field_list(codec, count, list, sizeof(**(list)), smallest)

static void field_name(struct codec *codec, struct wire_name *name)
{
	field_u32(codec, &name->call);
	field_u32(codec, &name->sub);
}

static void describe_hello(struct codec *codec, struct wire_hello *hello)
{
	field_u32(codec, &hello->version);
	field_u32(codec, &hello->world);
	field_i32(codec, &hello->rank);
	field_i32(codec, &hello->pid);
	field_u64(codec, &hello->inside);
	field_bool(codec, &hello->restored);
	field_string(codec, &hello->program);
	field_string(codec, &hello->mpi);
}

static void describe_types(struct codec *codec, struct wire_types *types)
{
	enum { RUN_BYTES = 10 };

	field_u16(codec, &types->basic);
	uint32_t runs = FIELD_LIST(codec, &types->run_count, &types->runs, RUN_BYTES);
	for (uint32_t i = 0; i < runs; i++) {
		field_u16(codec, &types->runs[i].basic);
		field_u64(codec, &types->runs[i].count);
	}
}

static void describe_side(struct codec *codec, struct wire_side *side)
{
	enum { TYPES_BYTES = 6 };

	field_u8(codec, &side->partners, WIRE_WITH_LISTED);
	if (side->partners == WIRE_WITH_NOBODY)
		return;
	uint32_t peers = FIELD_LIST(codec, &side->peer_count, &side->peers, 4);
	for (uint32_t i = 0; i < peers; i++)
		field_i32(codec, &side->peers[i]);
	uint32_t parts = FIELD_LIST(codec, &side->part_count, &side->bytes, 8);
	for (uint32_t i = 0; i < parts; i++)
		field_u64(codec, &side->bytes[i]);
	uint32_t types = FIELD_LIST(codec, &side->type_count, &side->types, TYPES_BYTES);
	for (uint32_t i = 0; i < types; i++)
		describe_types(codec, &side->types[i]);
}

static void describe_op(struct codec *codec, struct wire_op *op)
{
	field_name(codec, &op->name);
	field_u8(codec, &op->kind, WIRE_UNLOCK);
	if (op->kind == 0)
		codec->failed = true;
	field_u8(codec, &op->mode, WIRE_READY);
	field_bool(codec, &op->nonblocking);
	field_bool(codec, &op->joined);
	field_u16(codec, &op->function);
	field_u64(codec, &op->comm);
	field_i32(codec, &op->peer);
	field_i32(codec, &op->tag);
	field_u64(codec, &op->bytes);
	describe_types(codec, &op->types);
	field_bool(codec, &op->same_data);
	field_u8(codec, &op->reduction, UINT8_MAX);
	field_u64(codec, &op->counts);
	describe_side(codec, &op->sends);
	describe_side(codec, &op->receives);
}

static void describe_call(struct codec *codec, struct wire_call *call)
{
	enum { OP_BYTES = 56, NAME_BYTES = 8 };

	field_u32(codec, &call->call);
	field_u32(codec, &call->thread);
	field_u16(codec, &call->function);
	field_u8(codec, &call->wait, WIRE_ABORT);
	field_bool(codec, &call->marked);
	field_i32(codec, &call->status);
	field_u64(codec, &call->site);
	field_bool(codec, &call->timed);
	field_u32(codec, &call->busy);
	uint32_t ops = FIELD_LIST(codec, &call->op_count, &call->ops, OP_BYTES);
	for (uint32_t i = 0; i < ops; i++)
		describe_op(codec, &call->ops[i]);
	uint32_t waited = FIELD_LIST(codec, &call->waited_count, &call->waited, NAME_BYTES);
	for (uint32_t i = 0; i < waited; i++)
		field_name(codec, &call->waited[i]);
}

static void describe_comm(struct codec *codec, struct wire_comm *comm)
{
	field_u64(codec, &comm->comm);
	uint32_t local = FIELD_LIST(codec, &comm->local_count, &comm->local, 4);
	for (uint32_t i = 0; i < local; i++)
		field_i32(codec, &comm->local[i]);
	uint32_t remote = FIELD_LIST(codec, &comm->remote_count, &comm->remote, 4);
	for (uint32_t i = 0; i < remote; i++)
		field_i32(codec, &comm->remote[i]);
	field_i32(codec, &comm->my_rank);
	field_u32(codec, &comm->window);
	field_string(codec, &comm->name);
}

static void describe_error(struct codec *codec, struct wire_error *error)
{
	field_u32(codec, &error->call);
	field_u16(codec, &error->function);
	field_u64(codec, &error->site);
	field_i32(codec, &error->error_class);
	field_bool(codec, &error->fatal);
	field_bool(codec, &error->refused);
	field_bool(codec, &error->threads);
	field_string(codec, &error->text);
}

static void describe_ending(struct codec *codec, struct wire_ending *ending)
{
	field_i32(codec, &ending->status);
	field_i32(codec, &ending->signal);
	uint32_t count = FIELD_LIST(codec, &ending->count, &ending->frames, 8);
	for (uint32_t i = 0; i < count; i++)
		field_u64(codec, &ending->frames[i]);
}

static void describe_touched(struct codec *codec, struct wire_touched *touched)
{
	field_name(codec, &touched->name);
	field_u32(codec, &touched->noticed);
	field_bool(codec, &touched->receive);
	field_name(codec, &touched->writer);
}

static void describe_objects(struct codec *codec, struct wire_objects *objects)
{
	enum { LEFT_BYTES = 15 };

	uint32_t count = FIELD_LIST(codec, &objects->count, &objects->left, LEFT_BYTES);
	for (uint32_t i = 0; i < count; i++) {
		struct wire_left *left = &objects->left[i];
		field_u8(codec, &left->kind, WIRE_OBJECT_COUNT - 1);
		if (left->kind == 0)
			codec->failed = true;
		field_u16(codec, &left->function);
		field_u64(codec, &left->site);
		field_u32(codec, &left->count);
	}
}

static void describe_thread(struct codec *codec, struct wire_thread *thread)
{
	field_u32(codec, &thread->thread);
	field_i32(codec, &thread->id);
	field_bool(codec, &thread->ended);
}

static void describe_enter(struct codec *codec, struct wire_enter *enter)
{
	field_u32(codec, &enter->thread);
	field_bool(codec, &enter->sends);
	field_bool(codec, &enter->receives);
	field_u64(codec, &enter->comm);
	field_i32(codec, &enter->dest);
	field_i32(codec, &enter->send_tag);
	field_i32(codec, &enter->source);
	field_i32(codec, &enter->receive_tag);
}

static void describe_part(struct codec *codec, struct wire_part *part)
{
	field_u8(codec, &part->role, WIRE_PART_WRITTEN);
	field_i64(codec, &part->start);
	field_u64(codec, &part->length);
	field_u64(codec, &part->times);
	field_u64(codec, &part->count);
	field_i64(codec, &part->stride);
	field_i64(codec, &part->extent);
}

static void describe_access(struct codec *codec, struct wire_access *access)
{
	enum { PART_BYTES = 49 };

	field_u8(codec, &access->kind, WIRE_ACCESS_KINDS - 1);
	if (access->kind == 0)
		codec->failed = true;
	field_u8(codec, &access->flags, UINT8_MAX);
	field_u8(codec, &access->reduction, UINT8_MAX);
	field_u16(codec, &access->basic);
	field_u16(codec, &access->function);
	field_u64(codec, &access->site);
	field_u64(codec, &access->window);
	field_i32(codec, &access->target);
	field_u32(codec, &access->number);
	field_i64(codec, &access->displacement);
	field_u64(codec, &access->unit);
	uint32_t parts = FIELD_LIST(codec, &access->part_count, &access->parts, PART_BYTES);
	for (uint32_t i = 0; i < parts; i++)
		describe_part(codec, &access->parts[i]);
}

static void describe_accesses(struct codec *codec, struct wire_accesses *accesses)
{
	enum { ACCESS_BYTES = 51 };

	uint32_t count = FIELD_LIST(codec, &accesses->count, &accesses->list, ACCESS_BYTES);
	for (uint32_t i = 0; i < count; i++)
		describe_access(codec, &accesses->list[i]);
}

static void describe_stack(struct codec *codec, struct wire_stack *stack)
{
	field_u32(codec, &stack->call);
	uint32_t count = FIELD_LIST(codec, &stack->count, &stack->frames, 8);
	for (uint32_t i = 0; i < count; i++)
		field_u64(codec, &stack->frames[i]);
}

static void describe_parked(struct codec *codec, struct wire_parked *parked)
{
	enum { MAPPING_BYTES = 44 };

	field_string(codec, &parked->hazard);
	uint32_t count = FIELD_LIST(codec, &parked->count, &parked->mappings, MAPPING_BYTES);
	for (uint32_t i = 0; i < count; i++) {
		struct wire_mapping *mapping = &parked->mappings[i];
		field_u64(codec, &mapping->start);
		field_u64(codec, &mapping->length);
		field_u64(codec, &mapping->offset);
		field_u64(codec, &mapping->device);
		field_u64(codec, &mapping->inode);
		field_u32(codec, &mapping->protection);
	}
}

static void describe_child(struct codec *codec, struct wire_child *child)
{
	field_u32(codec, &child->world);
	field_i32(codec, &child->pid);
	field_bool(codec, &child->ended);
	field_i32(codec, &child->status);
}

static void describe_welcome(struct codec *codec, struct wire_welcome *welcome)
{
	field_u8(codec, &welcome->buffering, UINT8_MAX);
	field_bool(codec, &welcome->every_call_waits);
	field_bool(codec, &welcome->synchronous_collectives);
	field_bool(codec, &welcome->stacks);
}

static void describe_bind(struct codec *codec, struct wire_bind *bind)
{
	field_name(codec, &bind->name);
	field_i32(codec, &bind->source);
	field_i32(codec, &bind->tag);
}

static void describe_go(struct codec *codec, struct wire_go *go)
{
	field_u32(codec, &go->call);
	uint32_t count = FIELD_LIST(codec, &go->count, &go->done, 4);
	for (uint32_t i = 0; i < count; i++)
		field_u32(codec, &go->done[i]);
}

static void describe_end(struct codec *codec, struct wire_end *end)
{
	field_bool(codec, &end->flush);
	field_i32(codec, &end->status);
}

static void describe_restore(struct codec *codec, struct wire_restore *restore)
{
	enum { CLONE_BYTES = 32 };

	field_u32(codec, &restore->world);
	field_i32(codec, &restore->rank);
	field_string(codec, &restore->directory);
	uint32_t count = FIELD_LIST(codec, &restore->count, &restore->clones, CLONE_BYTES);
	for (uint32_t i = 0; i < count; i++) {
		struct wire_clone *clone = &restore->clones[i];
		field_u64(codec, &clone->start);
		field_u64(codec, &clone->length);
		field_u64(codec, &clone->offset);
		field_u32(codec, &clone->protection);
		field_u32(codec, &clone->file);
	}
}

static void describe_message(struct codec *codec, struct wire_message *message)
{
	switch (message->type) {
	case WIRE_HELLO: describe_hello(codec, &message->hello); break;
	case WIRE_CALL: describe_call(codec, &message->call); break;
	case WIRE_COMM: describe_comm(codec, &message->comm); break;
	case WIRE_ERROR: describe_error(codec, &message->error); break;
	case WIRE_STACK: describe_stack(codec, &message->stack); break;
	case WIRE_PARKED: describe_parked(codec, &message->parked); break;
	case WIRE_CHILD: describe_child(codec, &message->child); break;
	case WIRE_ENDING: describe_ending(codec, &message->ending); break;
	case WIRE_TOUCHED: describe_touched(codec, &message->touched); break;
	case WIRE_LEFT: describe_objects(codec, &message->objects); break;
	case WIRE_THREAD: describe_thread(codec, &message->thread); break;
	case WIRE_ENTER: describe_enter(codec, &message->enter); break;
	case WIRE_ACCESSES: describe_accesses(codec, &message->accesses); break;
	case WIRE_ADMIT: field_u32(codec, &message->admitted); break;
	case WIRE_WELCOME: describe_welcome(codec, &message->welcome); break;
	case WIRE_BIND: describe_bind(codec, &message->bind); break;
	case WIRE_GO: describe_go(codec, &message->go); break;
	case WIRE_END:
	case WIRE_RELEASE: describe_end(codec, &message->end); break;
	case WIRE_RESTORE: describe_restore(codec, &message->restore); break;
	case WIRE_PARK:
	case WIRE_RESUME: break;
	default: codec->failed = true; break;
	}
}

void wire_buffer_release(struct wire_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct wire_buffer){ 0 };
}

void wire_encode(struct wire_buffer *buffer, const struct wire_message *message)
{
	struct codec codec = { .out = buffer };
	size_t start = buffer->count;

	buffer_extend(buffer, HEADER_BYTES);
	put(&codec, message->type, TYPE_BYTES);
	describe_message(&codec, (struct wire_message *)message);

	size_t length = buffer->count - start - HEADER_BYTES;
	if (codec.failed || length > WIRE_FRAME_MAX)
		buffer->failed = true;
	if (!buffer->failed)
		store_little_endian(buffer->bytes + start, length, HEADER_BYTES);
}

long wire_frame_length(const uint8_t *bytes, size_t count)
{
	if (count < HEADER_BYTES)
		return 0;
	size_t length = load_little_endian(bytes, HEADER_BYTES);
	if (length < TYPE_BYTES || length > WIRE_FRAME_MAX)
		return -1;
	length += HEADER_BYTES;
	return length <= count ? (long)length : 0;
}

int wire_decode(const uint8_t *bytes, size_t count, struct wire_message *ret_message)
{
	struct wire_message message;
	struct codec codec = { .next = bytes, .end = bytes + count };

	long length = wire_frame_length(bytes, count);
	if (length <= 0 || (size_t)length != count)
		return -1;
	codec.next += HEADER_BYTES;
	memset(&message, 0, sizeof(message));
	message.type = (uint16_t)get(&codec, TYPE_BYTES);
	describe_message(&codec, &message);
	if (codec.failed || codec.next != codec.end) {
		wire_message_release(&message);
		return -1;
	}
	*ret_message = message;
	return 0;
}

static void release_side(struct wire_side *side)
{
	for (uint32_t i = 0; side->types && i < side->type_count; i++)
		free(side->types[i].runs);
	free(side->types);
	free(side->bytes);
	free(side->peers);
}

static void release_call(struct wire_call *call)
{
	for (uint32_t i = 0; i < call->op_count; i++) {
		free(call->ops[i].types.runs);
		release_side(&call->ops[i].sends);
		release_side(&call->ops[i].receives);
	}
	free(call->ops);
	free(call->waited);
}

void wire_message_release(struct wire_message *message)
{
	switch (message->type) {
	case WIRE_HELLO:
		free(message->hello.program);
		free(message->hello.mpi);
		break;
	case WIRE_CALL: release_call(&message->call); break;
	case WIRE_COMM:
		free(message->comm.local);
		free(message->comm.remote);
		free(message->comm.name);
		break;
	case WIRE_ERROR: free(message->error.text); break;
	case WIRE_STACK: free(message->stack.frames); break;
	case WIRE_PARKED:
		free(message->parked.hazard);
		free(message->parked.mappings);
		break;
	case WIRE_GO: free(message->go.done); break;
	case WIRE_ENDING: free(message->ending.frames); break;
	case WIRE_LEFT: free(message->objects.left); break;
	case WIRE_ACCESSES:
		for (uint32_t i = 0; i < message->accesses.count; i++)
			free(message->accesses.list[i].parts);
		free(message->accesses.list);
		break;
	case WIRE_RESTORE:
		free(message->restore.directory);
		free(message->restore.clones);
		break;
	default: break;
	}
	memset(message, 0, sizeof(*message));
}
