/* The functions that the compiler calls for loads and stores (-fsanitize=thread; GCC 12 to 14,
 * Clang 14 to 19), in place of ThreadSanitizer's library. This file becomes
 * libmatchpoint_access.a, which is linked into the user's program. Without matchpoint, each call is
 * one test. It needs only libc, allocates nothing, takes no locks, and is safe in signal handlers.
 *
 * The linker sends calls of memcpy and its kin here (--wrap), since compilers do not instrument
 * them. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/direct_access.h"

#define EXPORTED __attribute__((visibility("default")))
#define SITE __builtin_return_address(0)

static struct direct_watch *watch; /* NULL: matchpoint does not control this process */

/* `matchpoint check` looks for this section in programs and libraries. */
__attribute__((section(DIRECT_SECTION), used)) static const char marker[] = "1";

static inline bool is_on_watched_page(uintptr_t address, size_t bytes)
{
	uintptr_t page = address >> DIRECT_PAGE_BITS,
		  last = (address + bytes - 1) >> DIRECT_PAGE_BITS;

	if (last - page >= DIRECT_PAGES)
		return true;
	for (; page <= last; page++)
		if (__atomic_load_n(&watch->pages[page % DIRECT_PAGES], __ATOMIC_RELAXED) > 0)
			return true;
	return false;
}

static inline void see(const volatile void *pointer, size_t bytes, unsigned kind, const void *site)
{
	uintptr_t address = (uintptr_t)pointer;

	if (__builtin_expect(watch != NULL, 0) && bytes > 0
	    && address < __atomic_load_n(&watch->high, __ATOMIC_RELAXED)
	    && address + bytes > __atomic_load_n(&watch->low, __ATOMIC_RELAXED)
	    && is_on_watched_page(address, bytes))
		watch->seen(address, bytes, kind, site);
}

/* Each instrumented object calls it before main, or when it is loaded. */
EXPORTED void __tsan_init(void);
EXPORTED void __tsan_init(void)
{
	if (!watch && matchpoint_direct_watch_1)
		watch = matchpoint_direct_watch_1();
}

/* --- loads and stores ------------------------------------------------------------------------- */

#define ACCESS(name, bytes, kind)                   \
	EXPORTED void __tsan_##name(void *address); \
	EXPORTED void __tsan_##name(void *address)  \
	{                                           \
		see(address, bytes, kind, SITE);    \
	}

