/* A name for a state: 128 bits made of all that can make a difference to what comes. Two states of
 * one name are taken for one, so whoever makes a name puts in too much rather than too little.
 * Header alone, libc alone: the shim uses it, too. */
#ifndef MATCHPOINT_EXPLORER_STATE_HASH_H
#define MATCHPOINT_EXPLORER_STATE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mix.h"

struct state_hash {
	uint64_t word[2]; /* all zero to begin with */
};

static inline void state_hash_add(struct state_hash *hash, uint64_t value)
{
	hash->word[0] = mix(hash->word[0], value);
	hash->word[1] = mix(~hash->word[1], value * UINT64_C(0xd6e8feb86659fd93) + 1);
}

static inline void state_hash_add_bytes(struct state_hash *hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t word = 0;

	state_hash_add(hash, size);
	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		state_hash_add(hash, word);
	}
	word = 0;
	if (size > 0) {
		memcpy(&word, at, size);
		state_hash_add(hash, word);
	}
}

/* Several of something that has no order: the sum of what each comes to. */
static inline void state_hash_add_member(struct state_hash *sum, const struct state_hash *member)
{
	sum->word[0] += member->word[0];
	sum->word[1] += member->word[1];
}

static inline bool state_hash_equal(const struct state_hash *one, const struct state_hash *other)
{
	return one->word[0] == other->word[0] && one->word[1] == other->word[1];
}

/* For hash tables whose keys point to one. */
static inline unsigned state_key_hash(const void *key)
{
	return (unsigned)((const struct state_hash *)key)->word[0];
}

static inline int state_key_equal(const void *one, const void *other)
{
	return state_hash_equal((const struct state_hash *)one, (const struct state_hash *)other);
}

#endif
