#include "request_names.h"
#include "request_internal.h"

#include <stdlib.h>

enum { FIRST_BUCKETS = 64 };

/* By name, chained through next_named. */
static struct {
	struct request **buckets;
	uint32_t bucket_count, count;
} named;

static struct request **bucket_of(struct wire_name name)
{
	uint32_t hash = name.call * 2654435761u ^ name.sub * 40503u;
	return &named.buckets[hash & (named.bucket_count - 1)];
}

static bool same_name(struct wire_name a, struct wire_name b)
{
	return a.call == b.call && a.sub == b.sub;
}

static bool grow_named(void)
{
	uint32_t old_count = named.bucket_count;
	struct request **old = named.buckets;
	uint32_t bucket_count = old_count > 0 ? 2 * old_count : FIRST_BUCKETS;
	struct request **buckets = calloc(bucket_count, sizeof(*buckets));

	if (!buckets)
		return old_count > 0;
	named.buckets = buckets;
	named.bucket_count = bucket_count;
	for (uint32_t i = 0; i < old_count; i++) {
		for (struct request *request = old[i], *next; request; request = next) {
			next = request->next_named;
			struct request **bucket = bucket_of(request->name);
			request->next_named = *bucket;
			*bucket = request;
		}
	}
	free(old);
	return true;
}

struct request *request_find_named(struct wire_name name)
{
	if (named.count == 0 || name.call == 0)
		return NULL;
	struct request *request = *bucket_of(name);
	while (request && !same_name(request->name, name))
		request = request->next_named;
	return request;
}

void request_forget_name(struct request *request)
{
	if (request->name.call == 0)
		return;
	for (struct request **at = bucket_of(request->name); *at; at = &(*at)->next_named) {
		if (*at == request) {
			*at = request->next_named;
			named.count--;
			break;
		}
	}
	request->name = (struct wire_name){0, 0};
}

int request_rename(struct request *request, struct wire_name name)
{
	request_forget_name(request);
	if (name.call == 0)
		return 0;
	if (named.count == named.bucket_count && !grow_named())
		return -1;
	request->name = name;
	struct request **bucket = bucket_of(name);
	request->next_named = *bucket;
	*bucket = request;
	named.count++;
	return 0;
}

struct memory_range request_names_memory(void)
{
	const uintptr_t start = (uintptr_t)named.buckets;

	return (struct memory_range){start, start + named.bucket_count * sizeof(*named.buckets)};
}
