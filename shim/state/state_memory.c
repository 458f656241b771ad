#define _GNU_SOURCE
#include "state_memory.h"

#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ckpt/agent_map_query.h"
#include "ckpt/agent_page_scan.h"
#include "common/report_ring.h"
#include "mappings.h"
#include "page_hash.h"
#include "read_guard.h"
#include "shim/park/park.h"
#include "shim/park/peers.h"
#include "shim/request/awaited.h"
#include "state_mappings.h"

enum {
	PAGE = 4096,
	PAGES_AT_ONCE = 512,
	PAGES_MAX = 1 << 18, /* 1 GiB; takes half a second */
	SHARED = 1024,
	RUNS = 4096,
	HASHES = 28672, /* so that notes need no more than the agent keeps */
	MAPPINGS = 1024,
};

/* The highest address that every kernel accepts in a query; mappings above it are read. */
#define SCANNED_END ((UINT64_C(1) << 47) - PAGE)

#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)
#define OF_FILE (UINT64_C(1) << 61)

/* Hashes of pages, or of parts of pages, that have the same contents as at the birth, in ascending
 * order. */
struct hashes {
	uint64_t page_scan, layout; /* of the scan that computed them */
	size_t count;
	struct part_hash {
		uintptr_t start, end;
		struct state_hash hash;
	} list[HASHES];
};

/* Facts about the mappings that a scan does not show. */
struct names {
	uint64_t layout;      /* 0: none */
	uintptr_t start, end; /* of the mapping that contains the current stack */
	bool is_stack;        /* that is the process's first stack */
};

/* Kept by the agent until the next birth (ckpt/agent_page_scan.h). */
struct notes {
	struct names names;
	struct hashes hashes[2];
	int current;
};

/* What changes if a page is written for the first time, or a mapping is another one. */
struct standing {
	pid_t process;
	long faults;
	uint64_t pages;           /* private ones */
	uint64_t mapped;          /* pages of all mappings */
	uint64_t writable;        /* of those that are private and writable */
	struct state_hash layout; /* of all mappings; zero: not known */
};

/* All data used here lies in the shim's own data, which is left out. Nothing is allocated. */
static struct {
	struct state_hash *hash, pages_hash;
	const struct agent_page_scan *page_scan; /* NULL: memory is scanned here */
	struct notes *notes;                     /* from earlier scans */
	size_t stretch;                          /* index in `page_scan` */
	const struct hashes *known;              /* hashes from an earlier scan */
	size_t at;                               /* index in `known` */
	struct hashes *noted;                    /* hashes of this scan; NULL: they are the same */
	const struct memory_range *left_out;     /* in ascending order of `start` */
	size_t left_out_count;
	size_t passed;       /* so many of them, the first ones, end before `passed_by` or there */
	uintptr_t passed_by; /* start of the latest mapping */
	uint64_t entries[PAGES_AT_ONCE];
	/* Written pages, if the kernel lists them; how far they are listed. */
	struct agent_scanned runs[RUNS];
	size_t run_count, run;
	bool scanned;
	struct standing standing;                /* then */
	struct state_hash layout;                /* of the mappings seen so far */
	bool is_brief;                           /* as in state_memory_add */
	struct state_mapping mappings[MAPPINGS]; /* of the last scan */
	size_t mapping_count;                    /* 0: they are not known */
	struct memory_range named;               /* the one that contained the stack then */
	uintptr_t stack;
	size_t pages;
	int pagemap;
	bool notes_shared; /* only collects shared mappings */
	const char *trouble;
} work;

/* Memory that MPI shares between ranks. */
static struct {
	struct memory_range ranges[SHARED];
	size_t count;
} shared;

/* --- hashing ---------------------------------------------------------------------------------- */

/* A page, or a part of one. */
static struct state_hash hash_part(uintptr_t start, uintptr_t end, bool anonymous)
{
	struct state_hash hash = {{0, 0}};

	if (end - start == PAGE)
		return page_hash(start, anonymous, work.is_brief);
	state_hash_add(&hash, start);
	state_hash_add_bytes(&hash, (const void *)start, end - start);
	return hash;
}

/* As hash_part, for a page with the same contents as at the birth. */
static struct state_hash recall_part(uintptr_t start, uintptr_t end, bool anonymous)
{
	const struct hashes *known = work.known;
	struct part_hash entry = {.start = start, .end = end};

