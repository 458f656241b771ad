#include "objects.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FIRST_BUCKETS = 64 };

struct object {
	uint64_t handle, site;
	const void *where;
	uint16_t function;
	uint8_t kind;
	struct object *next;          /* in its bucket; given last, first */
	struct object *older, *newer; /* in the list of all objects */
};

static struct {
	struct object **buckets;
	uint32_t bucket_count, count;
	struct object *oldest, *newest;
	struct object *unused;
} table;

/* Not the lock of controlled calls: most of these calls pass to MPI uncontrolled, from any
 * thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object **bucket_of(uint8_t kind, uint64_t handle)
{
	uint64_t hash = (handle ^ (uint64_t)kind << 56) * 0x9e3779b97f4a7c15u;

	return &table.buckets[hash >> 32 & (table.bucket_count - 1)];
}

static bool grow(void)
{
	uint32_t bucket_count = table.bucket_count > 0 ? 2 * table.bucket_count : FIRST_BUCKETS;
	struct object **buckets = calloc(bucket_count, sizeof(*buckets));

	if (!buckets)
		return table.bucket_count > 0;
	free(table.buckets);
	table.buckets = buckets;
	table.bucket_count = bucket_count;
	for (struct object *object = table.oldest; object; object = object->newer) {
		struct object **bucket = bucket_of(object->kind, object->handle);
		object->next = *bucket;
		*bucket = object;
	}
	return true;
}

static struct object *take_unused(void)
{
	struct object *object = table.unused;

	if (!object)
		return malloc(sizeof(*object));
	table.unused = object->next;
	return object;
}

static void add_object(const struct object *given)
{
	if (table.count == table.bucket_count && !grow())
		return;
	struct object *object = take_unused();
	if (!object)
		return;
	struct object **bucket = bucket_of(given->kind, given->handle);
	*object = *given;
	object->next = *bucket;
	*bucket = object;
	object->older = table.newest;
	*(table.newest ? &table.newest->newer : &table.oldest) = object;
	table.newest = object;
	table.count++;
}

void objects_add(enum wire_object kind, uint64_t handle, const void *where, uint16_t function,
                 uint64_t site)
{
	const struct object object = {
		.kind = (uint8_t)kind,
		.handle = handle,
		.where = where,
		.function = function,
		.site = site,
	};

	pthread_mutex_lock(&lock);
	add_object(&object);
	pthread_mutex_unlock(&lock);
}

static struct object **link_to(const struct object *object)
{
	struct object **link = bucket_of(object->kind, object->handle);

	while (*link != object)
		link = &(*link)->next;
	return link;
}

static void drop_object(struct object **link)
{
	struct object *object = *link;

	*link = object->next;
	*(object->older ? &object->older->newer : &table.oldest) = object->newer;
	*(object->newer ? &object->newer->older : &table.newest) = object->older;
	object->next = table.unused;
	table.unused = object;
	table.count--;
}

void objects_remove(enum wire_object kind, uint64_t handle, const void *where)
{
	struct object **last = NULL, **found = NULL;

	pthread_mutex_lock(&lock);
	if (table.count > 0) {
		for (struct object **link = bucket_of((uint8_t)kind, handle); *link && !found;
		     link = &(*link)->next) {
			if ((*link)->handle != handle || (*link)->kind != kind)
				continue;
			last = last ? last : link;
			found = (*link)->where == where ? link : NULL;
		}
	}
	if (last)
		drop_object(found ? found : last);
	pthread_mutex_unlock(&lock);
}

/* MPI 4.0, section 11.4.1. */
static bool can_be_freed_at_any_time(enum wire_object kind)
{
	return kind == WIRE_OBJECT_INFO || kind == WIRE_OBJECT_ERRHANDLER;
}

struct wire_left *objects_count(struct wire_left *left, uint32_t *count, enum wire_object kind,
                                uint16_t function, uint64_t site)
{
	for (uint32_t i = *count; i-- > 0;) {
		if (left[i].kind != kind || left[i].function != function || left[i].site != site)
			continue;
		left[i].count++;
		return left;
	}
	struct wire_left *more = realloc(left, (*count + 1) * sizeof(*left));
	if (!more) {
		free(left);
		*count = 0;
		return NULL;
	}
	more[(*count)++] = (struct wire_left){
		.kind = (uint8_t)kind, .function = function, .site = site, .count = 1};
	return more;
}

struct wire_left *objects_left(struct wire_left *left, uint32_t *count, bool at_any_time)
{
	pthread_mutex_lock(&lock);
	for (struct object *object = table.oldest, *newer; object; object = newer) {
		newer = object->newer;
		if (can_be_freed_at_any_time(object->kind) != at_any_time)
			continue;
		left = objects_count(left, count, object->kind, object->function, object->site);
		drop_object(link_to(object));
	}
	pthread_mutex_unlock(&lock);
	return left;
}
