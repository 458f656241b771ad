/* Ranks that are parked, restored, held, rewound, and that keep images: a part of the wire protocol
 * (wire.h), with its version and rules. Which message comes in which state is shown in
 * docs/internals/checkpoints.md. */
#ifndef MATCHPOINT_COMMON_WIRE_PARK_H
#define MATCHPOINT_COMMON_WIRE_PARK_H

#include <stdbool.h>
#include <stdint.h>

/* A shared mapping of a parked process, from /proc/self/maps. */
struct wire_mapping {
	uint64_t start, length, offset; /* bytes */
	uint64_t device, inode;
	uint32_t protection; /* PROT_* */
};

struct wire_parked {
	char *hazard;  /* why this process must not be restored from here; or empty */
	bool unshared; /* what a copy puts back outside of its memory is visible to nobody else */
	uint32_t count;
	struct wire_mapping *mappings;
};

struct wire_child {
	uint32_t world;
	int32_t pid;
	bool ended;
	int32_t status; /* as from waitpid; if `ended` */
};

/* Which file of the new world holds the clone of which mapping of the keeper:
 * `<directory>/clone.N`, where N is `file`, at the mapping's own offset. */
struct wire_clone {
	uint64_t start, length, offset;
	uint32_t protection;
	uint32_t file;
};

struct wire_restore {
	uint32_t world;
	int32_t rank;
	char *directory; /* of the new world; absolute */
	uint32_t count;
	struct wire_clone *clones;
	/* NULL or empty: none. The child writes itself to a file of `folder`, which builds on the
	 * checkpoint `base` there, and ends (ckpt/agent_disk.h). */
	char *folder, *base;
};

struct wire_held {
	bool unshared; /* it has opened nothing since it was parked */
	char *hazard;  /* why it cannot be rewound; or empty */
};

struct wire_image {
	bool goes_on; /* an idle rank may obey further orders; others wait for WELCOME */
};

#define WIRE_IMAGES_MAX (1u << 16) /* above any image number of a rank */

struct wire_imaged {
	uint32_t image; /* from 1; the same number again if the rank has not moved since; 0: none */
	bool idle; /* in this image the rank is idle, as in struct wire_state: it need not be asked
	              for another image, nor rewound to this one. WELCOME may come right before an
	              order that moves it */
	uint64_t bytes; /* size of all images that the rank keeps */
	char *hazard;   /* why there is none; or empty */
};

struct wire_rewind {
	uint32_t world;
	uint32_t image; /* 0: the rank's birth */
	bool follows;   /* WELCOME follows at once, and the rank's first orders */
};

#endif
