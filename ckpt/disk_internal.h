/* What reading and writing of checkpoints on disk share (disk_folder.h). */
#ifndef MATCHPOINT_CKPT_DISK_INTERNAL_H
#define MATCHPOINT_CKPT_DISK_INTERNAL_H

#include <glib.h>
#include <stdbool.h>

#define DISK_MANIFEST "manifest"
#define DISK_MANIFEST_HEAD "matchpoint checkpoint 1"
#define DISK_WORLD "world"
#define DISK_FILES "files"
#define DISK_HISTORY "history"

/* Groups of the manifest. */
#define DISK_GROUP_OWN "own"       /* identities of the checkpoint's own files */
#define DISK_GROUP_MAPPED "mapped" /* identities of the program and its libraries */
#define DISK_GROUP_LINKS "links"   /* other names of files in the world */

/* Copies the files of a folder; holes stay holes. Of files that have several names there, the
 * first is copied; the others are added to `links` by name, with the name of the copy (NULL: all
 * are copied). */
bool disk_copy_folder(const char *from, const char *to, GKeyFile *links, GError **error);

#endif
