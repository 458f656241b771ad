#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_calls.h"
#include "wire_codec.h"

/* One function describes each message: it names the fields in order. The same description appends
 * to a buffer, reads from a frame, or shows the fields to a visitor, so the directions cannot
 * differ. */

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
	for (uint32_t i = 0; element(codec, i, runs); i++) {
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
	for (uint32_t i = 0; element(codec, i, peers); i++)
		field_i32(codec, &side->peers[i]);
	uint32_t parts = FIELD_LIST(codec, &side->part_count, &side->bytes, 8);
	for (uint32_t i = 0; element(codec, i, parts); i++)
		field_u64(codec, &side->bytes[i]);
	uint32_t types = FIELD_LIST(codec, &side->type_count, &side->types, TYPES_BYTES);
	for (uint32_t i = 0; element(codec, i, types); i++)
		describe_types(codec, &side->types[i]);
}

static void describe_group(struct codec *codec, const char *name, struct wire_side *side)
{
	if (codec->visitor)
		codec->visitor->group(codec->user, name, true);
	describe_side(codec, side);
	if (codec->visitor)
		codec->visitor->group(codec->user, NULL, false);
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
	field_bool(codec, &op->whole);
	field_u16(codec, &op->function);
	field_u64(codec, &op->comm);
	field_i32(codec, &op->peer);
	field_i32(codec, &op->tag);
	field_u64(codec, &op->bytes);
	describe_types(codec, &op->types);
	field_bool(codec, &op->same_data);
	field_u8(codec, &op->reduction, UINT8_MAX);
	field_u64(codec, &op->counts);
	describe_group(codec, "sends", &op->sends);
	describe_group(codec, "receives", &op->receives);
}

bool wire_returns_indices(uint16_t function)
{
	enum mpi_call_completes completes = mpi_call_completes(function);

	return completes == MPI_CALL_COMPLETES_ANY || completes == MPI_CALL_COMPLETES_SOME;
}

static void describe_digest(struct codec *codec, struct wire_digest *digest)
{
	field_u64(codec, &digest->hash[0]);
	field_u64(codec, &digest->hash[1]);
}

static void describe_call(struct codec *codec, struct wire_call *call)
{
	enum { OP_BYTES = 56, NAME_BYTES = 8 };

	field_u32(codec, &call->call);
	field_u32(codec, &call->thread);
	field_u16(codec, &call->function);
	field_u8(codec, &call->wait, WIRE_FETCH);
	field_bool(codec, &call->marked);
	field_bool(codec, &call->ahead);
	field_i32(codec, &call->status);
	field_u64(codec, &call->site);
	field_bool(codec, &call->timed);
	field_bool(codec, &call->by_rule);
	field_bool(codec, &call->real_time);
	field_u32(codec, &call->busy);
	uint32_t ops = FIELD_LIST(codec, &call->op_count, &call->ops, OP_BYTES);
	for (uint32_t i = 0; element(codec, i, ops); i++)
		describe_op(codec, &call->ops[i]);
	uint32_t waited = FIELD_LIST(codec, &call->waited_count, &call->waited, NAME_BYTES);
	for (uint32_t i = 0; element(codec, i, waited); i++)
		field_name(codec, &call->waited[i]);
	uint32_t places = 0;
	if (wire_returns_indices(call->function))
		places = FIELD_LIST(codec, &call->place_count, &call->places, 4);
	for (uint32_t i = 0; element(codec, i, places); i++)
		field_u32(codec, &call->places[i]);
	if (call->wait == WIRE_FETCH) {
		field_u64(codec, &call->room);
		describe_types(codec, &call->room_types);
	}
	field_bool(codec, &call->has_digest);
	if (call->has_digest)
		describe_digest(codec, &call->digest);
}

static void describe_comm(struct codec *codec, struct wire_comm *comm)
{
	field_u64(codec, &comm->comm);
	uint32_t local = FIELD_LIST(codec, &comm->local_count, &comm->local, 4);
	for (uint32_t i = 0; element(codec, i, local); i++)
		field_i32(codec, &comm->local[i]);
	uint32_t remote = FIELD_LIST(codec, &comm->remote_count, &comm->remote, 4);
	for (uint32_t i = 0; element(codec, i, remote); i++)
		field_i32(codec, &comm->remote[i]);
	field_i32(codec, &comm->my_rank);
	field_u32(codec, &comm->window);
	field_u32(codec, &comm->unit);
	field_string(codec, &comm->name);
	field_u64(codec, &comm->stands_for);
	field_u16(codec, &comm->function);
	field_u64(codec, &comm->site);
	field_string(codec, &comm->argument);
}

