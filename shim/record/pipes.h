/* Pipes and pairs of sockets that the program makes. What its first thread reads from them is in
 * the log (devices.h), since a child process may have written it. At replay they are there, too,
 * for other threads. */
#ifndef MATCHPOINT_SHIM_RECORD_PIPES_H
#define MATCHPOINT_SHIM_RECORD_PIPES_H

#include <stddef.h>
#include <sys/types.h>

/* Replaying: the log has given what this end of a pipe has. Takes as many bytes from the pipe, as
 * far as the program has written them itself. */
void pipes_skip(int file, size_t size);

/* As write(2) of the program. At replay it neither waits for a child nor fails. */
ssize_t pipes_write(int file, const void *bytes, size_t size);

#endif
