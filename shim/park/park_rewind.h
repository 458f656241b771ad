/* Images of a rank that waits in the gate, and going back to them (IMAGE, REWIND, FORGET of wire.h;
 * ckpt/agent_rewind.h). For the gate's orders.
 *
 * A rank that has not moved since its last image, or since it went back to one, still equals it: it
 * reports that image, and copies nothing. Whatever may move the rank must call park_note_moved. An
 * idle rank need not be asked or rewound at all. */
#ifndef MATCHPOINT_SHIM_PARK_PARK_REWIND_H
#define MATCHPOINT_SHIM_PARK_PARK_REWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* An order that may change the rank was carried out, or MPI's progress was driven. */
void park_note_moved(void);
/* Whether nothing can have changed since the rank's state was read (park.h). */
bool park_is_unmoved(void);

/* The rank becomes idle, and is about to report that: it drives no progress until it moves.
 * park_is_idle: whether it still is. */
void park_be_idle(void);
bool park_is_idle(void);

/* For IMAGE; `idle`: the rank becomes idle. Answers IMAGED, and waits for WELCOME unless the order
 * says goes_on. false. Returns again, with true, each time the rank is rewound to this image;
 * ret_welcome is then the new welcome. */
bool park_take_image(const struct wire_image *order, bool idle, struct wire_welcome *ret_welcome);

/* For REWIND, while the rank waits. Returns only if the rank equals the image already, after
 * WELCOME. Else execution continues where the image was taken, or the rank was parked. */
void park_rewind(const struct wire_rewind *order, struct wire_welcome *ret_welcome);

void park_forget_image(uint32_t image);

/* On the private stack: carries out park.rewind. The process ends if that fails. */
void park_rewind_private_stack(void);

#endif
