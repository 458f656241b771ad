/* A separate library (libmatchpoint-heap.so), preloaded beside the shim, unless the program is
 * built with AddressSanitizer. It replaces malloc: MPI's libraries and the shim get blocks from a
 * separate mapping. Their data depends on the past in ways that do not matter to the program, so
 * it is left out of a state (state.h). The return address of the call shows who asks; who frees a
 * block does not matter. All others get memory from the C library. It also sees what is mapped and
 * given back.
 *
 * MPI's libraries are the MPI library and the libraries that only it is linked with. A library that
 * anything else is linked with belongs to the program. */
#ifndef MATCHPOINT_SHIM_STATE_HEAP_H
#define MATCHPOINT_SHIM_STATE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "shim/process/memory_range.h"

/* The shim finds the functions under these names (dlsym), and also works without the library.
 *
 * heap_know: examines the loaded libraries; `guest` is an address in the shim's code. false: no MPI
 * library is loaded, or the separate mapping does not exist. heap_left_out: stores the ranges that
 * hold data of MPI's libraries, the shim and this library, with thread-local data of the calling
 * thread, the separate mapping, and what MPI's libraries have mapped. Returns their number; -1:
 * more than `most`. heap_apart: the separate mapping, which the kernel gives no large pages; false:
 * there is none. heap_note: memory is MPI's, or is not any more; `size` in bytes. heap_watch:
 * while `*wanted` is not 0, `freed` is called before memory is given back, in any thread. */
#define HEAP_KNOW "matchpoint_heap_know"
#define HEAP_LEFT_OUT "matchpoint_heap_left_out"
#define HEAP_APART "matchpoint_heap_apart"
#define HEAP_NOTE "matchpoint_heap_note"
#define HEAP_WATCH "matchpoint_heap_watch"
typedef bool heap_know_function(const void *guest);
typedef int heap_left_out_function(struct memory_range *ranges, int most);
typedef bool heap_apart_function(struct memory_range *ret);
typedef void heap_note_function(uintptr_t start, size_t size, bool is_mpis);
typedef void heap_freed_function(uintptr_t start, uintptr_t end);
typedef void heap_watch_function(const int *wanted, heap_freed_function *freed);

#endif
