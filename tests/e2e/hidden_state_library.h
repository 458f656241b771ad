/* A library with its own variable. */
#ifndef HIDDEN_STATE_LIBRARY_H
#define HIDDEN_STATE_LIBRARY_H

void library_keep(int number);
int library_kept(void);

#endif
