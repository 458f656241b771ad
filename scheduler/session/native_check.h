/* --native: runs the program once without control, and compares with the interleavings how it ends
 * and what it prints. What only that run shows is a finding, `native-differs`: a mistake of MPI
 * itself, in calls that matchpoint carries out in another way, or one of the program's that control
 * hides.
 *
 * It runs after all interleavings, when the program's files are as they were before; its own
 * changes to files stay. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_NATIVE_CHECK_H
#define MATCHPOINT_SCHEDULER_SESSION_NATIVE_CHECK_H

struct session;

/* Call it when the verdict's limits are known, before it is stored. */
void native_check(struct session *session);

/* Adds the finding, with this message. */
void native_check_add(struct session *session, const char *message);

#endif
