/* Images of a rank that waits in the gate, and going back to them (IMAGE, REWIND, FORGET of wire.h;
 * ckpt/agent_rewind.h). For the gate's orders.
 *
 * A rank that has not moved since its last image, or since it went back to one, is still what it
 * was then: it says so, and nothing is kept or put back. Whatever lets it move is to be told here.
 * One that is still need not even be asked, nor rewound: it stays what it is.
 */
#ifndef MATCHPOINT_SHIM_PARK_PARK_REWIND_H
#define MATCHPOINT_SHIM_PARK_PARK_REWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/wire.h"

/* An order was carried out that may have changed the rank, or MPI's progress was driven. */
void park_note_moved(void);
/* Whether nothing can have changed since the rank's state was looked at (park.h). */
bool park_is_unmoved(void);

/* It drives no progress until it moves, as it is about to tell; and whether that holds. */
void park_be_idle(void);
bool park_is_idle(void);

/* Upon IMAGE, in a rank that will be `still`: answers IMAGED, and waits for WELCOME unless it is
 * told to go on. Comes back once more, true, each time when the rank was rewound to that image,
 * with what it was welcomed with. */
bool park_take_image(const struct wire_image *order, bool idle, struct wire_welcome *ret_welcome);

/* Upon REWIND, at rest: comes back only if the rank is what it is to be, after WELCOME; else where
 * the image was taken, or the rank was parked. */
void park_rewind(const struct wire_rewind *order, struct wire_welcome *ret_welcome);

void park_forget_image(uint32_t image);

/* Aside: park.rewind is carried out; the process ends when it cannot be. */
void park_rewind_private_stack(void);

#endif