	while (work.at < known->count && known->list[work.at].start < start)
		work.at++;
	if (work.at < known->count && known->list[work.at].start == start
	    && known->list[work.at].end == end)
		entry.hash = known->list[work.at].hash;
	else
		entry.hash = hash_part(start, end, anonymous);
	if (work.noted && work.noted->count < HASHES)
		work.noted->list[work.noted->count++] = entry;
	return entry.hash;
}

static void add_part(uintptr_t start, uintptr_t end, bool anonymous, bool private)
{
	const struct state_hash hash = private ? hash_part(start, end, anonymous)
	                                       : recall_part(start, end, anonymous);

	state_hash_add_member(&work.pages_hash, &hash);
}

/* A page that is present and private. Other pages have never been written. */
static bool is_own(uint64_t entry)
{
	return (entry & SWAPPED) || ((entry & PRESENT) && !(entry & OF_FILE));
}

static void add_own_page(uintptr_t from, uintptr_t start, uintptr_t end, bool anonymous,
                         bool private)
{
	uintptr_t to = from + PAGE;

	if (++work.pages > PAGES_MAX)
		work.trouble = "it uses more than 1 GiB";
	else
		add_part(from < start ? start : from, to > end ? end : to, anonymous, private);
}

/* All pages that were ever written, with few system calls (Linux 6.7). */
static void scan(void)
{
	uint64_t reached;
	int count = agent_scan_private(work.pagemap, 0, SCANNED_END, work.runs, RUNS, &reached);

	work.scanned = count >= 0 && count < RUNS;
	work.run_count = work.scanned ? (size_t)count : 0;
}

/* Whether the kernel counts one private page more as exactly one more (Linux 6.16). */
static bool counts_are_exact(void)
{
	static enum { UNKNOWN, EXACT, INEXACT } known;
	char *page;
	uint64_t before;

	if (known != UNKNOWN)
		return known == EXACT;
	known = INEXACT;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return false;
	agent_count_private(); /* touches the memory that it needs */
	before = agent_count_private();
	*(volatile char *)page = 1;
	if (before > 0 && agent_count_private() == before + 1)
		known = EXACT;
	munmap(page, PAGE);
	return known == EXACT;
}

static struct standing now(void)
{
	struct standing standing = {.process = (pid_t)syscall(SYS_getpid),
	                            .faults = agent_known_faults()};

	standing.pages = agent_count_pages(&standing.mapped, &standing.writable);
	return standing;
}

/* Whether the last scan found what another one would find now, unless the mappings are others:
 * agent_known.h explains why. Pages that the kernel has joined since, or dropped, are all zeros. */
static bool is_scanned(const struct standing *standing)
{
	const struct standing *then = &work.standing;

	return work.scanned && then->layout.word[0] != 0 && then->process == standing->process
	       && then->faults == standing->faults && then->pages == standing->pages
	       && counts_are_exact();
}

/* The part of a run of pages that lies in a range. */
static void add_run(uintptr_t from, uintptr_t to, uintptr_t start, uintptr_t end, bool anonymous,
                    bool private)
{
	if (from < start / PAGE * PAGE)
		from = start / PAGE * PAGE;
	for (; from < to && from < end && !work.trouble; from += PAGE)
		add_own_page(from, start, end, anonymous, private);
}

/* Ranges come in ascending order. */
static void add_scanned(uintptr_t start, uintptr_t end, bool anonymous)
{
	while (work.run < work.run_count && work.runs[work.run].end <= start)
		work.run++;
	for (size_t i = work.run; i < work.run_count && work.runs[i].start < end; i++)
		add_run(work.runs[i].start, work.runs[i].end, start, end, anonymous, true);
}

/* Ranges come in ascending order. */
static void add_read(uintptr_t start, uintptr_t end, bool anonymous)
{
	const struct agent_page_scan *page_scan = work.page_scan;

	while (work.stretch < page_scan->count && page_scan->stretches[work.stretch].end <= start)
		work.stretch++;
	for (size_t i = work.stretch; i < page_scan->count && page_scan->stretches[i].start < end;
	     i++) {
		const struct agent_stretch *one = &page_scan->stretches[i];

		add_run(one->start, one->end, start, end, anonymous, one->private);
	}
}

