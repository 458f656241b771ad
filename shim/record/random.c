/* Sources of random numbers other than getrandom and the devices (inputs.c, devices.c). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "call.h"
#include "inputs.h"
#include "shim/mpi/next.h"

/* glibc has them since 2.36. */
uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
void arc4random_buf(void *buffer, size_t size);

INPUTS_GIVE(INPUTS_RANDOM, uint32_t, arc4random, (void), ())
INPUTS_GIVE(INPUTS_RANDOM, uint32_t, arc4random_uniform, (uint32_t bound), (bound))

EXPORTED void arc4random_buf(void *buffer, size_t size)
{
	if (!inputs_enter(INPUTS_RANDOM, __builtin_return_address(0))) {
		NEXT(arc4random_buf)(buffer, size);
		return;
	}
	if (!log_replaying)
		NEXT(arc4random_buf)(buffer, size);
	log_data(buffer, size);
	inputs_leave();
}

/* std::random_device::_M_getval of libstdc++, which mostly asks the processor itself. */
unsigned _ZNSt13random_device9_M_getvalEv(void *device);
INPUTS_GIVE(INPUTS_RANDOM, unsigned, _ZNSt13random_device9_M_getvalEv, (void *device), (device))
