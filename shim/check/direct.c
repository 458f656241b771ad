#define _GNU_SOURCE
#include "direct.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "common/direct_access.h"
#include "overlap.h"
#include "shim/gate/gate.h"
#include "shim/process/process.h"
#include "shim/types/bytes.h"
#include "window_memory.h"

enum {
	SITES = 1 << 11, /* places in the program between two calls; a power of two */
	INTERVALS = 1 << 15,
	STEPS_MAX = 1 << 14, /* of one part */
	ROUNDS = 4,
};

/* Accesses of one kind from one place. */
struct site {
	const void *address; /* NULL: not used */
	unsigned kind;
	uint32_t latest; /* index of its latest interval */
};

struct span {
	uint32_t site; /* index */
	uintptr_t low, high;
};

/* The hooks call from any thread and from signal handlers. So nothing is allocated, and a thread
 * never waits for a lock that it has itself. */
static struct {
	bool used;
	int lock;
	uint32_t site_count, span_count;
	bool lost; /* some access was not gathered */
	struct site sites[SITES];
	struct span spans[INTERVALS];
} direct;

static struct direct_watch watch = {.low = UINTPTR_MAX};

/* This thread has the lock. */
static _Thread_local bool is_inside __attribute__((tls_model("initial-exec")));

static void lock_direct(void)
{
	is_inside = true;
	while (__atomic_exchange_n(&direct.lock, 1, __ATOMIC_ACQUIRE) != 0)
		sched_yield();
}

static void unlock_direct(void)
{
	__atomic_store_n(&direct.lock, 0, __ATOMIC_RELEASE);
	is_inside = false;
}

/* --- gathering ------------------------------------------------------------------------------ */

static bool span_is_below(const struct span *one, const struct span *other)
{
	return one->site != other->site ? one->site < other->site : one->low < other->low;
}

static void sift_down(struct span *spans, uint32_t root, uint32_t count)
{
	for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
		struct span moved = spans[root];

		if (child + 1 < count && span_is_below(&spans[child], &spans[child + 1]))
			child++;
		if (!span_is_below(&moved, &spans[child]))
			return;
		spans[root] = spans[child];
		spans[child] = moved;
	}
}

/* Heapsort: qsort may allocate. */
static void sort_spans(struct span *spans, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift_down(spans, i, count);
	for (uint32_t last = count; last-- > 1;) {
		struct span moved = spans[0];

		spans[0] = spans[last];
		spans[last] = moved;
		sift_down(spans, 0, last);
	}
}

/* Sorts the intervals by place and address, and joins those that touch. */
static void join_spans(void)
{
	uint32_t kept = 0;

	sort_spans(direct.spans, direct.span_count);
	for (uint32_t i = 0; i < direct.span_count; i++) {
		const struct span *span = &direct.spans[i];
		struct span *last = kept > 0 ? &direct.spans[kept - 1] : NULL;

		if (last && last->site == span->site && span->low <= last->high) {
			if (span->high > last->high)
				last->high = span->high;
			continue;
		}
		direct.sites[span->site].latest = kept;
		direct.spans[kept++] = *span;
	}
	direct.span_count = kept;
}

/* NULL: there are too many. */
static struct site *find_site(const void *address, unsigned kind)
{
	uint32_t at = (uint32_t)(((uintptr_t)address * 0x9e3779b97f4a7c15u) >> 40) ^ kind;

	for (;; at++) {
		struct site *site = &direct.sites[at % SITES];

		if (site->address == address && site->kind == kind)
			return site;
		if (site->address)
			continue;
		if (direct.site_count == SITES * 3 / 4)
			return NULL;
		direct.site_count++;
		*site = (struct site){address, kind, UINT32_MAX};
		return site;
	}
}

static bool extend(struct span *span, uintptr_t low, uintptr_t high)
{
	if (low > span->high || high < span->low)
		return false;
	if (low < span->low)
		span->low = low;
	if (high > span->high)
		span->high = high;
	return true;
}

static void gather(uintptr_t low, uintptr_t high, unsigned kind, const void *address)
{
	struct site *site = find_site(address, kind);

	if (site && site->latest < direct.span_count
	    && extend(&direct.spans[site->latest], low, high))
		return;
	if (direct.span_count == INTERVALS)
		join_spans();
	if (!site || direct.span_count > INTERVALS * 3 / 4) {
		direct.lost = true;
		return;
	}
	site->latest = direct.span_count;
	direct.spans[direct.span_count++] = (struct span){(uint32_t)(site - direct.sites), low,
	                                                  high};
}

static void see(uintptr_t address, size_t bytes, unsigned kind, const void *site)
{
	if (process_is_in_call() || !process_is_controlled())
		return;
	if (is_inside) {
		direct.lost = true; /* in a signal handler */
		return;
	}
	lock_direct();
	gather(address, address + bytes, kind, site);
	unlock_direct();
}

/* --- which memory is watched ---------------------------------------------------------------- */

struct direct_watch *matchpoint_direct_watch_1(void)
{
	if (!process_is_managed())
		return NULL;
	if (!direct.used) {
		direct.used = true;
		watch.seen = see;
		window_memory_watch();
	}
	return &watch;
}

bool direct_is_used(void)
{
	return direct.used;
}

