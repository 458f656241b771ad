/* Child processes of the program: they run when it is recorded (outside.h). */
#ifndef MATCHPOINT_SHIM_RECORD_CHILDREN_H
#define MATCHPOINT_SHIM_RECORD_CHILDREN_H

#include "outside.h"

/* Within outside_logs: a command is compared with the recorded one. */
void children_compare(const struct outside_call *call, const char *command);

/* Forked processes are not recorded. */
void children_start(void);

#endif