#define ACCESSES(bytes)                                                        \
	ACCESS(read##bytes, bytes, DIRECT_READ)                                \
	ACCESS(write##bytes, bytes, DIRECT_WRITE)                              \
	ACCESS(read_write##bytes, bytes, DIRECT_READ | DIRECT_WRITE)           \
	ACCESS(unaligned_read##bytes, bytes, DIRECT_READ)                      \
	ACCESS(unaligned_write##bytes, bytes, DIRECT_WRITE)                    \
	ACCESS(unaligned_read_write##bytes, bytes, DIRECT_READ | DIRECT_WRITE) \
	ACCESS(volatile_read##bytes, bytes, DIRECT_READ)                       \
	ACCESS(volatile_write##bytes, bytes, DIRECT_WRITE)                     \
	ACCESS(unaligned_volatile_read##bytes, bytes, DIRECT_READ)             \
	ACCESS(unaligned_volatile_write##bytes, bytes, DIRECT_WRITE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ACCESS(vptr_read, sizeof(void *), DIRECT_READ)

EXPORTED void __tsan_vptr_update(void **address, void *value);
EXPORTED void __tsan_vptr_update(void **address, void *value)
{
	(void)value;
	see(address, sizeof(*address), DIRECT_WRITE, SITE);
}

#define RANGE(name, kind)                                                 \
	EXPORTED void __tsan_##name##_range(void *address, size_t bytes); \
	EXPORTED void __tsan_##name##_range(void *address, size_t bytes)  \
	{                                                                 \
		see(address, bytes, kind, SITE);                          \
	}

RANGE(read, DIRECT_READ)
RANGE(write, DIRECT_WRITE)

/* --- what needs no action --------------------------------------------------------------------- */

EXPORTED void __tsan_func_entry(void *caller);
EXPORTED void __tsan_func_entry(void *caller)
{
	(void)caller;
}

#define NOTHING(name)                      \
	EXPORTED void __tsan_##name(void); \
	EXPORTED void __tsan_##name(void)  \
	{                                  \
	}

NOTHING(func_exit)
NOTHING(ignore_thread_begin)
NOTHING(ignore_thread_end)

#define NOTHING_WITH(name)                         \
	EXPORTED void __tsan_##name(void *object); \
	EXPORTED void __tsan_##name(void *object)  \
	{                                          \
		(void)object;                      \
	}

NOTHING_WITH(acquire)
NOTHING_WITH(release)

/* --- atomic operations, which the functions must carry out as well ---------------------------- */

/* The strongest order fits every argument. */
#define ORDER __ATOMIC_SEQ_CST
#define ALL (DIRECT_READ | DIRECT_WRITE | DIRECT_ATOMIC)

#define UPDATE(bits, type, name, operation)                                                   \
	EXPORTED type __tsan_atomic##bits##_##name(volatile type *at, type value, int order); \
	EXPORTED type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)  \
	{                                                                                     \
		(void)order;                                                                  \
		see(at, sizeof(*at), ALL, SITE);                                              \
		return operation(at, value, ORDER);                                           \
	}

#define SWAP(bits, type, name)                                                                \
	EXPORTED int __tsan_atomic##bits##_compare_exchange_##name(                           \
		volatile type *at, type *expected, type value, int order, int failure);       \
	EXPORTED int __tsan_atomic##bits##_compare_exchange_##name(                           \
		volatile type *at, type *expected, type value, int order, int failure)        \
	{                                                                                     \
		(void)order;                                                                  \
		(void)failure;                                                                \
		see(at, sizeof(*at), ALL, SITE);                                              \
		return __atomic_compare_exchange_n(at, expected, value, false, ORDER, ORDER); \
	}

#define ATOMICS(bits, type)                                                                  \
	EXPORTED type __tsan_atomic##bits##_load(const volatile type *at, int order);        \
	EXPORTED type __tsan_atomic##bits##_load(const volatile type *at, int order)         \
	{                                                                                    \
		(void)order;                                                                 \
		see(at, sizeof(*at), DIRECT_READ | DIRECT_ATOMIC, SITE);                     \
		return __atomic_load_n(at, ORDER);                                           \
	}                                                                                    \
	EXPORTED void __tsan_atomic##bits##_store(volatile type *at, type value, int order); \
	EXPORTED void __tsan_atomic##bits##_store(volatile type *at, type value, int order)  \
	{                                                                                    \
		(void)order;                                                                 \
		see(at, sizeof(*at), DIRECT_WRITE | DIRECT_ATOMIC, SITE);                    \
		__atomic_store_n(at, value, ORDER);                                          \
	}                                                                                    \
	EXPORTED type __tsan_atomic##bits##_compare_exchange_val(                            \
		volatile type *at, type expected, type value, int order, int failure);       \
	EXPORTED type __tsan_atomic##bits##_compare_exchange_val(                            \
		volatile type *at, type expected, type value, int order, int failure)        \
	{                                                                                    \
		(void)order;                                                                 \
		(void)failure;                                                               \
		see(at, sizeof(*at), ALL, SITE);                                             \
		__atomic_compare_exchange_n(at, &expected, value, false, ORDER, ORDER);      \
		return expected;                                                             \
	}                                                                                    \
	SWAP(bits, type, strong)                                                             \
	SWAP(bits, type, weak)                                                               \
	UPDATE(bits, type, exchange, __atomic_exchange_n)                                    \
	UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                    \
	UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                    \
	UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                    \
	UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                      \
	UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                    \
	UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

#ifdef __x86_64__
/* The processor has one instruction for 16 bytes, cmpxchg16b. All others are made of it. */
typedef unsigned __int128 wide;

__attribute__((target("cx16"))) static wide swap_wide(volatile wide *at, wide expected, wide value)
{
	return __sync_val_compare_and_swap(at, expected, value);
}

enum wide_operation { SET, ADD, SUB, AND, OR, XOR, NAND };

static wide apply(enum wide_operation operation, wide old, wide value)
{
	switch (operation) {
	case ADD: return old + value;
	case SUB: return old - value;
	case AND: return old & value;
	case OR: return old | value;
	case XOR: return old ^ value;
	case NAND: return ~(old & value);
	default: return value;
	}
}

static wide update_wide(volatile wide *at, enum wide_operation operation, wide value)
{
	wide old = swap_wide(at, 0, 0), seen;

	while ((seen = swap_wide(at, old, apply(operation, old, value))) != old)
		old = seen;
	return old;
}

#define UPDATE_WIDE(name, operation)                                                     \
	EXPORTED wide __tsan_atomic128_##name(volatile wide *at, wide value, int order); \
	EXPORTED wide __tsan_atomic128_##name(volatile wide *at, wide value, int order)  \
	{                                                                                \
		(void)order;                                                             \
		see(at, sizeof(*at), ALL, SITE);                                         \
		return update_wide(at, operation, value);                                \
	}

UPDATE_WIDE(exchange, SET)
UPDATE_WIDE(fetch_add, ADD)
UPDATE_WIDE(fetch_sub, SUB)
UPDATE_WIDE(fetch_and, AND)
UPDATE_WIDE(fetch_or, OR)
UPDATE_WIDE(fetch_xor, XOR)
UPDATE_WIDE(fetch_nand, NAND)

EXPORTED wide __tsan_atomic128_load(const volatile wide *at, int order);
EXPORTED wide __tsan_atomic128_load(const volatile wide *at, int order)
{
	(void)order;
	see(at, sizeof(*at), DIRECT_READ | DIRECT_ATOMIC, SITE);
	return swap_wide((volatile wide *)at, 0, 0);
}

EXPORTED void __tsan_atomic128_store(volatile wide *at, wide value, int order);
EXPORTED void __tsan_atomic128_store(volatile wide *at, wide value, int order)
{
	(void)order;
	see(at, sizeof(*at), DIRECT_WRITE | DIRECT_ATOMIC, SITE);
	update_wide(at, SET, value);
}

#define SWAP_WIDE(name)                                                                            \
	EXPORTED int __tsan_atomic128_compare_exchange_##name(volatile wide *at, wide *expected,   \
	                                                      wide value, int order, int failure); \
	EXPORTED int __tsan_atomic128_compare_exchange_##name(volatile wide *at, wide *expected,   \
	                                                      wide value, int order, int failure)  \
	{                                                                                          \
		wide old = *expected;                                                              \
                                                                                                   \
		(void)order;                                                                       \
		(void)failure;                                                                     \
		see(at, sizeof(*at), ALL, SITE);                                                   \
		*expected = swap_wide(at, old, value);                                             \
		return *expected == old;                                                           \
	}

SWAP_WIDE(strong)
SWAP_WIDE(weak)

EXPORTED wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected, wide value,
                                                    int order, int failure);
EXPORTED wide __tsan_atomic128_compare_exchange_val(volatile wide *at, wide expected, wide value,
                                                    int order, int failure)
{
	(void)order;
	(void)failure;
	see(at, sizeof(*at), ALL, SITE);
	return swap_wide(at, expected, value);
}
#endif

EXPORTED void __tsan_atomic_thread_fence(int order);
EXPORTED void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(ORDER);
}

EXPORTED void __tsan_atomic_signal_fence(int order);
EXPORTED void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(ORDER);
}

