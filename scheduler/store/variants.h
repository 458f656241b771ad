/* Findings that are one mistake: of one kind and at the same places of the program, though other
 * ranks stand there, or wait for others. */
#ifndef MATCHPOINT_SCHEDULER_STORE_VARIANTS_H
#define MATCHPOINT_SCHEDULER_STORE_VARIANTS_H

#include <stdbool.h>

#include "reader_rows.h"

/* Fills the reader's mistakes, and what findings tell of their variants. */
bool variants_find(struct store_reader *reader, GError **error);

#endif
