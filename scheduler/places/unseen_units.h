/* Source files of a program that were compiled without the hooks for loads and stores
 * (shim/access/hooks.c), by the options that the compiler has recorded (DW_AT_producer). Only GCC's
 * compilers record them. */
#ifndef MATCHPOINT_SCHEDULER_PLACES_UNSEEN_UNITS_H
#define MATCHPOINT_SCHEDULER_PLACES_UNSEEN_UNITS_H

#include <glib.h>

/* Appends their base names (char *, owned by the array) for this program or library. Nothing if it
 * has no debugging information. */
void unseen_units_add(const char *file, GPtrArray *ret);

#endif
