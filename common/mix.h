/* Mixes numbers into one, for hash tables and for numbers that all ranks must compute alike. A
 * difference in one bit changes about half of the bits (the finalizer of splitmix64; Steele, Lea,
 * Flood 2014). Header only, libc only: the shim uses it, too. */
#ifndef MATCHPOINT_COMMON_MIX_H
#define MATCHPOINT_COMMON_MIX_H

#include <stdint.h>

static inline uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
	hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
	return hash ^ (hash >> 31);
}

#endif