static void read_pages(uintptr_t start, uintptr_t end, bool anonymous)
{
	uintptr_t first = start / PAGE, last = (end + PAGE - 1) / PAGE;

	while (first < last && !work.trouble) {
		size_t count = last - first < PAGES_AT_ONCE ? last - first : PAGES_AT_ONCE;
		size_t size = count * sizeof(work.entries[0]);

		if (pread(work.pagemap, work.entries, size, (off_t)(first * sizeof(uint64_t)))
		    != (ssize_t)size)
			work.trouble = "its memory cannot be read";
		for (size_t i = 0; i < count && !work.trouble; i++) {
			if (is_own(work.entries[i]))
				add_own_page((first + i) * PAGE, start, end, anonymous, true);
		}
		first += count;
	}
}

static void add_pages(uintptr_t start, uintptr_t end, bool anonymous)
{
	if (work.page_scan)
		add_read(start, end, anonymous);
	else if (work.scanned && end <= SCANNED_END)
		add_scanned(start, end, anonymous);
	else
		read_pages(start, end, anonymous);
}

/* --- mappings --------------------------------------------------------------------------------- */

/* The first range that may overlap a mapping that starts here, or a part of it. Mappings come in
 * ascending order, several times. */
static const struct memory_range *left_out_from(uintptr_t start)
{
	if (start < work.passed_by)
		work.passed = 0;
	work.passed_by = start;
	while (work.passed < work.left_out_count && work.left_out[work.passed].end <= start)
		work.passed++;
	return &work.left_out[work.passed];
}

/* Whether it is there, and begins before this address: later ones do not. */
static bool begins_before(const struct memory_range *one, uintptr_t end)
{
	return one < work.left_out + work.left_out_count && one->start < end;
}

static void add_range(uintptr_t start, uintptr_t end, bool anonymous)
{
	const struct memory_range *one = left_out_from(start);

	for (; begins_before(one, end) && start < end && !work.trouble; one++) {
		if (one->end <= start)
			continue;
		if (one->start > start)
			add_pages(start, one->start, anonymous);
		start = one->end;
	}
	if (start < end)
		add_pages(start, end, anonymous);
}

static bool is_left_out(uintptr_t start, uintptr_t end)
{
	const struct memory_range *one = left_out_from(start);

	for (; begins_before(one, start + 1); one++)
		if (one->end >= end)
			return true;
	return false;
}

static bool is_deleted(const struct state_mapping *mapping)
{
	return strstr(mapping->path, " (deleted)") != NULL;
}

/* MPI's, by the name of its file; or it was MPI's while the file had a name. */
static bool is_known_shared(const struct state_mapping *mapping)
{
	for (size_t i = 0; i < shared.count; i++)
		if (shared.ranges[i].start == mapping->start
		    && shared.ranges[i].end == mapping->end)
			return true;
	if ((!strstr(mapping->path, "/ucx_shm_posix_") && !strstr(mapping->path, "/mpich_shar_")
	     && !strstr(mapping->path, "/" PEERS_FILE) && !strstr(mapping->path, "/" AWAITED_FILE)
	     && !strstr(mapping->path, "/memfd:" REPORT_RING_NAME))
	    || shared.count == SHARED)
		return false;
	shared.ranges[shared.count++] = (struct memory_range){mapping->start, mapping->end};
	return true;
}

static void take_shared(const struct state_mapping *mapping)
{
	if (!is_known_shared(mapping) && !work.notes_shared
	    && (mapping->writable || is_deleted(mapping)))
		work.trouble = "it shares memory that is not MPI's";
}

/* A range that is left out may be one mapping with its neighbours, or not. */
static void add_extent(uintptr_t start, uintptr_t end, const struct state_mapping *mapping)
{
	if (start >= end)
		return;
	state_hash_add(work.hash, start);
	state_hash_add(work.hash, end);
	state_hash_add(work.hash, (uint64_t)mapping->readable | (uint64_t)mapping->writable << 1
	                                  | (uint64_t)mapping->executable << 2);
	state_hash_add(work.hash, mapping->inode ? mapping->offset + (start - mapping->start) : 0);
	state_hash_add(work.hash, mapping->inode);
}

static void add_extents(const struct state_mapping *mapping)
{
	const bool is_stack = work.stack >= mapping->start && work.stack < mapping->end;
	const struct memory_range *one = left_out_from(mapping->start);
	uintptr_t start = mapping->start;

	/* How far it has grown depends on what the shim and MPI have called. */
	if (work.is_brief && is_stack && strstr(mapping->path, "[stack]"))
		start = work.stack;
	for (; !is_stack && begins_before(one, mapping->end); one++) {
		if (one->end <= start)
			continue;
		add_extent(start, one->start, mapping);
		start = one->end;
	}
	add_extent(start, mapping->end, mapping);
}

