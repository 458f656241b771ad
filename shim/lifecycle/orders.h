/* How the scheduler's orders are carried out: the gate's table, filled in by those that call it. */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_ORDERS_H
#define MATCHPOINT_SHIM_LIFECYCLE_ORDERS_H

#include "shim/gate/gate.h"

extern const struct gate_orders orders;

#endif