static void count_pages(uintptr_t low, uintptr_t high, uint32_t change)
{
	uintptr_t first = low >> DIRECT_PAGE_BITS, last = (high - 1) >> DIRECT_PAGE_BITS;

	if (last - first >= DIRECT_PAGES)
		last = first + DIRECT_PAGES - 1;
	for (; first <= last; first++)
		__atomic_fetch_add(&watch.pages[first % DIRECT_PAGES], change, __ATOMIC_RELAXED);
}

/* The limits only grow, so they need no list of what is watched. */
void direct_watch(uintptr_t low, uintptr_t high)
{
	if (!direct.used || low >= high)
		return;
	lock_direct();
	if (low < watch.low)
		__atomic_store_n(&watch.low, low, __ATOMIC_RELAXED);
	if (high > watch.high)
		__atomic_store_n(&watch.high, high, __ATOMIC_RELAXED);
	count_pages(low, high, 1);
	unlock_direct();
}

void direct_unwatch(uintptr_t low, uintptr_t high)
{
	if (direct.used && low < high)
		count_pages(low, high, UINT32_MAX);
}

/* --- what has been gathered ----------------------------------------------------------------- */

/* Adds the bytes as a part, or to the last part if they continue its rhythm. */
static void add_span(struct bytes *bytes, uint8_t role, uintptr_t low, uintptr_t high)
{
	struct wire_part *last = bytes->count > 0 ? &bytes->parts[bytes->count - 1] : NULL;
	const int64_t start = (int64_t)low;
	struct wire_part *parts;

	if (last && last->length == high - low && last->times < STEPS_MAX) {
		int64_t step = start - last->start;

		if (last->times == 1 || step == (int64_t)last->times * last->stride) {
			last->stride = last->times == 1 ? step : last->stride;
			last->times++;
			return;
		}
	}
	if ((bytes->count & (bytes->count - 1)) == 0) {
		parts = realloc(bytes->parts,
		                (bytes->count > 0 ? 2 * bytes->count : 1) * sizeof(*parts));
		if (!parts) {
			bytes->unknown = true;
			return;
		}
		bytes->parts = parts;
	}
	bytes->parts[bytes->count++] = (struct wire_part){
		.role = role, .start = start, .length = high - low, .times = 1, .count = 1};
}

static uint8_t role_of(unsigned kind)
{
	return kind & DIRECT_WRITE ? WIRE_PART_WRITTEN : WIRE_PART_READ;
}

/* The intervals [first, end) are those of one site. */
static void flush_buffers(const struct site *site, const struct span *first, const struct span *end)
{
	const struct wire_user user = {.site = (uintptr_t)site->address, .kind = WIRE_USE_DIRECT};
	struct bytes *bytes = overlap_is_any() ? bytes_new() : NULL;

	for (const struct span *span = first; bytes && span < end; span++)
		if (overlap_may_use(span->low, span->high))
			add_span(bytes, role_of(site->kind), span->low, span->high);
	if (bytes && bytes->count > 0)
		overlap_pass(&user, bytes);
	bytes_release(bytes);
}

/* Releases the bytes. */
static void report_window(const struct site *site, uint64_t window, struct bytes *bytes)
{
	if (window != 0)
		access_direct(site->address, window, bytes, site->kind & DIRECT_ATOMIC);
	bytes_release(bytes);
}

static void flush_windows(const struct site *site, const struct span *first, const struct span *end)
{
	uint64_t window = 0;
	struct bytes *bytes = NULL;

	for (const struct span *span = first; span < end; span++) {
		uintptr_t low = span->low, high;
		uint64_t other;

		for (; (other = window_memory_next(&low, span->high, &high)) != 0; low = high) {
			if (other != window)
				report_window(site, window, bytes);
			if (other != window)
				bytes = bytes_new();
			window = other;
			if (bytes)
				add_span(bytes, role_of(site->kind), low, high);
		}
	}
	report_window(site, window, bytes);
}

/* A rank may learn from what it loads, and pass on what it stores. So the order is: loads, stores;
 * and atomic instructions around both, those that do both twice. */
static bool belongs(unsigned kind, unsigned round)
{
	const unsigned wanted[ROUNDS] = {DIRECT_READ | DIRECT_ATOMIC, DIRECT_READ, DIRECT_WRITE,
	                                 DIRECT_WRITE | DIRECT_ATOMIC};

	if (kind & DIRECT_ATOMIC)
		return (kind & wanted[round]) == wanted[round];
	return round == 2 ? kind & DIRECT_WRITE : kind == wanted[round];
}

static void flush_all(const struct span *spans, uint32_t count)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0, next; i < count; i = next) {
			const struct site *site = &direct.sites[spans[i].site];

			for (next = i + 1; next < count && spans[next].site == spans[i].site;)
				next++;
			if (belongs(site->kind, round))
				flush_windows(site, &spans[i], &spans[next]);
			if (round == 0)
				flush_buffers(site, &spans[i], &spans[next]);
		}
	}
}

/* What is gathered meanwhile, by other threads, waits for the lock. */
void direct_flush(void)
{
	int saved = errno;
	uint64_t window;

	if ((direct.span_count == 0 && !direct.lost) || is_inside)
		return;
	lock_direct();
	join_spans();
	flush_all(direct.spans, direct.span_count);
	window = direct.lost ? window_memory_any() : 0;
	if (window != 0)
		access_direct(NULL, window, NULL, false);
	memset(direct.sites, 0, sizeof(direct.sites));
	direct.site_count = direct.span_count = 0;
	direct.lost = false;
	unlock_direct();
	errno = saved;
}
