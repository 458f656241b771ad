/* Writes the pages of a rank to disk, and the tables that tell where they are. Pages are copied
 * first: some change while they are written, and their hash must be that of what was written. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_disk_internal.h"

#define PRESENT_OR_SWAPPED 62 /* pagemap: bits from this one on */
#define OF_FILE 61            /* pagemap: the page is the file's, or shared */

/* The first trouble stays. Returns whether this is it. */
static bool note_trouble(struct disk_writer *writer, const char *format, va_list arguments)
{
	if (writer->trouble[0])
		return false;
	vsnprintf(writer->trouble, sizeof(writer->trouble), format, arguments);
	return true;
}

int disk_refuse(struct disk_writer *writer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	note_trouble(writer, format, arguments);
	va_end(arguments);
	return -1;
}

int disk_fail(struct disk_writer *writer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	writer->failed |= note_trouble(writer, format, arguments);
	va_end(arguments);
	return -1;
}

static int open_raw(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

int disk_read_text(struct disk_writer *writer, const char *path)
{
	int fd = open_raw(path, O_RDONLY);
	size_t used = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && used < DISK_TEXT_MOST - 1) {
		got = read(fd, writer->text + used, DISK_TEXT_MOST - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	writer->text[used] = '\0';
	return got < 0 ? disk_fail(writer, "%s cannot be read: %s", path, strerror(errno)) : 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int put_all(struct disk_writer *writer, const void *bytes, size_t size, uint64_t at)
{
	while (size > 0) {
		ssize_t put = pwrite(writer->file, bytes, size, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return disk_fail(writer, "its file cannot be written: %s",
			                 strerror(put < 0 ? errno : ENOSPC));
		bytes = (const uint8_t *)bytes + put;
		size -= (size_t)put;
		at += (uint64_t)put;
	}
	return 0;
}

static int put_block(struct disk_writer *writer)
{
	size_t size = writer->in_block * DISK_PAGE;

	if (put_all(writer, writer->block, size, writer->at) < 0)
		return -1;
	writer->at += size;
	writer->in_block = 0;
	return 0;
}

/* Where the base has this very page; 0: it does not. Pages are asked for in ascending order. */
static uint64_t find_in_base(struct disk_writer *writer, uint64_t address, uint64_t hash)
{
	while (writer->base_at < writer->base_count
	       && writer->base[writer->base_at].address < address)
		writer->base_at++;
	if (writer->base_at == writer->base_count)
		return 0;
	const struct disk_page *page = &writer->base[writer->base_at];
	return page->address == address && page->hash == hash ? page->where : 0;
}

/* Adds the page that was copied to the end of the block. */
static int add_page(struct disk_writer *writer, uint64_t address)
{
	struct disk_page *page = &writer->pages[writer->page_count];
	bool any;

	page->address = address;
	page->hash = disk_hash(writer->block + writer->in_block * DISK_PAGE, DISK_PAGE, &any);
	if (!any)
		return 0;
	if (writer->page_count + 1 == DISK_PAGES_MOST)
		return disk_refuse(writer, "it has too much memory");
	writer->page_count++;
	page->where = find_in_base(writer, address, page->hash);
	if (page->where)
		return 0;
	page->where = disk_where(writer->head.generation,
	                         writer->at + writer->in_block * DISK_PAGE);
	writer->head.own_pages++;
	return ++writer->in_block == DISK_BLOCK ? put_block(writer) : 0;
}

static int copy_page(struct disk_writer *writer, const struct disk_map *map, uint64_t address)
{
	uint8_t *copy = writer->block + writer->in_block * DISK_PAGE;

	if ((map->protection & PROT_READ) && !(map->flags & DISK_WHOLE)) {
		memcpy(copy, (const void *)address, DISK_PAGE); /* NOLINT */
		return 0;
	}
	return pread(writer->memory, copy, DISK_PAGE, (off_t)address) == (ssize_t)DISK_PAGE ? 0
	                                                                                    : -1;
}

/* Whether a page may hold what the mapping alone does not give. */
static bool is_kept(const struct disk_map *map, uint64_t entry)
{
	if (map->flags & DISK_WHOLE)
		return true;
	return entry >> PRESENT_OR_SWAPPED
	       && !(map->kind == DISK_MAP_FILE && (entry >> OF_FILE & 1));
}

/* Memory is often reserved by the gigabyte and hardly used, and the pagemap of what is not there
 * takes longer to read than all other pages. Returns how many pages from here on, at most `count`,
 * hold nothing. A page that is swapped out looks the same, so this is for processes without. */
static uint64_t count_absent(struct disk_writer *writer, uint64_t at, uint64_t count)
{
	uint64_t absent = 0;

	if (mincore((void *)at, count * DISK_PAGE, writer->resident) < 0) /* NOLINT */
		return 0;
	while (absent < count && !(writer->resident[absent] & 1))
		absent++;
	return absent;
}

static int add_pages(struct disk_writer *writer, const struct disk_map *map)
{
	bool may_skip = !writer->swapped && map->kind == DISK_MAP_ANONYMOUS
	                && !(map->flags & DISK_WHOLE);

	for (uint64_t at = map->start; at < map->end;) {
		uint64_t left = (map->end - at) / DISK_PAGE;
		uint64_t count = left < DISK_ENTRIES ? left : DISK_ENTRIES;
		uint64_t absent = may_skip ? count_absent(writer, at, count) : 0;
		size_t wanted = (count - absent) * sizeof(uint64_t);
		ssize_t got;

		at += absent * DISK_PAGE;
		if (wanted == 0)
			continue;
		got = pread(writer->pagemap, writer->entries, wanted,
		            (off_t)(at / DISK_PAGE * sizeof(uint64_t)));

		if (got < (ssize_t)sizeof(uint64_t))
			return disk_fail(writer, "its pagemap cannot be read");
		for (size_t i = 0; i < (size_t)got / sizeof(uint64_t); i++, at += DISK_PAGE)
			if (is_kept(map, writer->entries[i]) && copy_page(writer, map, at) == 0
			    && add_page(writer, at) < 0)
				return -1;
	}
	return 0;
}

/* --- the checkpoint that this one builds on --------------------------------------------------- */

static bool get_all(int fd, void *bytes, size_t size, uint64_t at)
{
	while (size > 0) {
		ssize_t got = pread(fd, bytes, size, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes = (uint8_t *)bytes + got;
		size -= (size_t)got;
		at += (uint64_t)got;
	}
	return true;
}

static bool is_sound(struct disk_header *head)
{
	uint64_t hash = head->hash;

	head->hash = 0;
	return memcmp(head->magic, DISK_MAGIC, sizeof(head->magic)) == 0
	       && head->version == DISK_VERSION && head->size == sizeof(*head)
	       && disk_hash(head, sizeof(*head), NULL) == hash;
}

/* What cannot be used, whatever is wrong with it, only means that all pages are written. */
static void read_base(struct disk_writer *writer, const struct agent_disk_order *order)
{
	struct disk_header *base = (struct disk_header *)(void *)writer->block;
	char path[PATH_MAX];
	int fd;

	if (!*order->base || strlen(order->base) >= DISK_NAME)
		return;
	snprintf(path, sizeof(path), "%s/../%s/rank.%d.img", order->folder, order->base,
	         (int)order->rank);
	fd = open_raw(path, O_RDONLY);
	if (fd < 0)
		return;
	if (get_all(fd, base, sizeof(*base), 0) && is_sound(base)
	    && base->generation + 1 < DISK_GENERATIONS && base->page_count < DISK_PAGES_MOST
	    && get_all(fd, writer->base, base->page_count * sizeof(struct disk_page),
	               base->tables + base->pages)) {
		writer->base_count = base->page_count;
		writer->head.generation = base->generation + 1;
		memcpy(writer->head.generations, base->generations, sizeof(base->generations));
		memcpy(writer->head.generations[base->generation], order->base,
		       strlen(order->base) + 1);
	}
	close(fd);
}

/* --- tables ----------------------------------------------------------------------------------- */

static uint64_t whole_pages(uint64_t size)
{
	return (size + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE;
}

static int put_tables(struct disk_writer *writer)
{
	struct disk_header *head = &writer->head;
	uint64_t maps = head->map_count * sizeof(struct disk_map);
	uint64_t pages = writer->page_count * sizeof(struct disk_page);
	uint8_t *tables = (uint8_t *)writer->base; /* not needed any more */

	head->pages = maps;
	head->strings = maps + pages;
	head->strings_size = (head->strings_size + 7) / 8 * 8;
	head->page_count = writer->page_count;
	head->tables_size = maps + pages + head->strings_size;
	if (head->tables_size > sizeof(writer->base))
		return disk_refuse(writer, "it has too much memory");
	memcpy(tables, writer->maps, maps);
	memcpy(tables + maps, writer->pages, pages);
	memcpy(tables + maps + pages, writer->strings, head->strings_size);
	head->tables = whole_pages(writer->at);
	head->tables_hash = disk_hash(tables, head->tables_size, NULL);
	head->file_size = head->tables + head->tables_size;
	return put_all(writer, tables, head->tables_size, head->tables);
}

static int put_head(struct disk_writer *writer)
{
	struct disk_header *head = &writer->head;

	memcpy(head->magic, DISK_MAGIC, sizeof(head->magic));
	head->version = DISK_VERSION;
	head->size = sizeof(*head);
	head->hash = 0;
	head->hash = disk_hash(head, sizeof(*head), NULL);
	return put_all(writer, head, sizeof(*head), 0);
}

/* Whether any page is swapped out. Unknown: yes. */
static bool is_swapped(struct disk_writer *writer)
{
	const char *line = disk_read_text(writer, "/proc/self/status") < 0
	                           ? NULL
	                           : strstr(writer->text, "\nVmSwap:");

	return !line || strtoull(line + strlen("\nVmSwap:"), NULL, 10) > 0;
}

static int write_file(struct disk_writer *writer)
{
	writer->swapped = is_swapped(writer);
	for (uint64_t i = 0; i < writer->head.map_count; i++) {
		const struct disk_map *map = &writer->maps[i];

		if ((map->kind == DISK_MAP_ANONYMOUS || map->kind == DISK_MAP_FILE)
		    && add_pages(writer, map) < 0)
			return -1;
	}
	if (!writer->swapped && is_swapped(writer))
		return disk_fail(writer, "memory was swapped out while it was written");
	if (put_block(writer) < 0 || put_tables(writer) < 0 || put_head(writer) < 0)
		return -1;
	return fsync(writer->file) == 0
	               ? 0
	               : disk_fail(writer, "its file cannot be written: %s", strerror(errno));
}

int disk_write(struct disk_writer *writer, const struct agent_disk_order *order)
{
	char path[PATH_MAX];

	writer->head.rank = (uint32_t)order->rank;
	if (disk_list_maps(writer) < 0 || disk_note_kernel_state(writer) < 0)
		return -1;
	read_base(writer, order);
	snprintf(path, sizeof(path), "%s/rank.%d.img", order->folder, (int)order->rank);
	writer->file = open_raw(path, O_WRONLY | O_CREAT | O_EXCL);
	if (writer->file < 0)
		return disk_fail(writer, "%s cannot be written: %s", path, strerror(errno));
	writer->memory = open_raw("/proc/self/mem", O_RDONLY);
	writer->pagemap = open_raw("/proc/self/pagemap", O_RDONLY);
	writer->at = DISK_HEAD;
	if (writer->memory < 0 || writer->pagemap < 0)
		return disk_fail(writer, "its memory cannot be read: %s", strerror(errno));
	return write_file(writer);
}
