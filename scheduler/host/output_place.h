/* Where the output of ranks is kept while an interleaving runs: out.RANK and err.RANK in the
 * directory of its world, in shared memory. That is fastest, and too little for large output. So
 * output is moved to a disk once it is known to be large: in worlds that begin from then on, these
 * names are links to files in a directory on the disk (ckpt/world_output.h). Descriptors of ranks
 * keep the files that they have, so worlds that run are not changed.
 *
 * The directory on the disk has the name of the run directory and lies in that of the store, or in
 * that for temporary files. It is locked and cleaned up like the run directory. */
#ifndef MATCHPOINT_SCHEDULER_HOST_OUTPUT_PLACE_H
#define MATCHPOINT_SCHEDULER_HOST_OUTPUT_PLACE_H

#include <glib.h>
#include <stdbool.h>

#include "run_directory.h"

/* Bytes that the ranks of one world may print before output is moved to the disk. */
#define OUTPUT_PLACE_MOST ((guint64)4 << 20)

struct output_place;

/* `store`: the directory of the store, which exists; NULL: there is none. Makes nothing yet. `run`
 * must outlive it. */
struct output_place *output_place_new(const struct run_directory *run, int ranks,
                                      const char *store);
/* Removes what was made. NULL is legal here and below, except in output_place_file: output stays in
 * the directories of worlds. */
void output_place_free(struct output_place *place);

/* Returns the path of the directory on the disk, whether it was made or not. It is absolute and has
 * no links in it. NULL: there is none. */
const char *output_place_path(const struct output_place *place);

/* Moves output to the disk in worlds that begin from now on. Returns false if that is not possible,
 * or of no use because the run directory is on the same file system; then nothing changes. */
bool output_place_use_disk(struct output_place *place);

/* Returns a path for output that is not a world's, on the disk if possible; free with g_free. */
char *output_place_file(struct output_place *place, const char *name);

/* A world begins in this directory, a new one or one whose ranks are all rewound. If output is kept
 * on the disk, gives the directory the links, in place of files that are there. Returns false with
 * `error` set. */
bool output_place_begin(struct output_place *place, const char *directory, GError **error);

/* The directory of a world has been renamed, to this one. Returns false with `error` set. */
bool output_place_renamed(struct output_place *place, const char *directory, guint32 before,
                          GError **error);

/* The directory of a world was removed. */
void output_place_remove(struct output_place *place, guint32 world);

#endif
