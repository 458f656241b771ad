/* Files of ranks on disk: whole ones are accepted, and no other: cut off anywhere, or
 * with any bit changed that matters. And the folder of checkpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "ckpt/agent_disk_format.h"
#include "ckpt/disk_folder.h"
#include "ckpt/disk_image.h"

enum { PAGES = 5 };

static char *folder;

static char *path_in(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

/* A file of these pages (filled with `fill`, `fill` + 1, ...); of generation 1, whose first page is
 * in the file of generation 0. */
static GByteArray *image_of(guint8 fill, const char *base)
{
	struct disk_header head = {.version = DISK_VERSION,
	                           .size = sizeof(head),
	                           .generation = base ? 1 : 0,
	                           .map_count = 1,
	                           .page_count = PAGES,
	                           .program = "/bin/true",
	                           .kernel = "6.1"};
	const struct disk_map map = {.start = 1 << 20, .end = (1 << 20) + PAGES * DISK_PAGE};
	struct disk_page pages[PAGES];
	guint64 strings[1] = {0}, page[DISK_PAGE / 8];
	guint8 *tables;
	GByteArray *bytes = g_byte_array_new();

	g_byte_array_set_size(bytes, DISK_HEAD);
	memset(bytes->data, 0, DISK_HEAD);
	for (guint i = 0; i < PAGES; i++) {
		bool elsewhere = base && i == 0;

		memset(page, elsewhere ? 1 : fill + (int)i, sizeof(page));
		pages[i].address = map.start + i * DISK_PAGE;
		pages[i].hash = disk_hash(page, sizeof(page), NULL);
		pages[i].where = elsewhere ? disk_where(0, DISK_HEAD)
		                           : disk_where(head.generation, bytes->len);
		if (!elsewhere)
			g_byte_array_append(bytes, (const guint8 *)page, sizeof(page));
	}
	head.tables = bytes->len;
	head.pages = sizeof(map);
	head.strings = sizeof(map) + sizeof(pages);
	head.strings_size = sizeof(strings);
	head.tables_size = head.strings + head.strings_size;
	g_byte_array_append(bytes, (const guint8 *)&map, sizeof(map));
	g_byte_array_append(bytes, (const guint8 *)pages, sizeof(pages));
	g_byte_array_append(bytes, (const guint8 *)strings, sizeof(strings));
	tables = g_memdup2(bytes->data + head.tables, head.tables_size);
	head.tables_hash = disk_hash(tables, head.tables_size, NULL);
	g_free(tables);
	head.file_size = bytes->len;
	memcpy(head.magic, DISK_MAGIC, sizeof(head.magic));
	if (base)
		g_strlcpy(head.generations[0], base, DISK_NAME);
	disk_read_cpu(&head.cpu);
	head.hash = disk_hash(&head, sizeof(head), NULL);
	memcpy(bytes->data, &head, sizeof(head));
	return bytes;
}

static char *write_image(const char *name, const GByteArray *bytes)
{
	g_autofree char *below = path_in(name);
	char *path = g_build_filename(below, "rank.0.img", NULL);

	g_mkdir(below, 0700);
	assert_true(g_file_set_contents(path, (const char *)bytes->data, bytes->len, NULL));
	return path;
}

static bool is_whole(const char *path)
{
	g_autoptr(GError) error = NULL;
	bool whole = disk_image_check(path, &error);

	assert_int_equal(whole, error == NULL);
	return whole;
}

static void test_whole(void **state)
{
	g_autoptr(GByteArray) first = image_of(1, NULL), second = image_of(7, "a");
	g_autofree char *one = write_image("a", first), *other = write_image("b", second);
	g_autoptr(GError) error = NULL;
	g_autoptr(DiskImage) image = disk_image_open(other, &error);

	(void)state;
	assert_true(is_whole(one));
	assert_true(is_whole(other));
	assert_non_null(image);
	assert_string_equal(image->builds_on[0], "a");
	assert_null(image->builds_on[1]);
	assert_int_equal(image->pages, PAGES);
	g_unlink(one);
	assert_false(is_whole(other));
}

static void test_cut_off(void **state)
{
	g_autoptr(GByteArray) bytes = image_of(1, NULL);
	const guint whole = bytes->len;

	(void)state;
	for (guint length = 0; length <= whole; length += length % 1024 == 0 ? 37 : 987) {
		g_autofree char *path = NULL;

		bytes->len = MIN(length, whole - 1);
		path = write_image("a", bytes);
		assert_false(is_whole(path));
	}
	bytes->len = whole;
}

/* All of the header and the tables, and each page. Behind the header nothing is read. */
static void test_changed(void **state)
{
	g_autoptr(GByteArray) bytes = image_of(1, NULL);
	const guint pages = DISK_HEAD, tables = pages + PAGES * DISK_PAGE;

	(void)state;
	for (guint at = 0; at < bytes->len; at += at < sizeof(struct disk_header) ? 61 : 127) {
		g_autofree char *path = NULL;

		if (at >= sizeof(struct disk_header) && at < pages)
			continue;
		bytes->data[at] ^= 0x20;
		path = write_image("a", bytes);
		assert_false(is_whole(path));
		bytes->data[at] ^= 0x20;
	}
	for (guint at = tables; at < bytes->len; at++) {
		g_autofree char *path = NULL;

		bytes->data[at] ^= 1;
		path = write_image("a", bytes);
		assert_false(is_whole(path));
		bytes->data[at] ^= 1;
	}
}

