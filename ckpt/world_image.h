/* What the files in a world's directory hold (its shared memory, what its ranks have written), to
 * be put back into the same directory while the ranks that map them stand still. Two images in turn
 * share the pages that did not change.
 *
 * Functions that can fail return NULL or false and set `error`. */
#ifndef MATCHPOINT_CKPT_WORLD_IMAGE_H
#define MATCHPOINT_CKPT_WORLD_IMAGE_H

#include <glib.h>
#include <stdbool.h>

struct world_image;
struct world_files; /* world_files.h */

/* Bytes that it takes beside what it shares with the one before. */
guint64 world_image_bytes(const struct world_image *image);

/* `before` (NULL: none) is an image of a directory alike, for what both have in common. */
struct world_image *world_image_take(const char *directory, const struct world_image *before,
                                     struct world_files *files, GError **error);
void world_image_free(struct world_image *image); /* NULL is legal */

/* Files that are not in the image are removed; those that are gone make it impossible. */
bool world_image_put(const struct world_image *image, const char *directory,
                     struct world_files *files, GError **error);

#endif
