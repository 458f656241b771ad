/* The log of one rank of a recording (docs/internals/recording.md): a file of blocks, and beside it
 * the block that is still open, in a file that the rank maps. Pure: bytes in, bytes out. libc only:
 * the recorder in the rank uses it, too. */
#ifndef MATCHPOINT_COMMON_RECORDING_H
#define MATCHPOINT_COMMON_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC 0x3152504du /* "MPR1" */

enum {
	RECORDING_VERSION = 2,
	RECORDING_BLOCK = 256 << 10,    /* bytes of records in an open block, at most */
	RECORDING_DATA_MOST = 64 << 20, /* bytes in a block of data alone, at most */
	RECORDING_FIELD = 16,           /* bytes that one number takes at most */
	RECORDING_RANKS_MOST = 1 << 24,
	RECORDING_REASON = 128, /* bytes */
};

/* Before the bytes of a block, in the file and in the tail. */
struct recording_block {
	uint32_t magic;
	uint32_t sequence;   /* from 0 */
	uint64_t size;       /* bytes that follow; of an open block: those of whole records */
	uint64_t first_call; /* number of the last call that had begun before it, plus 1 */
	uint64_t sum;        /* of the bytes that follow; 0 in the tail */
	uint64_t head_sum;   /* of the fields above; 0 in the tail */
	uint64_t unused[3];
};
_Static_assert(sizeof(struct recording_block) == 64, "");

/* Where a rank stands. It is written before the rank enters MPI, so a kill leaves it as it was. */
struct recording_place {
	uint64_t call;         /* number of the MPI call, from 1; 0: none yet */
	uint64_t site;         /* return address in the program */
	uint32_t function;     /* enum mpi_call */
	uint32_t inside;       /* 1: the call has begun and has not returned */
	int32_t peer, tag;     /* where the call has them, else RECORDING_NOTHING */
	uint32_t communicator; /* handle; 0: none */
	uint32_t ended;        /* 1: the process has reached its end and the log is whole */
	int32_t error;         /* errno; not 0: the log could not be written from `last_call` on */
	uint32_t refused; /* enum mpi_call that ended the program, because no log can hold it; 0 */
	char reason[RECORDING_REASON]; /* of that, cut if need be, with a final NUL */
	uint64_t last_call;            /* in which the log ends, where `error` is set */
};
#define RECORDING_NOTHING INT32_MIN

/* The file that the rank maps: this, then one block with room for RECORDING_BLOCK bytes. */
struct recording_tail {
	uint32_t magic, version;
	int32_t rank, pid;
	struct recording_place place;
	uint8_t unused[432 - sizeof(struct recording_place)];
	struct recording_block block;
};
_Static_assert(sizeof(struct recording_tail) % 64 == 0, "");
#define RECORDING_TAIL_SIZE (sizeof(struct recording_tail) + RECORDING_BLOCK)

/* --- numbers ------------------------------------------------------------------------------- */

/* Appends a number of up to 64 bits, 7 bits a byte. Returns the end; needs RECORDING_FIELD
 * bytes. */
static inline uint8_t *recording_put(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

/* Reads one. Returns its end; NULL: there is none before `end`. */
static inline const uint8_t *recording_get(const uint8_t *from, const uint8_t *end,
                                           uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned shift = 0; from < end && shift < 64; shift += 7) {
		const uint8_t byte = *from++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret_value = value;
			return from;
		}
	}
	return NULL;
}

/* Signed numbers, so that those near 0 are short. */
static inline uint64_t recording_fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t recording_unfold(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* 64 bits of hash. */
uint64_t recording_hash(const void *bytes, size_t size);
uint64_t recording_hash_more(uint64_t hash, const void *bytes, size_t size);

/* --- blocks -------------------------------------------------------------------------------- */

/* Sets magic and sums of a block whose other fields are set. */
void recording_seal(struct recording_block *block, const void *bytes);

enum recording_state {
	RECORDING_READING,
	RECORDING_OVER,    /* no block follows */
	RECORDING_DAMAGED, /* the next block is not what was written */
};

/* Reads blocks in order. Values; the bytes belong to the caller. */
struct recording_reader {
	const uint8_t *log, *tail; /* whole files; the tail may be NULL */
	size_t log_size, tail_size;
	size_t at;           /* of the next block in the log */
	uint32_t sequence;   /* of the next block */
	uint64_t first_call; /* of the present block; if damaged: of the last whole one */
	enum recording_state state;
	const uint8_t *bytes; /* of the present block */
	size_t size;
};

void recording_begin(struct recording_reader *reader, const void *log, size_t log_size,
                     const void *tail, size_t tail_size);
/* Goes to the next block. false: ->state says why. */
bool recording_next(struct recording_reader *reader);

/* The tail's place; NULL: this is no tail. */
const struct recording_place *recording_place_of(const void *tail, size_t size);

#endif
