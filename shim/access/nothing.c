/* Stands in for what GCC links with -fsanitize=thread: libtsan.a and libtsan_preinit.o. */
typedef int nothing;
