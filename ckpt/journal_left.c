/* Journals whose owner was killed before it restored the files.
 *
 * The owner holds a lock as long as it lives. The kernel releases the lock of a zombie as well, and
 * a process that gets the same number later does not have it. If the file system has no such locks,
 * number and start time of the process decide. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_internal.h"
#include "remove_tree.h"

#define OWNER "owner"
#define TOUCH_US G_USEC_PER_SEC
/* a file changed so long after the owner's last sign of life was not changed by its program */
#define LATER_S 60
#define WAIT_US (60 * G_USEC_PER_SEC) /* for another process that is restoring the same */
#define STEP_US 10000

/* --- the owner -------------------------------------------------------------------------------- */

/* The start time of the process, in clock ticks since the boot; 0: it is gone, or a zombie. See
 * proc(5), /proc/pid/stat. */
static guint64 start_of(pid_t pid)
{
	enum { STATE = 3, START = 22 };
	g_autofree char *file = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = NULL;
	g_auto(GStrv) fields = NULL;
	const char *rest;

	if (!g_file_get_contents(file, &text, NULL, NULL) || !(rest = strrchr(text, ')')))
		return 0;
	fields = g_strsplit(rest + 2, " ", -1);
	if (g_strv_length(fields) <= START - STATE || strchr("ZX", *fields[0]))
		return 0;
	return g_ascii_strtoull(fields[START - STATE], NULL, 10);
}

bool journal_own(struct journal *journal)
{
	g_autofree char *file = g_build_filename(journal->path, OWNER, NULL);
	g_autofree char *text = g_strdup_printf("%d %" G_GUINT64_FORMAT "\n", (int)getpid(),
	                                        start_of(getpid()));
	gssize length = (gssize)strlen(text);

	journal->owner = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (journal->owner < 0)
		return false;
	(void)flock(journal->owner, LOCK_EX | LOCK_NB);
	return write(journal->owner, text, (gsize)length) == length;
}

void journal_lives(struct journal *journal)
{
	gint64 now = g_get_monotonic_time();

	if (journal->owner < 0 || now - journal->lived < TOUCH_US)
		return;
	journal->lived = now;
	(void)futimens(journal->owner, NULL);
}

/* Whether the process named in the file still exists. */
static bool writer_lives(int owner)
{
	char text[64];
	ssize_t length = pread(owner, text, sizeof(text) - 1, 0);
	char *end;
	guint64 pid, start;

	if (length <= 0)
		return false;
	text[length] = '\0';
	pid = g_ascii_strtoull(text, &end, 10);
	start = g_ascii_strtoull(end, NULL, 10);
	return start > 0 && start_of((pid_t)pid) == start;
}

enum claim {
	CLAIM_MINE,
	CLAIM_LIVES, /* the owner lives */
	CLAIM_BUSY,  /* another process is restoring */
	CLAIM_NONE,  /* there is no journal (any more) */
};

/* Makes this process the one that restores. The caller closes *ret_owner afterwards. */
static enum claim claim(const char *path, int *ret_owner)
{
	g_autofree char *file = g_build_filename(path, OWNER, NULL);
	int owner = open(file, O_RDWR | O_CLOEXEC);
	enum claim claim = CLAIM_MINE;
	struct stat status;

	if (owner < 0)
		return CLAIM_NONE;
	if (flock(owner, LOCK_EX | LOCK_NB) < 0) {
		claim = errno == EWOULDBLOCK ? CLAIM_BUSY : CLAIM_MINE;
		if (writer_lives(owner))
			claim = CLAIM_LIVES;
	}
	/* The previous holder of the lock may have removed it. */
	if (claim == CLAIM_MINE && fstat(owner, &status) == 0 && status.st_nlink == 0)
		claim = CLAIM_NONE;
	if (claim == CLAIM_MINE)
		*ret_owner = owner;
	else
		close(owner);
	return claim;
}

GPtrArray *journal_list(const char *parent)
{
	GPtrArray *left = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *here = g_canonicalize_filename(parent, NULL);
	GDir *directory = g_dir_open(here, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		if (g_str_has_prefix(name, JOURNAL_PREFIX))
			g_ptr_array_add(left, g_build_filename(here, name, NULL));
	}
	if (directory)
		g_dir_close(directory);
	return left;
}

/* --- restoring -------------------------------------------------------------------------------- */

struct keeper {
	struct timespec last; /* the owner's last sign of life */
	const char *parent;
	char *replaced; /* NULL: nothing had to be kept so far */
	GError *error;
};

/* Keeps a copy of what someone has written since then. */
static bool keep_later(const struct agent_journal_state *wanted, void *data)
{
	struct keeper *keeper = data;
	struct stat status;

	if (wanted->kind == AGENT_JOURNAL_LOST || lstat(wanted->path, &status) != 0
	    || !S_ISREG(status.st_mode) || status.st_mtim.tv_sec <= keeper->last.tv_sec + LATER_S)
		return true;
	if (!keeper->replaced) {
		keeper->replaced = g_strdup_printf("%s/replaced-XXXXXX", keeper->parent);
		if (!g_mkdtemp_full(keeper->replaced, 0700)) {
			g_set_error(&keeper->error, G_FILE_ERROR,
			            (gint)g_file_error_from_errno(errno), "%s: %s",
			            keeper->replaced, g_strerror(errno));
			g_clear_pointer(&keeper->replaced, g_free);
			return false;
		}
	}
	return journal_keep_file(wanted->path, wanted->path + 1, keeper->replaced, &keeper->error);
}

static bool put_back(struct journal *journal, int owner, struct journal_recovery *ret,
                     GError **error)
{
	g_autofree char *parent = g_path_get_dirname(journal->path);
	struct keeper keeper = {.parent = parent};
	struct stat status;

	if (fstat(owner, &status) == 0)
		keeper.last = status.st_mtim;
	journal_put_back_all(journal, keep_later, &keeper);
	ret->problems = g_ptr_array_ref(journal->problems);
	ret->replaced = keeper.replaced;
	if (keeper.error) {
		g_propagate_error(error, keeper.error);
		return false;
	}
	if (journal->failures > 0) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s",
		            journal->problems->len > 0 ? (const char *)journal->problems->pdata[0]
		                                       : "the journal is damaged");
		return false;
	}
	return true;
}

bool journal_recover(const char *path, journal_vacate vacate, struct journal_recovery *ret_recovery,
                     GError **error)
{
	struct journal *journal;
	gint64 deadline = g_get_monotonic_time() + WAIT_US;
	enum claim claimed;
	bool good;
	int owner = -1;

	*ret_recovery = (struct journal_recovery){0};
	while ((claimed = claim(path, &owner)) == CLAIM_BUSY && g_get_monotonic_time() < deadline)
		g_usleep(STEP_US);
	if (claimed == CLAIM_BUSY) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
		            "another process is still putting them back");
		return false;
	}
	if (claimed != CLAIM_MINE)
		return true;
	if (!vacate(path)) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
		            "processes of the program still run, and cannot be ended");
		close(owner);
		return false;
	}
	journal = journal_of(g_strdup(path));
	good = put_back(journal, owner, ret_recovery, error);
	if (good)
		remove_tree(path);
	journal_forget(journal);
	close(owner);
	return good;
}

void journal_recovery_clear(struct journal_recovery *recovery)
{
	if (recovery->problems)
		g_ptr_array_unref(recovery->problems);
	g_free(recovery->replaced);
	*recovery = (struct journal_recovery){0};
}
