/* What tells whether a file is still the one that it was. */
#ifndef MATCHPOINT_CKPT_DISK_IDENTITY_H
#define MATCHPOINT_CKPT_DISK_IDENTITY_H

#include <glib.h>

/* Of an ELF file "build-id HEX", else "sha256 HEX" of its contents: its time says too much, its
 * size too little. NULL with `error` set (G_FILE_ERROR). Free with g_free. */
char *disk_identity_of(const char *path, GError **error);

/* The SHA-256 of a file's contents. As above. */
char *disk_identity_contents(const char *path, GError **error);

#endif