/* --- functions of the C library that read and write memory ------------------------------------ */

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int byte, size_t bytes);
int __real_memcmp(const void *one, const void *other, size_t bytes);
char *__real_strcpy(char *to, const char *from);
char *__real_strncpy(char *to, const char *from, size_t most);

/* The real functions that check the room have the same names with _chk. */
void *__real___memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__real___memmove_chk(void *to, const void *from, size_t bytes, size_t room);
void *__real___memset_chk(void *to, int byte, size_t bytes, size_t room);

static inline void see_copy(const void *to, const void *from, size_t bytes, const void *site)
{
	see(from, bytes, DIRECT_READ, site);
	see(to, bytes, DIRECT_WRITE, site);
}

#define COPY(name, real)                                               \
	EXPORTED void *name(void *to, const void *from, size_t bytes); \
	EXPORTED void *name(void *to, const void *from, size_t bytes)  \
	{                                                              \
		see_copy(to, from, bytes, SITE);                       \
		return real(to, from, bytes);                          \
	}

/* Clang calls the first of each pair (from 16 on), the program the second. */
COPY(__tsan_memcpy, __real_memcpy)
COPY(__wrap_memcpy, __real_memcpy)
COPY(__tsan_memmove, __real_memmove)
COPY(__wrap_memmove, __real_memmove)

#define SET_MEMORY(name)                                       \
	EXPORTED void *name(void *to, int byte, size_t bytes); \
	EXPORTED void *name(void *to, int byte, size_t bytes)  \
	{                                                      \
		see(to, bytes, DIRECT_WRITE, SITE);            \
		return __real_memset(to, byte, bytes);         \
	}

SET_MEMORY(__tsan_memset)
SET_MEMORY(__wrap_memset)

#define COPY_CHECKED(name)                                                             \
	EXPORTED void *__wrap___##name##_chk(void *to, const void *from, size_t bytes, \
	                                     size_t room);                             \
	EXPORTED void *__wrap___##name##_chk(void *to, const void *from, size_t bytes, \
	                                     size_t room)                              \
	{                                                                              \
		see_copy(to, from, bytes, SITE);                                       \
		return __real___##name##_chk(to, from, bytes, room);                   \
	}

COPY_CHECKED(memcpy)
COPY_CHECKED(memmove)

EXPORTED void *__wrap___memset_chk(void *to, int byte, size_t bytes, size_t room);
EXPORTED void *__wrap___memset_chk(void *to, int byte, size_t bytes, size_t room)
{
	see(to, bytes, DIRECT_WRITE, SITE);
	return __real___memset_chk(to, byte, bytes, room);
}

EXPORTED int __wrap_memcmp(const void *one, const void *other, size_t bytes);
EXPORTED int __wrap_memcmp(const void *one, const void *other, size_t bytes)
{
	see(one, bytes, DIRECT_READ, SITE);
	see(other, bytes, DIRECT_READ, SITE);
	return __real_memcmp(one, other, bytes);
}

EXPORTED char *__wrap_strcpy(char *to, const char *from);
EXPORTED char *__wrap_strcpy(char *to, const char *from)
{
	see_copy(to, from, strlen(from) + 1, SITE);
	return __real_strcpy(to, from);
}

EXPORTED char *__wrap_strncpy(char *to, const char *from, size_t most)
	__attribute__((nonnull(1, 2)));
EXPORTED char *__wrap_strncpy(char *to, const char *from, size_t most)
{
	size_t length = strnlen(from, most);

	see(from, length < most ? length + 1 : most, DIRECT_READ, SITE);
	see(to, most, DIRECT_WRITE, SITE);
	return __real_strncpy(to, from, most);
}
