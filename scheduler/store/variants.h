/* Variants: findings that are one mistake. They have the same kind and the same places in the
 * program, with other ranks or partners. */
#ifndef MATCHPOINT_SCHEDULER_STORE_VARIANTS_H
#define MATCHPOINT_SCHEDULER_STORE_VARIANTS_H

#include <stdbool.h>

#include "reader_rows.h"

/* Sets the reader's mistakes, and the variants of each finding. */
bool variants_find(struct store_reader *reader, GError **error);

#endif