/* Tables with a right checksum, which point elsewhere. */
static void test_wrong(void **state)
{
	g_autoptr(GByteArray) bytes = image_of(1, NULL);
	struct disk_header *head = (struct disk_header *)(void *)bytes->data;
	/* From anywhere in the tables, a text can begin, and fewer pages are fewer. */
	const guint64 wrong[] = {3, G_MAXUINT64, G_MAXUINT64 / 8, 1u << 30};
	guint64 *const members[] = {&head->pages,        &head->page_count, &head->strings,
	                            &head->strings_size, &head->map_count,  &head->tables,
	                            &head->tables_size};

	(void)state;
	for (guint i = 0; i < G_N_ELEMENTS(members) * G_N_ELEMENTS(wrong); i++) {
		guint64 *member = members[i / G_N_ELEMENTS(wrong)], before = *member;
		guint64 hash = head->hash;
		g_autofree char *path = NULL;

		*member = member == &head->map_count ? wrong[i % 4] | 1u << 20 : wrong[i % 4];
		head->hash = 0;
		head->hash = disk_hash(head, sizeof(*head), NULL);
		path = write_image("a", bytes);
		if (*member > 3
		    || (member != &head->page_count && member != &head->strings
		        && member != &head->strings_size))
			assert_false(is_whole(path));
		*member = before;
		head->hash = hash;
	}
}

static void test_other_processor(void **state)
{
	g_autoptr(GByteArray) bytes = image_of(1, NULL);
	struct disk_header *head = (struct disk_header *)(void *)bytes->data;
	g_autofree char *path = NULL;

	(void)state;
	head->cpu.xsave_size += 64;
	head->hash = 0;
	head->hash = disk_hash(head, sizeof(*head), NULL);
	path = write_image("a", bytes);
	assert_false(is_whole(path));
}

/* --- the folder ------------------------------------------------------------------------------- */

static char *save(const char *name, const char *base, GError **error)
{
	g_autofree char *all = path_in("all");
	struct disk_draft *draft = disk_draft_new(all, name, error);
	g_autoptr(GString) history = g_string_new("recording 1\n");
	g_autoptr(GByteArray) bytes = image_of(3, base);
	char *program[] = {"/bin/true", NULL}, *path = NULL;
	g_autofree char *image = NULL;

	if (!draft)
		return NULL;
	image = g_build_filename(disk_draft_path(draft), "rank.0.img", NULL);
	assert_true(g_file_set_contents(image, (const char *)bytes->data, bytes->len, NULL));
	g_key_file_set_string_list(disk_draft_manifest(draft), "checkpoint", "program",
	                           (const char *const *)program, 1);
	assert_true(disk_draft_add_history(draft, history, error));
	if (!disk_draft_finish(draft, 1, &path, error))
		path = NULL;
	disk_draft_free(draft);
	return path;
}

static void test_folder(void **state)
{
	g_autofree char *all = path_in("all");
	g_autoptr(GError) error = NULL, refused = NULL;
	g_autofree char *one = save("a", NULL, &error), *other = save("b", "a", &error);
	g_autoptr(DiskCheckpoint) newest = disk_checkpoint_open(all, &error);
	g_autofree char *base = newest ? disk_checkpoint_base(newest) : NULL;

	(void)state;
	assert_null(error);
	assert_string_equal(newest->name, "b");
	assert_string_equal(base, "a");
	assert_true(disk_folder_is_there(all));
	assert_null(save("a", NULL, &refused));
	assert_non_null(strstr(refused->message, "there already"));
	g_clear_error(&refused);
	assert_null(save("../x", NULL, &refused));
	g_clear_error(&refused);
	assert_false(disk_folder_remove(one, &refused));
	assert_non_null(strstr(refused->message, "builds on it"));
	g_clear_error(&refused);
	g_chmod(other, 0750);
	assert_null(disk_checkpoint_open(other, &refused));
	g_clear_error(&refused);
	g_chmod(other, 0700);
	assert_true(disk_folder_remove(all, &error));
	assert_false(g_file_test(all, G_FILE_TEST_EXISTS));
}

/* What was begun and given up leaves nothing, and has no name meanwhile. */
static void test_draft(void **state)
{
	g_autofree char *all = path_in("all");
	g_autoptr(GError) error = NULL;
	struct disk_draft *draft = disk_draft_new(all, "x", &error);
	GPtrArray *wrong = NULL, *list = disk_folder_list(all, &wrong, &error);

	(void)state;
	assert_non_null(draft);
	assert_int_equal(list->len + wrong->len, 0);
	g_ptr_array_unref(list);
	g_ptr_array_unref(wrong);
	disk_draft_free(draft);
	assert_int_equal(g_rmdir(all), 0);
}

static int set_up(void **state)
{
	(void)state;
	folder = g_dir_make_tmp("matchpoint-disk-XXXXXX", NULL);
	return folder ? 0 : -1;
}

static int clean_up(void **state)
{
	(void)state;
	for (const char *const *name = (const char *const[]){"a", "b", NULL}; *name; name++) {
		g_autofree char *below = path_in(*name);
		g_autofree char *file = g_build_filename(below, "rank.0.img", NULL);

		g_unlink(file);
		g_rmdir(below);
	}
	g_rmdir(folder);
	g_free(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_cut_off, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_changed, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_wrong, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_other_processor, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_folder, set_up, clean_up),
		cmocka_unit_test_setup_teardown(test_draft, set_up, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
