/* Functions of the sanitizers' run-time library (sanitizer/asan_interface.h and lsan_interface.h of
 * GCC and Clang). They are NULL in a program without. */
#ifndef MATCHPOINT_SHIM_PROCESS_SANITIZER_INTERFACE_H
#define MATCHPOINT_SHIM_PROCESS_SANITIZER_INTERFACE_H

extern void __asan_init(void) __attribute__((weak));
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
extern void __lsan_do_leak_check(void) __attribute__((weak));

#endif
