/* The signals by which people and batch systems end matchpoint: SIGINT, SIGTERM, SIGHUP. While
 * ranks run, and until the reports are written, a signal only requests the end. A process killed at
 * once would leave processes and shared memory behind, or lose its verdict. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INTERRUPTION_H
#define MATCHPOINT_SCHEDULER_SESSION_INTERRUPTION_H

#include <uv.h>

/* From now on the signals request the end. Signals ignored at the start stay ignored (nohup). A
 * second signal ends the process at once. While the process is held, it ends it within three
 * seconds in any case; the janitor cleans up then (janitor.h). */
void interruption_catch(void);

/* The last signal that requested the end; 0: none. SIGINT does not replace another one. */
int interruption_asked(void);

/* Forgets SIGINT: it was not meant for matchpoint. The others are kept, as they always are. */
void interruption_dismiss(void);

/* Between these two calls, which may be nested, a signal does not end the process at once. */
void interruption_hold(void);
void interruption_release(void);

/* Sends `async` at each signal, and now if one has arrived. Borrowed until the next call; NULL:
 * none. */
void interruption_watch(uv_async_t *async);

#endif