static bool holds_stack(const struct state_mapping *mapping)
{
	return work.stack >= mapping->start && work.stack < mapping->end;
}

static void take_private(const struct state_mapping *mapping)
{
	uintptr_t start = mapping->start;

	add_extents(mapping);
	if (!mapping->writable && !mapping->readable)
		return;
	if (holds_stack(mapping) && strstr(mapping->path, "[stack]"))
		start = work.stack;
	/* Memory that is not writable now may have been written before. */
	add_range(start, mapping->end, mapping->inode == 0);
}

static void note_layout(const struct state_mapping *mapping)
{
	state_hash_add(&work.layout, mapping->start);
	state_hash_add(&work.layout, mapping->end);
	state_hash_add(&work.layout, (uint64_t)mapping->readable | (uint64_t)mapping->writable << 1
	                                     | (uint64_t)mapping->shared << 2);
	state_hash_add(&work.layout, mapping->inode);
	state_hash_add(&work.layout, mapping->offset);
}

static void keep_mapping(const struct state_mapping *mapping)
{
	struct state_mapping *kept = &work.mappings[work.mapping_count];

	if (work.mapping_count == MAPPINGS)
		return;
	work.mapping_count++;
	*kept = *mapping;
	kept->path = strstr(mapping->path, "[stack]") ? "[stack]" : "";
	if (holds_stack(mapping))
		work.named = (struct memory_range){mapping->start, mapping->end};
}

static bool take_mapping(const struct state_mapping *mapping)
{
	note_layout(mapping);
	keep_mapping(mapping);
	if (is_left_out(mapping->start, mapping->end))
		return true;
	if (mapping->shared)
		take_shared(mapping);
	else if (!work.notes_shared)
		take_private(mapping);
	return !work.trouble;
}

static void take_mappings(uintptr_t stack)
{
	work.stack = stack;
	work.mapping_count = 0;
	work.named = (struct memory_range){0, 0};
	if (!state_mappings_each(stack, take_mapping))
		work.trouble = "its mappings cannot be read";
	if (work.trouble || work.mapping_count == MAPPINGS)
		work.mapping_count = 0;
}

/* Whether all contents are those of the last scan's mappings: what was mapped meanwhile was not
 * touched, and as much was unmapped. As much memory is writable as before: other memory only if
 * some was exchanged (mprotect). What cannot be read any more ends the look (read_guard.h). */
static bool are_mappings_known(const struct standing *standing, uintptr_t stack)
{
	return work.is_brief && work.mapping_count > 0 && standing->mapped == work.standing.mapped
	       && standing->writable == work.standing.writable && stack >= work.named.start
	       && stack < work.named.end;
}

static void take_known_mappings(void)
{
	for (size_t i = 0; i < work.mapping_count && !work.trouble; i++) {
		const struct state_mapping *mapping = &work.mappings[i];

		if (!mapping->shared && !is_left_out(mapping->start, mapping->end))
			take_private(mapping);
	}
}

/* --- from a scan of the agent ----------------------------------------------------------------- */

static bool name_mapping(const struct state_mapping *mapping)
{
	if (is_left_out(mapping->start, mapping->end))
		return true;
	if (mapping->shared)
		take_shared(mapping);
	if (!mapping->shared && holds_stack(mapping)) {
		work.notes->names.start = mapping->start;
		work.notes->names.end = mapping->end;
		work.notes->names.is_stack = strstr(mapping->path, "[stack]") != NULL;
	}
	return !work.trouble;
}

static void know_names(void)
{
	struct names *names = &work.notes->names;

	if (names->layout == work.page_scan->layout && work.stack >= names->start
	    && work.stack < names->end)
		return;
	*names = (struct names){0};
	if (!state_mappings_each(work.stack, name_mapping))
		work.trouble = "its mappings cannot be read";
	if (!work.trouble)
		names->layout = work.page_scan->layout;
}

static void know_hashes(void)
{
	struct notes *notes = work.notes;
	struct hashes *now = &notes->hashes[notes->current];

	work.known = now;
	work.at = 0;
	work.noted = NULL;
	if (now->page_scan == work.page_scan->number)
		return;
	/* Pages may have been moved. */
	if (now->layout != work.page_scan->layout)
		now->count = 0;
	notes->current = !notes->current;
	work.noted = &notes->hashes[notes->current];
	work.noted->page_scan = work.page_scan->number;
	work.noted->layout = work.page_scan->layout;
	work.noted->count = 0;
}

