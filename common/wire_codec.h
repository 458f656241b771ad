/* The fields of messages, each in three directions: append to a buffer, read from a frame, show to
 * a visitor (struct wire_visitor). Only wire.c includes this header. All functions are static, so
 * that they are compiled into the descriptions of the messages. Libc only. */
#ifndef MATCHPOINT_COMMON_WIRE_CODEC_H
#define MATCHPOINT_COMMON_WIRE_CODEC_H

#include <stdlib.h>
#include <string.h>

#include "wire.h"

enum { HEADER_BYTES = 4, TYPE_BYTES = 2, FIRST_CAPACITY = 1024 };

struct codec {
	struct wire_buffer *out; /* encoding; NULL: decoding */
	const uint8_t *next, *end;
	const struct wire_visitor *visitor; /* not NULL: no coding, each field is shown to it */
	void *user;
	bool failed;
};

static uint8_t *buffer_extend(struct wire_buffer *buffer, size_t bytes)
{
	if (buffer->failed)
		return NULL;
	if (buffer->capacity - buffer->count < bytes) {
		size_t capacity = buffer->capacity > 0 ? buffer->capacity : FIRST_CAPACITY;
		while (capacity - buffer->count < bytes)
			capacity *= 2;
		uint8_t *grown = realloc(buffer->bytes, capacity);
		if (!grown) {
			buffer->failed = true;
			return NULL;
		}
		buffer->bytes = grown;
		buffer->capacity = capacity;
	}
	uint8_t *place = buffer->bytes + buffer->count;
	buffer->count += bytes;
	return place;
}

/* The address of the next `bytes` bytes of the frame; NULL: there are none. */
static inline const uint8_t *take(struct codec *codec, size_t bytes)
{
	if (codec->failed || (size_t)(codec->end - codec->next) < bytes) {
		codec->failed = true;
		return NULL;
	}
	const uint8_t *place = codec->next;
	codec->next += bytes;
	return place;
}

