/* Devices and files of the kernel: /dev/urandom, /proc, /sys. They give something else each time,
 * so what the program reads from them is in the log. Only files that are opened for reading. */
#ifndef MATCHPOINT_SHIM_RECORD_DEVICES_H
#define MATCHPOINT_SHIM_RECORD_DEVICES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Whether what is read from this file is to be in the log. */
bool devices_has(const char *path);
/* As open with O_RDONLY and `flags`; `site`: where the program calls from. At replay the descriptor
 * is that of an empty file. */
int devices_open(const void *site, const char *path, int flags);
/* As fopen. The descriptor is what fileno tells, but the stream is not the C library's own. */
FILE *devices_stream(const void *site, const char *path, const char *mode);

/* What is read from this descriptor is in the log from here on, until it is closed. */
void devices_mark(int file, const void *site);
/* The same for an end of a pipe. The pipe is there at replay, too, for what the program itself
 * writes. */
void devices_mark_pipe(int file, const void *site);
bool devices_is_marked(int file);
bool devices_is_pipe(int file);
/* After inputs_enter: what was read into these parts goes to the log, or is given from it. `got`:
 * bytes, or -1 with errno. Returns the same, as recorded, and calls inputs_leave. */
ssize_t devices_given(int file, ssize_t got, const struct iovec *parts, int count);
void devices_forget(int file);
void devices_forget_all(void);

#endif
