/* Carries out the scheduler's orders: the table for gate_open. */
#ifndef MATCHPOINT_SHIM_LIFECYCLE_ORDERS_H
#define MATCHPOINT_SHIM_LIFECYCLE_ORDERS_H

#include "shim/gate/gate.h"

extern const struct gate_orders orders;

#endif
