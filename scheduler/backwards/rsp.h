/* Packets of gdb's remote serial protocol (gdb's manual, "Remote Protocol"), as bytes. Pure. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_RSP_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_RSP_H

#include <glib.h>
#include <stdbool.h>

/* The largest packet that is read, in bytes; a longer one is an error. gdb is told. */
#define RSP_LARGEST 0x20000

enum rsp_item {
	RSP_MORE,      /* not yet complete */
	RSP_PACKET,    /* a packet; `ret_data` is its content */
	RSP_INTERRUPT, /* the byte 3: the user pressed Ctrl-C */
	RSP_DAMAGED,   /* a packet with a wrong checksum, to be asked for again */
	RSP_TOO_LONG,  /* more than RSP_LARGEST bytes without an end */
};

/* Takes the first item off the buffer. Acknowledgements, and bytes between packets, are skipped.
 * Escapes and run-length encoding in the packet are resolved. `ret_data` is emptied first. */
enum rsp_item rsp_take(GByteArray *buffer, GString *ret_data);

/* Appends the packet: $, the data with escapes, # and the checksum. */
void rsp_frame(GString *out, const char *data, gsize length);

/* Numbers in hexadecimal. rsp_read_hex reads at *text and moves it behind the last digit; false: no
 * digit is there, or more than 16 are. */
bool rsp_read_hex(const char **text, guint64 *ret_value);
/* The bytes in hexadecimal, in the order of memory. */
void rsp_append_hex(GString *out, const void *bytes, gsize count);
/* The bytes that the digits stand for, until the first character that is none. */
void rsp_append_bytes(GByteArray *out, const char *digits);

#endif