static void describe_named(struct codec *codec, struct wire_named *named)
{
	field_u64(codec, &named->comm);
	field_string(codec, &named->name);
}

static void describe_error(struct codec *codec, struct wire_error *error)
{
	field_u32(codec, &error->call);
	field_u32(codec, &error->started);
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
	field_u32(codec, &ending->call);
	uint32_t count = FIELD_LIST(codec, &ending->count, &ending->frames, 8);
	for (uint32_t i = 0; element(codec, i, count); i++)
		field_u64(codec, &ending->frames[i]);
}

static void describe_touched(struct codec *codec, struct wire_touched *touched)
{
	field_name(codec, &touched->name);
	field_u16(codec, &touched->function);
	field_u64(codec, &touched->site);
	field_u32(codec, &touched->noticed);
	field_u16(codec, &touched->by_function);
	field_u64(codec, &touched->by_site);
	field_u8(codec, &touched->kind, WIRE_USE_COUNT - 1);
	field_u8(codec, &touched->how, WIRE_TOUCH_COUNT - 1);
}

static void describe_user(struct codec *codec, struct wire_user *user)
{
	field_name(codec, &user->name);
	field_u16(codec, &user->function);
	field_u64(codec, &user->site);
	field_u8(codec, &user->kind, WIRE_USE_COUNT - 1);
	field_bool(codec, &user->writes);
}

static void describe_amount(struct codec *codec, struct wire_amount *amount)
{
	field_u64(codec, &amount->bytes);
	describe_types(codec, &amount->types);
}

static void describe_returned(struct codec *codec, struct wire_returned *returned)
{
	field_u32(codec, &returned->call);
	uint32_t count = FIELD_LIST(codec, &returned->count, &returned->indices, 4);
	for (uint32_t i = 0; element(codec, i, count); i++)
		field_u32(codec, &returned->indices[i]);
}

static void describe_needs(struct codec *codec, struct wire_needs *needs)
{
	enum { NEED_BYTES = 8 };

	field_u32(codec, &needs->spawn);
	field_u64(codec, &needs->site);
	uint32_t count = FIELD_LIST(codec, &needs->count, &needs->list, NEED_BYTES);
	for (uint32_t i = 0; element(codec, i, count); i++) {
		field_u32(codec, &needs->list[i].count);
		field_string(codec, &needs->list[i].command);
	}
}

static void describe_partitions(struct codec *codec, struct wire_partitions *partitions)
{
	field_u64(codec, &partitions->comm);
	field_u32(codec, &partitions->call);
	field_u32(codec, &partitions->count);
	field_u32(codec, &partitions->first);
	field_u32(codec, &partitions->last);
}

static void describe_misuse(struct codec *codec, struct wire_misuse *misuse)
{
	field_u8(codec, &misuse->why, WIRE_MISUSE_COUNT - 1);
	field_u32(codec, &misuse->call);
	field_u16(codec, &misuse->function);
	field_u64(codec, &misuse->site);
	describe_amount(codec, &misuse->moved);
	describe_amount(codec, &misuse->expected);
	field_string(codec, &misuse->difference);
	field_u16(codec, &misuse->maker);
	field_u64(codec, &misuse->made_at);
}

