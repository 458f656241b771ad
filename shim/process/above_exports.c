/* What the recorder calls. The recorder itself has the rest of above.h, too, but not this. */
#include "above.h"
#include "stack_residue.h"

#define EXPORTED __attribute__((visibility("default")))

above_stand_function matchpoint_stand_above;
above_clear_function matchpoint_clear_above;

EXPORTED void matchpoint_stand_above(above_call_function *call)
{
	above_call = call;
}

EXPORTED void matchpoint_clear_above(void)
{
	if (stack_residue_has((uintptr_t)__builtin_frame_address(0)))
		stack_residue_clear_below();
}