static void store_little_endian(uint8_t *place, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		place[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t load_little_endian(const uint8_t *place, size_t bytes)
{
	uint64_t value = 0;
	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)place[i] << (8 * i);
	return value;
}

static void put(struct codec *codec, uint64_t value, size_t bytes)
{
	uint8_t *place = buffer_extend(codec->out, bytes);
	if (place)
		store_little_endian(place, value, bytes);
}

/* The next number of the frame; 0 after a failure. */
static inline uint64_t get(struct codec *codec, size_t bytes)
{
	const uint8_t *place = take(codec, bytes);
	return place ? load_little_endian(place, bytes) : 0;
}

/* The name of a field, from the expression for it: "call" from "&call->ops[i].call". */
static void copy_name(const char *expression, char ret_name[32])
{
	const char *begin = expression;
	size_t length;

	for (const char *at = expression; *at; at++)
		if (*at == '>' || *at == '.' || *at == '&')
			begin = at + 1;
	length = strcspn(begin, "[");
	if (length > 31)
		length = 31;
	memcpy(ret_name, begin, length);
	ret_name[length] = '\0';
}

/* Rare: kept out of the code that decodes fields. */
__attribute__((cold, noinline)) static int64_t visit_number(struct codec *codec,
                                                            const char *expression, int64_t value)
{
	char name[32];

	copy_name(expression, name);
	codec->visitor->number(codec->user, name, &value);
	return value;
}

/* The value that a field gets when the message is not encoded. */
static inline uint64_t new_number(struct codec *codec, const char *name, int64_t value,
                                  size_t bytes)
{
	return codec->visitor ? (uint64_t)visit_number(codec, name, value) : get(codec, bytes);
}

static inline void put_u8(struct codec *codec, const char *name, uint8_t *value, uint8_t largest)
{
	if (codec->out)
		put(codec, *value, 1);
	else
		*value = (uint8_t)new_number(codec, name, *value, 1);
	if (*value > largest)
		codec->failed = true;
}

static inline void put_bool(struct codec *codec, const char *name, bool *value)
{
	uint8_t byte = codec->out || codec->visitor ? *value : 0;

	put_u8(codec, name, &byte, 1);
	if (!codec->out)
		*value = byte == 1;
}

static inline void put_u16(struct codec *codec, const char *name, uint16_t *value)
{
	if (codec->out)
		put(codec, *value, 2);
	else
		*value = (uint16_t)new_number(codec, name, *value, 2);
}

static inline void put_u32(struct codec *codec, const char *name, uint32_t *value)
{
	if (codec->out)
		put(codec, *value, 4);
	else
		*value = (uint32_t)new_number(codec, name, *value, 4);
}

static inline void put_i32(struct codec *codec, const char *name, int32_t *value)
{
	if (codec->out)
		put(codec, (uint32_t)*value, 4);
	else
		*value = (int32_t)(uint32_t)new_number(codec, name, *value, 4);
}

static inline void put_u64(struct codec *codec, const char *name, uint64_t *value)
{
	if (codec->out)
		put(codec, *value, 8);
	else
		*value = new_number(codec, name, (int64_t)*value, 8);
}

static inline void put_i64(struct codec *codec, const char *name, int64_t *value)
{
	uint64_t bits = (uint64_t)*value;

	put_u64(codec, name, &bits);
	*value = (int64_t)bits;
}

#define field_u8(codec, value, largest) put_u8(codec, #value, value, largest)
#define field_bool(codec, value) put_bool(codec, #value, value)
#define field_u16(codec, value) put_u16(codec, #value, value)
#define field_u32(codec, value) put_u32(codec, #value, value)
#define field_i32(codec, value) put_i32(codec, #value, value)
#define field_u64(codec, value) put_u64(codec, #value, value)
#define field_i64(codec, value) put_i64(codec, #value, value)

/* A string without NUL inside. NULL is written as the empty string, and never read. */
static void put_string(struct codec *codec, const char *expression, char **value)
{
	if (codec->visitor) {
		char name[32];
		copy_name(expression, name);
		codec->visitor->text(codec->user, name, value);
		return;
	}
	if (codec->out) {
		size_t length = *value ? strlen(*value) : 0;
		put(codec, length, 4);
		uint8_t *place = length > 0 ? buffer_extend(codec->out, length) : NULL;
		if (place)
			memcpy(place, *value, length);
		return;
	}
	size_t length = get(codec, 4);
	const uint8_t *place = take(codec, length);
	if (place && !memchr(place, 0, length))
		*value = malloc(length + 1);
	if (!*value) {
		codec->failed = true;
		return;
	}
	memcpy(*value, place, length);
	(*value)[length] = '\0';
}

#define field_string(codec, value) put_string(codec, #value, value)

/* The length of a list; when decoding, also makes room for it. `smallest` is the least size of an
 * element on the wire: so a frame cannot ask for more memory than its size justifies. `elements`
 * points to the list's pointer. Returns the number of elements to visit. */
static uint32_t put_list(struct codec *codec, const char *name, uint32_t *count, void *elements,
                         size_t size, size_t smallest)
{
	put_u32(codec, name, count);
	if (codec->out || (codec->visitor && !codec->visitor->fills))
		return *count;
	if (codec->visitor
	            ? *count > WIRE_FRAME_MAX / smallest
	            : codec->failed || *count > (size_t)(codec->end - codec->next) / smallest) {
		codec->failed = true;
		*count = 0;
	}
	if (*count > 0) {
		void *room = calloc(*count, size);
		memcpy(elements, &room, sizeof(room));
		if (!room) {
			codec->failed = true;
			*count = 0;
		}
	}
	return *count;
}

#define FIELD_LIST(codec, count, list, smallest) \
	put_list(codec, #list, count, list, sizeof(**(list)), smallest)

/* The loop condition for the elements of a list. */
static bool element(struct codec *codec, uint32_t index, uint32_t count)
{
	if (codec->visitor && index > 0)
		codec->visitor->group(codec->user, NULL, false);
	if (codec->visitor && index < count)
		codec->visitor->group(codec->user, "", true);
	return index < count;
}

static void put_name(struct codec *codec, const char *expression, struct wire_name *value)
{
	if (codec->visitor) {
		char name[32];
		copy_name(expression, name);
		codec->visitor->name(codec->user, name, value);
		return;
	}
	field_u32(codec, &value->call);
	field_u32(codec, &value->sub);
}

#define field_name(codec, value) put_name(codec, #value, value)

#endif