static void describe_objects(struct codec *codec, struct wire_objects *objects)
{
	enum { LEFT_BYTES = 15 };

	uint32_t count = FIELD_LIST(codec, &objects->count, &objects->left, LEFT_BYTES);
	for (uint32_t i = 0; element(codec, i, count); i++) {
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
	for (uint32_t i = 0; element(codec, i, parts); i++)
		describe_part(codec, &access->parts[i]);
}

static void describe_accesses(struct codec *codec, struct wire_accesses *accesses)
{
	enum { ACCESS_BYTES = 51 };

	uint32_t count = FIELD_LIST(codec, &accesses->count, &accesses->list, ACCESS_BYTES);
	for (uint32_t i = 0; element(codec, i, count); i++)
		describe_access(codec, &accesses->list[i]);
}

static void describe_stack(struct codec *codec, struct wire_stack *stack)
{
	enum { LINE_BYTES = 12 };

	field_u32(codec, &stack->call);
	uint32_t count = FIELD_LIST(codec, &stack->count, &stack->frames, 8);
	for (uint32_t i = 0; element(codec, i, count); i++)
		field_u64(codec, &stack->frames[i]);
	field_u32(codec, &stack->inner);
	if (stack->inner > count)
		codec->failed = true;
	field_bool(codec, &stack->extension);
	uint32_t lines = FIELD_LIST(codec, &stack->line_count, &stack->lines, LINE_BYTES);
	for (uint32_t i = 0; i < lines; i++) {
		field_string(codec, &stack->lines[i].function);
		field_string(codec, &stack->lines[i].file);
		field_u32(codec, &stack->lines[i].line);
	}
}

static void describe_contents(struct codec *codec, struct wire_contents *contents)
{
	field_name(codec, &contents->name);
	field_u64(codec, &contents->bytes);
	describe_types(codec, &contents->types);
	field_string(codec, &contents->first);
}

static void describe_parked(struct codec *codec, struct wire_parked *parked)
{
	enum { MAPPING_BYTES = 44 };

	field_string(codec, &parked->hazard);
	field_bool(codec, &parked->unshared);
	uint32_t count = FIELD_LIST(codec, &parked->count, &parked->mappings, MAPPING_BYTES);
	for (uint32_t i = 0; element(codec, i, count); i++) {
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
	field_bool(codec, &welcome->contents);
	field_bool(codec, &welcome->states);
	field_bool(codec, &welcome->seals);
	field_bool(codec, &welcome->images);
	field_bool(codec, &welcome->rewinds);
	field_u8(codec, &welcome->atomics, WIRE_ATOMICS_SUMS);
	field_u32(codec, &welcome->ahead);
	field_bool(codec, &welcome->hurries);
	field_u64(codec, &welcome->idle_time);
	field_u32(codec, &welcome->uneven_clocks);
}

static void describe_bind(struct codec *codec, struct wire_bind *bind)
{
	field_name(codec, &bind->name);
	field_i32(codec, &bind->source);
	field_i32(codec, &bind->tag);
	field_u64(codec, &bind->bytes);
}

static void describe_go(struct codec *codec, struct wire_go *go)
{
	field_u32(codec, &go->call);
	uint32_t count = FIELD_LIST(codec, &go->count, &go->done, 4);
	for (uint32_t i = 0; element(codec, i, count); i++)
		field_u32(codec, &go->done[i]);
	field_bool(codec, &go->look);
}

static void describe_end(struct codec *codec, struct wire_end *end)
{
	field_bool(codec, &end->flush);
	field_i32(codec, &end->status);
	field_bool(codec, &end->hold);
}

static void describe_restore(struct codec *codec, struct wire_restore *restore)
{
	enum { CLONE_BYTES = 32 };

	field_u32(codec, &restore->world);
	field_i32(codec, &restore->rank);
	field_string(codec, &restore->directory);
	uint32_t count = FIELD_LIST(codec, &restore->count, &restore->clones, CLONE_BYTES);
	for (uint32_t i = 0; element(codec, i, count); i++) {
		struct wire_clone *clone = &restore->clones[i];
		field_u64(codec, &clone->start);
		field_u64(codec, &clone->length);
		field_u64(codec, &clone->offset);
		field_u32(codec, &clone->protection);
		field_u32(codec, &clone->file);
	}
	field_string(codec, &restore->folder);
	field_string(codec, &restore->base);
}

static void describe_seal(struct codec *codec, struct wire_seal *seal)
{
	field_u32(codec, &seal->call);
	field_bool(codec, &seal->hides);
	field_bool(codec, &seal->knows_contents);
	for (uint32_t i = 0; element(codec, i, 2); i++)
		field_u64(codec, &seal->arguments[i]);
	for (uint32_t i = 0; element(codec, i, 2); i++)
		field_u64(codec, &seal->contents[i]);
}

static void describe_state(struct codec *codec, struct wire_state *state)
{
	for (uint32_t i = 0; element(codec, i, 2); i++)
		field_u64(codec, &state->hash[i]);
	field_bool(codec, &state->idle);
	field_string(codec, &state->hazard);
}

static void describe_message(struct codec *codec, struct wire_message *message)
{
	switch (message->type) {
	case WIRE_HELLO: describe_hello(codec, &message->hello); break;
	case WIRE_CALL: describe_call(codec, &message->call); break;
	case WIRE_COMM: describe_comm(codec, &message->comm); break;
	case WIRE_NAMED: describe_named(codec, &message->named); break;
	case WIRE_ERROR: describe_error(codec, &message->error); break;
	case WIRE_STACK: describe_stack(codec, &message->stack); break;
	case WIRE_PARKED: describe_parked(codec, &message->parked); break;
	case WIRE_CHILD: describe_child(codec, &message->child); break;
	case WIRE_ENDING: describe_ending(codec, &message->ending); break;
	case WIRE_TOUCHED: describe_touched(codec, &message->touched); break;
	case WIRE_OVERLAP:
		for (uint32_t i = 0; element(codec, i, 2); i++)
			describe_user(codec, &message->overlap.users[i]);
		break;
	case WIRE_MISUSE: describe_misuse(codec, &message->misuse); break;
	case WIRE_PARTITIONS: describe_partitions(codec, &message->partitions); break;
	case WIRE_RETURNED: describe_returned(codec, &message->returned); break;
	case WIRE_NEEDS: describe_needs(codec, &message->needs); break;
	case WIRE_RING:
		field_u32(codec, &message->ring.descriptor);
		field_u64(codec, &message->ring.key);
		break;
	case WIRE_CONTENTS: describe_contents(codec, &message->contents); break;
	case WIRE_LEFT: describe_objects(codec, &message->objects); break;
	case WIRE_THREAD: describe_thread(codec, &message->thread); break;
	case WIRE_ENTER: describe_enter(codec, &message->enter); break;
	case WIRE_ACCESSES: describe_accesses(codec, &message->accesses); break;
	case WIRE_DIGEST: describe_digest(codec, &message->digest); break;
	case WIRE_SEAL: describe_seal(codec, &message->seal); break;
	case WIRE_STATE: describe_state(codec, &message->state); break;
	case WIRE_ADMIT: field_u32(codec, &message->admitted); break;
	case WIRE_FORWARD: field_u32(codec, &message->forward); break;
	case WIRE_FORGET: field_u32(codec, &message->forget); break;
	case WIRE_REWIND:
		field_u32(codec, &message->rewind.world);
		field_u32(codec, &message->rewind.image);
		field_bool(codec, &message->rewind.follows);
		break;
	case WIRE_IMAGE: field_bool(codec, &message->image.goes_on); break;
	case WIRE_IMAGED:
		field_u32(codec, &message->imaged.image);
		field_bool(codec, &message->imaged.idle);
		field_u64(codec, &message->imaged.bytes);
		field_string(codec, &message->imaged.hazard);
		break;
	case WIRE_HELD:
		field_bool(codec, &message->held.unshared);
		field_string(codec, &message->held.hazard);
		break;
	case WIRE_WELCOME: describe_welcome(codec, &message->welcome); break;
	case WIRE_BIND: describe_bind(codec, &message->bind); break;
	case WIRE_GO: describe_go(codec, &message->go); break;
	case WIRE_END:
	case WIRE_RELEASE: describe_end(codec, &message->end); break;
	case WIRE_RESTORE: describe_restore(codec, &message->restore); break;
	case WIRE_BELL:
	case WIRE_LOOK:
	case WIRE_TELL:
	case WIRE_DRIVE:
	case WIRE_PARK:
	case WIRE_RESUME: break;
	default: codec->failed = true; break;
	}
}

int wire_visit(struct wire_message *message, const struct wire_visitor *visitor, void *user)
{
	struct codec codec = {.visitor = visitor, .user = user};

	describe_message(&codec, message);
	return codec.failed ? -1 : 0;
}

void wire_buffer_release(struct wire_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct wire_buffer){0};
}

void wire_encode(struct wire_buffer *buffer, const struct wire_message *message)
{
	struct codec codec = {.out = buffer};
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

void wire_append(struct wire_buffer *buffer, const struct wire_buffer *more)
{
	uint8_t *place = buffer_extend(buffer, more->count);

	if (more->failed)
		buffer->failed = true;
	else if (place && more->count > 0)
		memcpy(place, more->bytes, more->count);
}

bool wire_moves_nothing(uint16_t type)
{
	return type == WIRE_WELCOME || type == WIRE_TELL || type == WIRE_IMAGE
	       || type == WIRE_REWIND || type == WIRE_FORGET;
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

uint16_t wire_frame_type(const uint8_t *bytes)
{
	return (uint16_t)load_little_endian(bytes + HEADER_BYTES, TYPE_BYTES);
}

int wire_decode(const uint8_t *bytes, size_t count, struct wire_message *ret_message)
{
	struct wire_message message;
	struct codec codec = {.next = bytes, .end = bytes + count};

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
