/* `matchpoint replay DIR`: the whole job of a recording, under control. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_REPLAY_RECORDING_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_REPLAY_RECORDING_H

/* The line names the folder of a recording. Returns the exit status. */
int command_replay_recording(int argc, char **argv);

#endif
