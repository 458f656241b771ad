/* Folders of matchpoint's own that are not needed any more. */
#ifndef MATCHPOINT_CKPT_REMOVE_TREE_H
#define MATCHPOINT_CKPT_REMOVE_TREE_H

#include <stdbool.h>

/* Removes a folder with all that is in it; symbolic links are not followed. Returns whether nothing
 * is left, else errno is set. */
bool remove_tree(const char *path);

#endif
