/* The signals by which people and batch systems end matchpoint: SIGINT, SIGTERM, SIGHUP. While
 * ranks run, and until the reports are written, they ask it to end; killed at once it would leave
 * processes and shared memory behind, or a verdict untold. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INTERRUPTION_H
#define MATCHPOINT_SCHEDULER_SESSION_INTERRUPTION_H

#include <uv.h>

/* From here on the signals ask. What the process was started to ignore stays ignored (nohup). A
 * second one ends the process at once or, while it is held, within three seconds, whatever it does
 * then; what that leaves behind is the janitor's (janitor.h). */
void interruption_catch(void);

/* The last signal that asked; 0: none has. */
int interruption_asked(void);

/* It was meant for somebody else. */
void interruption_dismiss(void);

/* Between these two, which may be nested, the process must not be ended at once. */
void interruption_hold(void);
void interruption_release(void);

/* Is sent when a signal asks, and now if one has; borrowed until another is told, or NULL. */
void interruption_watch(uv_async_t *async);

#endif
