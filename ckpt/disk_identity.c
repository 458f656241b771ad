#include "disk_identity.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

/* Returns the bytes of the build id as text; NULL: there is none. */
static char *build_id_in(const char *bytes, gsize size, const Elf64_Phdr *segment)
{
	gsize at = segment->p_offset, end = segment->p_offset + segment->p_filesz;

	while (end <= size && at + sizeof(Elf64_Nhdr) <= end) {
		Elf64_Nhdr note;
		gsize name = at + sizeof(note), value;

		memcpy(&note, bytes + at, sizeof(note));
		value = name + (note.n_namesz + 3) / 4 * 4;
		at = value + (note.n_descsz + 3) / 4 * 4;
		if (at > end || at < value)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU)
		    && memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
			GString *text = g_string_new("build-id ");

			for (gsize i = 0; i < note.n_descsz; i++)
				g_string_append_printf(text, "%02x", (guint8)bytes[value + i]);
			return g_string_free(text, false);
		}
	}
	return NULL;
}

static char *build_id_of(const char *bytes, gsize size)
{
	Elf64_Ehdr head;

	if (size < sizeof(head))
		return NULL;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64
	    || head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phoff > size
	    || head.e_phnum > (size - head.e_phoff) / sizeof(Elf64_Phdr))
		return NULL;
	for (guint i = 0; i < head.e_phnum; i++) {
		Elf64_Phdr segment;
		char *found;

		memcpy(&segment, bytes + head.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type != PT_NOTE || segment.p_offset > size
		    || segment.p_filesz > size - segment.p_offset)
			continue;
		found = build_id_in(bytes, size, &segment);
		if (found)
			return found;
	}
	return NULL;
}

static char *identity(const char *path, bool by_build_id, GError **error)
{
	GMappedFile *file = g_mapped_file_new(path, false, error);
	const char *bytes = file ? g_mapped_file_get_contents(file) : NULL;
	gsize size = file ? g_mapped_file_get_length(file) : 0;
	char *text = NULL;

	if (!file)
		return NULL;
	if (by_build_id && bytes)
		text = build_id_of(bytes, size);
	if (!text) {
		g_autofree char *sum = g_compute_checksum_for_data(
			G_CHECKSUM_SHA256, (const guchar *)(bytes ? bytes : ""), size);

		text = g_strdup_printf("sha256 %s", sum);
	}
	g_mapped_file_unref(file);
	return text;
}

char *disk_identity_of(const char *path, GError **error)
{
	return identity(path, true, error);
}

char *disk_identity_contents(const char *path, GError **error)
{
	return identity(path, false, error);
}
