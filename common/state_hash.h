/* A fingerprint of a state: 128 bits of hash over all that can affect what comes. Two states with
 * the same fingerprint count as equal. So a fingerprint should include too much rather than too
 * little. Header only, libc only: the shim uses it, too. */
#ifndef MATCHPOINT_COMMON_STATE_HASH_H
#define MATCHPOINT_COMMON_STATE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mix.h"

struct state_hash {
	uint64_t word[2]; /* initially all zero */
};

static inline void state_hash_add(struct state_hash *hash, uint64_t value)
{
	hash->word[0] = mix(hash->word[0], value);
	hash->word[1] = mix(~hash->word[1], value * UINT64_C(0xd6e8feb86659fd93) + 1);
}

enum { STATE_HASH_LANES = 4, STATE_HASH_BLOCK = STATE_HASH_LANES * sizeof(uint64_t) /* bytes */ };

/* Four independent chains of two numbers each. Each step can be inverted, so a difference in one
 * word always changes the result. The number of blocks is not part of the hash. */
static inline void state_hash_add_blocks(struct state_hash *hash, const void *bytes, size_t count)
{
	uint64_t one[STATE_HASH_LANES] = {1, 2, 3, 4}, other[STATE_HASH_LANES] = {5, 6, 7, 8};
	const unsigned char *at = bytes;

	for (; count > 0; count--, at += STATE_HASH_BLOCK) {
		uint64_t words[STATE_HASH_LANES];

		memcpy(words, at, sizeof(words));
#pragma GCC unroll 4 /* so that the lanes stay in registers */
		for (int lane = 0; lane < STATE_HASH_LANES; lane++) {
			uint64_t mixed = (one[lane] ^ words[lane]) * UINT64_C(0x9e3779b97f4a7c15);
			uint64_t added = (other[lane] + words[lane]) * UINT64_C(0xd6e8feb86659fd93);

			one[lane] = mixed ^ mixed >> 32;
			other[lane] = added << 29 | added >> 35;
		}
	}
	for (int lane = 0; lane < STATE_HASH_LANES; lane++) {
		hash->word[0] = mix(hash->word[0], one[lane]);
		hash->word[1] = mix(hash->word[1], other[lane]);
	}
}

static inline void state_hash_add_bytes(struct state_hash *hash, const void *bytes, size_t size)
{
	const size_t blocks = size / STATE_HASH_BLOCK;
	const unsigned char *at = bytes;
	uint64_t word;

	state_hash_add(hash, size);
	if (blocks > 0)
		state_hash_add_blocks(hash, at, blocks);
	at += blocks * STATE_HASH_BLOCK;
	size -= blocks * STATE_HASH_BLOCK;
	for (; size > 0; at += sizeof(word)) {
		const size_t part = size < sizeof(word) ? size : sizeof(word);

		word = 0;
		memcpy(&word, at, part);
		state_hash_add(hash, word);
		size -= part;
	}
}

/* For a set without order: the sum of its members' hashes. */
static inline void state_hash_add_member(struct state_hash *sum, const struct state_hash *member)
{
	sum->word[0] += member->word[0];
	sum->word[1] += member->word[1];
}

static inline bool state_hash_equal(const struct state_hash *one, const struct state_hash *other)
{
	return one->word[0] == other->word[0] && one->word[1] == other->word[1];
}

/* For hash tables whose keys point to a struct state_hash. */
static inline unsigned state_key_hash(const void *key)
{
	return (unsigned)((const struct state_hash *)key)->word[0];
}

static inline int state_key_equal(const void *one, const void *other)
{
	return state_hash_equal((const struct state_hash *)one, (const struct state_hash *)other);
}

#endif
