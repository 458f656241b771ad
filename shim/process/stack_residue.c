#define _GNU_SOURCE
#include "stack_residue.h"

#include <stdlib.h>
#include <sys/resource.h>

struct memory_range stack_residue_range = {UINTPTR_MAX, 0};

static struct memory_range wanted_range = {UINTPTR_MAX, 0};

void stack_residue_start(void)
{
	enum {
		MOST = 8 << 20,   /* bytes, also of a stack without a limit */
		SPARE = 64 << 10, /* this near to the end of the stack nothing is cleared */
	};
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur > MOST)
		limit.rlim_cur = MOST;
	if (limit.rlim_cur > SPARE)
		wanted_range = (struct memory_range){here - limit.rlim_cur + SPARE, here};
	if (getenv("MATCHPOINT_STEADY"))
		stack_residue_want();
}

void stack_residue_want(void)
{
	stack_residue_range = wanted_range;
}

/* In C, the compiler would leave gaps in the frame. The depth is 16 KB: what functions that poll,
 * and those that they call, may have. */
__asm__(".pushsection .text\n"
        ".globl stack_residue_clear_below\n"
        ".hidden stack_residue_clear_below\n"
        ".type stack_residue_clear_below, @function\n"
        "stack_residue_clear_below:\n"
        "	.cfi_startproc\n"
        "	sub $16384, %rsp\n"
        "	.cfi_adjust_cfa_offset 16384\n"
        "	mov %rsp, %rdi\n"
        "	mov $2048, %ecx\n"
        "	xor %eax, %eax\n"
        "	rep stosq\n"
        "	add $16384, %rsp\n"
        "	.cfi_adjust_cfa_offset -16384\n"
        "	ret\n"
        "	.cfi_endproc\n"
        ".size stack_residue_clear_below, . - stack_residue_clear_below\n"
        ".popsection\n");