static void take_areas(void)
{
	const struct agent_page_scan *page_scan = work.page_scan;
	const struct names *names = &work.notes->names;

	for (size_t i = 0; i < page_scan->area_count && !work.trouble; i++) {
		const struct agent_area *area = &page_scan->areas[i];
		const struct state_mapping mapping = {
			.start = area->start,
			.end = area->end,
			.offset = area->offset,
			.inode = area->inode,
			.readable = area->protection & PROT_READ,
			.writable = area->protection & PROT_WRITE,
			.executable = area->protection & PROT_EXEC,
			.path = area->start == names->start && names->is_stack ? "[stack]" : "",
		};

		if (!area->shared && !is_left_out(area->start, area->end))
			take_private(&mapping);
	}
}

/* false: memory is scanned here. */
static bool take_scan(uintptr_t stack)
{
	work.page_scan = park_scan();
	work.notes = park_scan_notes(sizeof(*work.notes));
	if (!work.page_scan || !work.notes)
		return false;
	work.stack = stack;
	work.stretch = 0;
	know_names();
	if (work.trouble)
		return true;
	know_hashes();
	take_areas();
	if (park_scan_holds())
		return true;
	if (work.noted)
		work.noted->count = 0;
	return false;
}

/* --- all memory ------------------------------------------------------------------------------- */

static int ascending(const void *one, const void *other)
{
	const struct memory_range *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void begin(struct state_hash *hash)
{
	work.hash = hash;
	work.pages_hash = (struct state_hash){{0, 0}};
	work.pages = 0;
	work.passed = work.passed_by = 0;
	work.trouble = NULL;
}

/* false: the last scan is not that of these mappings. */
static bool look_at_pages(uintptr_t stack)
{
	struct standing standing = now();
	const bool scanned = is_scanned(&standing);

	if (!scanned)
		scan();
	work.run = 0;
	if (scanned && are_mappings_known(&standing, stack)) {
		work.stack = stack;
		if (read_guard(take_known_mappings))
			return true;
		work.mapping_count = 0;
		return false;
	}
	work.layout = (struct state_hash){{0, 0}};
	take_mappings(stack);
	standing.layout = work.layout;
	if (scanned)
		return memcmp(&work.layout, &work.standing.layout, sizeof(work.layout)) == 0;
	work.standing = standing;
	return true;
}

static void look_here(uintptr_t stack)
{
	const struct state_hash before = *work.hash;

	work.page_scan = NULL;
	work.pagemap = open_quietly("/proc/self/pagemap");
	if (work.pagemap < 0) {
		work.trouble = "its memory cannot be read";
		return;
	}
	if (!look_at_pages(stack)) {
		*work.hash = before;
		begin(work.hash);
		work.scanned = false;
		look_at_pages(stack);
	}
	close(work.pagemap);
}

const char *state_memory_add(struct state_hash *hash, struct memory_range *left_out, size_t count,
                             uintptr_t stack, bool is_brief)
{
	const struct state_hash before = *hash;

	qsort(left_out, count, sizeof(*left_out), ascending);
	work.left_out = left_out;
	work.left_out_count = count;
	work.is_brief = is_brief;
	begin(hash);
	if (!take_scan(stack)) {
		*hash = before;
		begin(hash);
		look_here(stack);
	}
	state_hash_add(hash, work.pages_hash.word[0]);
	state_hash_add(hash, work.pages_hash.word[1]);
	return work.trouble;
}

static struct memory_range idle_shared[SHARED];
static size_t idle_shared_count;

static bool keep_shared(const struct state_mapping *mapping)
{
	for (size_t i = 0; mapping->shared && i < shared.count; i++)
		if (shared.ranges[i].start == mapping->start
		    && shared.ranges[i].end == mapping->end)
			idle_shared[idle_shared_count++] = shared.ranges[i];
	return idle_shared_count < SHARED;
}

void state_memory_forget_shared(void)
{
	idle_shared_count = 0;
	if (!state_mappings_each(0, keep_shared))
		idle_shared_count = 0;
	memcpy(shared.ranges, idle_shared, sizeof(idle_shared));
	shared.count = idle_shared_count;
}

void state_memory_note_shared(void)
{
	work.left_out_count = work.passed = 0;
	work.notes_shared = true;
	work.trouble = NULL;
	take_mappings(0);
	work.notes_shared = false;
}
