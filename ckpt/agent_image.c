#include "agent_image.h"

#include <string.h>

enum { LIST_ENTRIES = 255 };

/* A block with a list of pages, in ascending order. */
struct list {
	uint32_t next; /* next block; 0: none */
	uint32_t count;
	struct agent_entry entries[LIST_ENTRIES];
};
_Static_assert(sizeof(struct list) <= AGENT_PAGE, "");

static struct list *list_at(const struct agent_store *store, uint32_t block)
{
	return (struct list *)(uintptr_t)store->blocks[block];
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Returns a block with one reference; 0: no room. */
static uint32_t take_block(struct agent_store *store)
{
	uint32_t block = store->unused;

	if (block)
		store->unused = store->users[block];
	else if (store->used + 1 < AGENT_BLOCKS)
		block = ++store->used;
	if (block) {
		store->users[block] = 1;
		store->in_use++;
	}
	return block;
}

static void let_block_go(struct agent_store *store, uint32_t block)
{
	if (--store->users[block] > 0)
		return;
	store->in_use--;
	store->users[block] = store->unused;
	store->unused = block;
}

static void let_pages_go(struct agent_store *store, const struct agent_image *image)
{
	uint32_t block = image->first;

	while (block) {
		const struct list *list = list_at(store, block);
		uint32_t next = list->next;

		for (uint32_t i = 0; i < list->count; i++)
			let_block_go(store, list->entries[i].block);
		let_block_go(store, block);
		block = next;
	}
}

/* --- images ----------------------------------------------------------------------------------- */

struct agent_image *agent_store_find(struct agent_store *store, uint32_t number)
{
	struct agent_image *image = number && number < AGENT_IMAGES_MAX ? &store->images[number]
	                                                                : NULL;

	return image && image->users > 0 ? image : NULL;
}

const struct agent_entry *agent_store_page(const struct agent_store *store,
                                           const struct agent_image *image,
                                           struct agent_cursor *cursor, uint64_t page)
{
	if (!image || cursor->ended)
		return NULL;
	if (!cursor->block)
		cursor->block = image->first;
	while (cursor->block) {
		const struct list *list = list_at(store, cursor->block);

		while (cursor->at < list->count && list->entries[cursor->at].page < page)
			cursor->at++;
		if (cursor->at < list->count)
			return &list->entries[cursor->at];
		cursor->block = list->next;
		cursor->at = 0;
	}
	cursor->ended = true;
	return NULL;
}

/* Appends an entry to the image being taken; NULL: no room. */
static struct agent_entry *add_entry(struct agent_store *store)
{
	struct list *list = store->tail ? list_at(store, store->tail) : NULL;

	if (!list || list->count == LIST_ENTRIES) {
		uint32_t block = take_block(store);

		if (!block)
			return NULL;
		if (list)
			list->next = block;
		else
			store->images[store->taken].first = block;
		store->tail = block;
		list = list_at(store, block);
		list->next = list->count = 0;
	}
	return &list->entries[list->count++];
}

int agent_store_add(struct agent_store *store, uint64_t page, const void *bytes)
{
	const struct agent_entry *before = agent_store_page(
		store, agent_store_find(store, store->last), &store->cursor, page);
	struct agent_entry *entry;
	uint32_t block;

	if (before && before->page == page
	    && memcmp(store->blocks[before->block], bytes, AGENT_PAGE) == 0) {
		block = before->block;
		store->users[block]++;
	} else {
		block = take_block(store);
		if (!block)
			return -1;
		memcpy(store->blocks[block], bytes, AGENT_PAGE);
	}
	entry = add_entry(store);
	if (!entry) {
		let_block_go(store, block);
		return -1;
	}
	*entry = (struct agent_entry){page, block};
	return 0;
}

struct agent_image *agent_store_begin(struct agent_store *store)
{
	uint32_t number = 1;

	while (number < AGENT_IMAGES_MAX && store->images[number].users > 0)
		number++;
	if (number == AGENT_IMAGES_MAX)
		return NULL;
	store->taken = number;
	if (number > store->most)
		store->most = number;
	store->tail = store->images[number].first = 0;
	store->cursor = (struct agent_cursor){0};
	return &store->images[number];
}

uint32_t agent_store_end(struct agent_store *store)
{
	store->images[store->taken].users = 1;
	store->last = store->taken;
	return store->taken;
}

static void empty(struct agent_store *store, uint32_t number)
{
	let_pages_go(store, &store->images[number]);
	store->images[number].first = 0;
}

void agent_store_give_up(struct agent_store *store)
{
	empty(store, store->taken);
}

void agent_store_share(struct agent_store *store, uint32_t number)
{
	struct agent_image *image = agent_store_find(store, number);

	if (image)
		image->users++;
}

void agent_store_forget(struct agent_store *store, uint32_t number)
{
	struct agent_image *image = agent_store_find(store, number);

	if (!image || --image->users > 0)
		return;
	empty(store, number);
	if (store->last == number)
		store->last = 0;
}
