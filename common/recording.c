#include "recording.h"

#include <string.h>

#include "state_hash.h"

uint64_t recording_hash_more(uint64_t hash, const void *bytes, size_t size)
{
	struct state_hash state = {{hash, ~hash}};

	state_hash_add_bytes(&state, bytes, size);
	return state.word[0] ^ state.word[1];
}

uint64_t recording_hash(const void *bytes, size_t size)
{
	return recording_hash_more(0, bytes, size);
}

static uint64_t head_sum(const struct recording_block *block)
{
	return recording_hash(block, offsetof(struct recording_block, head_sum));
}

void recording_seal(struct recording_block *block, const void *bytes)
{
	block->magic = RECORDING_MAGIC;
	block->sum = recording_hash(bytes, block->size);
	block->head_sum = head_sum(block);
}

void recording_begin(struct recording_reader *reader, const void *log, size_t log_size,
                     const void *tail, size_t tail_size)
{
	*reader = (struct recording_reader){
		.log = log, .log_size = log_size, .tail = tail, .tail_size = tail_size};
}

static bool stop(struct recording_reader *reader, enum recording_state state)
{
	reader->state = state;
	reader->bytes = NULL;
	reader->size = 0;
	return false;
}

static bool go_to(struct recording_reader *reader, const struct recording_block *block,
                  const uint8_t *bytes)
{
	reader->state = RECORDING_READING;
	reader->sequence++;
	reader->first_call = block->first_call;
	reader->bytes = bytes;
	reader->size = block->size;
	return true;
}

/* The block that was open when the rank ended, if it is the next one. */
static bool go_to_tail(struct recording_reader *reader)
{
	const struct recording_tail *tail = (const void *)reader->tail;

	reader->at = reader->log_size;
	if (!recording_place_of(tail, reader->tail_size) || tail->block.sequence != reader->sequence
	    || tail->block.size == 0)
		return stop(reader, RECORDING_OVER);
	if (tail->block.magic != RECORDING_MAGIC
	    || tail->block.size > reader->tail_size - sizeof(*tail))
		return stop(reader, RECORDING_DAMAGED);
	return go_to(reader, &tail->block, (const uint8_t *)(tail + 1));
}

bool recording_next(struct recording_reader *reader)
{
	const size_t left = reader->log_size - reader->at;
	struct recording_block block;
	const uint8_t *bytes;

	if (reader->state != RECORDING_READING)
		return false;
	/* What is left of a write that a kill cut short is still in the tail. */
	if (left < sizeof(block))
		return go_to_tail(reader);
	memcpy(&block, reader->log + reader->at, sizeof(block));
	if (block.magic != RECORDING_MAGIC || block.sequence != reader->sequence
	    || block.head_sum != head_sum(&block))
		return stop(reader, RECORDING_DAMAGED);
	if (block.size > left - sizeof(block))
		return go_to_tail(reader);
	bytes = reader->log + reader->at + sizeof(block);
	if (block.sum != recording_hash(bytes, block.size))
		return stop(reader, RECORDING_DAMAGED);
	reader->at += sizeof(block) + block.size;
	return go_to(reader, &block, bytes);
}

const struct recording_place *recording_place_of(const void *tail, size_t size)
{
	const struct recording_tail *given = tail;

	if (!given || size < sizeof(*given) || given->magic != RECORDING_MAGIC
	    || given->version != RECORDING_VERSION)
		return NULL;
	return &given->place;
}
