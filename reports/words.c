#include "words.h"

#include <string.h>

#include "mpi_calls.h"

char *words_ranks(const GArray *ranks)
{
	GString *text = g_string_new(ranks->len == 1 ? "rank " : "ranks ");

	for (guint i = 0; i < ranks->len; i++) {
		int32_t first = g_array_index(ranks, int32_t, i), last = first;

		while (i + 1 < ranks->len && g_array_index(ranks, int32_t, i + 1) == last + 1
		       && rank_names_row_end(last, last + 1) > last) {
			last++;
			i++;
		}
		if (text->str[text->len - 1] != ' ')
			g_string_append(text, ", ");
		if (last == first + 1)
			g_string_append_printf(text, "%s, %s", rank_name(first), rank_name(last));
		else
			g_string_append(text, rank_names_row(first, last));
	}
	return g_string_free(text, false);
}

static bool is_control(char letter)
{
	return (guchar)letter < ' ' || letter == 0x7f;
}

/* The number of bytes of the first character, negative if a terminal must not get it. */
static int first_character(const char *word)
{
	gunichar character = g_utf8_get_char_validated(word, -1);
	g_autofree char *one = NULL, *shown = NULL;
	int length;

	if (is_control(*word) || character == (gunichar)-1 || character == (gunichar)-2)
		return -1;
	length = g_unichar_to_utf8(character, NULL);
	one = g_strndup(word, (gsize)length);
	shown = record_printable(one, -1);
	return strcmp(one, shown) == 0 ? length : -length;
}

/* Quotes as bash's $'...'. No character that a terminal obeys reaches it, or a log. */
static char *quote_controls(const char *word)
{
	GString *text = g_string_new("$'");

	while (*word) {
		int length = first_character(word);

		if (*word == '\'' || *word == '\\')
			g_string_append_c(text, '\\');
		if (length > 0)
			g_string_append_len(text, word, length);
		for (int i = 0; i < -length; i++)
			g_string_append_printf(text, "\\%03o", (guchar)word[i]);
		word += ABS(length);
	}
	g_string_append_c(text, '\'');
	return g_string_free(text, false);
}

char *words_shell(const char *word)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789-_./=:,+@%";
	g_autofree char *shown = record_printable(word, -1);
	bool quotes = strcmp(shown, word) != 0;

	if (*word && strspn(word, harmless) == strlen(word))
		return g_strdup(word);
	for (const char *at = word; *at && !quotes; at++)
		quotes = is_control(*at);
	return quotes ? quote_controls(word) : g_shell_quote(word);
}

char *words_who(const GArray *ranks, uint32_t thread)
{
	g_autofree char *who = words_ranks(ranks), *which = record_thread_print(thread);

	return which ? g_strdup_printf("%s, %s", who, which) : g_steal_pointer(&who);
}

char *words_program(const struct record_exploration *exploration)
{
	GString *text = g_string_new(NULL);

	for (char *const *word = exploration->program; *word; word++) {
		g_autofree char *quoted = words_shell(*word);

		g_string_append_printf(text, "%s%s", text->len ? " " : "", quoted);
	}
	return g_string_free(text, false);
}

const char *words_bufferings(uint32_t bufferings)
{
	if (bufferings == (RECORD_ZERO | RECORD_INFINITE))
		return "zero and infinite buffering";
	if (bufferings == RECORD_PER_SEND)
		return "a choice for each send";
	return bufferings == RECORD_ZERO ? "zero buffering" : "infinite buffering";
}

char *words_call(const struct record_rank *rank)
{
	if (!rank->function)
		return g_strdup("");
	if (!rank->arguments && !g_str_has_prefix(rank->function, "MPI_"))
		return g_strdup(rank->function); /* a load or store */
	return g_strdup_printf("%s(%s)", rank->function, rank->arguments ? rank->arguments : "");
}

/* What the awaited ranks do, if `rank` waits for a lock; "" for other calls. A rank that has
 * been chosen to get the lock may itself wait until shared locks are released. */
static const char *holding(const struct record_rank *rank, const GPtrArray *roll_call)
{
	bool several = rank->waits_for->len > 1;

	if (mpi_call_lock(mpi_call_by_name(rank->function)) != MPI_CALL_LOCK_TAKES)
		return "";
	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *other = g_ptr_array_index(roll_call, i);
		bool awaited = false;

		for (guint j = 0; j < rank->waits_for->len; j++)
			awaited |= g_array_index(rank->waits_for, int32_t, j) == other->rank;
		if (awaited && other->function == rank->function
		    && g_strcmp0(other->arguments, rank->arguments) == 0)
			return several ? ", which come first" : ", which comes first";
	}
	return several ? ", which hold the lock" : ", which holds the lock";
}

char *words_state(const struct record_rank *rank, const GPtrArray *roll_call)
{
	g_autoptr(GArray) ended = g_array_new(false, false, sizeof(int32_t));
	g_autofree char *awaited = NULL, *gone = NULL;

	if (rank->ended)
		return g_strdup(rank->ended);
	if (rank->does)
		return g_strdup(rank->does);
	if (rank->waits_for->len == 0)
		return g_strdup("waits");
	awaited = words_ranks(rank->waits_for);
	for (guint i = 0; i < rank->waits_for->len; i++) {
		int32_t other = g_array_index(rank->waits_for, int32_t, i);

		for (guint j = 0; j < roll_call->len; j++) {
			const struct record_rank *record = g_ptr_array_index(roll_call, j);

			if (record->rank == other && record->ended)
				g_array_append_val(ended, other);
		}
	}
	if (ended->len == 0)
		return g_strdup_printf("waits for %s%s", awaited, holding(rank, roll_call));
	if (ended->len == rank->waits_for->len)
		return g_strdup_printf("waits for %s, which %s ended", awaited,
		                       ended->len == 1 ? "has" : "have");
	gone = words_ranks(ended);
	return g_strdup_printf("waits for %s, of which %s %s ended", awaited, gone,
	                       ended->len == 1 ? "has" : "have");
}

static void line_free(gpointer data)
{
	struct words_line *line = data;

	g_array_unref(line->ranks);
	g_free(line->call);
	g_free(line->place);
	g_free(line->state);
	g_free(line->callers);
	g_free(line);
}

#define CALLERS_TOLD 4

static char *callers(const GArray *frames)
{
	GString *text;

	if (!frames || frames->len < 2)
		return NULL;
	text = g_string_new("called from ");
	for (guint i = 1; i < frames->len; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);
		g_autofree char *place = place_print(&frame->place);

		if (i == CALLERS_TOLD && frames->len > CALLERS_TOLD + 1) {
			g_string_append(text, ", ...");
			i = frames->len - 2; /* skip to the outermost */
			continue;
		}
		g_string_append(text, i > 1 ? ", " : "");
		if (frame->function && frame->place.file)
			g_string_append_printf(text, "%s (%s)", frame->function, place);
		else
			g_string_append(text, place);
	}
	return g_string_free(text, false);
}

char *words_callers(const struct store_reader *reader, uint32_t stack)
{
	return store_reader_stack_tells(reader, stack) ? callers(store_reader_stack(reader, stack))
	                                               : NULL;
}

char *words_rank_callers(const struct store_reader *reader, const struct record_rank *rank)
{
	if (record_rank_crashed(rank))
		return callers(store_reader_stack(reader, rank->stack));
	return words_callers(reader, rank->stack);
}

static struct words_line *line_new(const struct store_reader *reader,
                                   const struct record_rank *rank, const GPtrArray *roll_call)
{
	struct words_line *line = g_new0(struct words_line, 1);

	line->ranks = g_array_new(false, false, sizeof(int32_t));
	line->ended = rank->ended != NULL;
	line->well = rank->end == RECORD_END_WELL;
	line->thread = rank->ended ? 0 : rank->thread;
	line->call = words_call(rank);
	line->place = *line->call ? place_print(&rank->place) : g_strdup("");
	line->state = words_state(rank, roll_call);
	line->callers = words_rank_callers(reader, rank);
	return line;
}

static bool line_equal(const struct words_line *one, const struct words_line *other)
{
	return one->ended == other->ended && one->thread == other->thread
	       && g_str_equal(one->call, other->call) && g_str_equal(one->place, other->place)
	       && g_str_equal(one->state, other->state)
	       && g_strcmp0(one->callers, other->callers) == 0;
}

int words_compare_ranks(const void *one, const void *other)
{
	return *(const int32_t *)one - *(const int32_t *)other;
}

GPtrArray *words_roll_call(const struct store_reader *reader, const GPtrArray *roll_call,
                           const struct record_rank *told)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(line_free);

	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(roll_call, i);
		struct words_line *line = line_new(reader, rank, roll_call);
		guint same;

		if (rank == told) {
			line_free(line);
			continue;
		}
		for (same = 0; same < lines->len; same++) {
			if (line_equal(line, g_ptr_array_index(lines, same)))
				break;
		}
		if (same < lines->len)
			line_free(line);
		else
			g_ptr_array_add(lines, line);
		line = g_ptr_array_index(lines, same);
		g_array_append_val(line->ranks, rank->rank);
	}
	for (guint i = 0; i < lines->len; i++)
		g_array_sort(((struct words_line *)lines->pdata[i])->ranks, words_compare_ranks);
	return lines;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

bool words_is_exploration(const struct record_exploration *exploration)
{
	return g_strcmp0(exploration->command, "explore") == 0;
}

bool words_is_recording(const struct record_exploration *exploration)
{
	return g_strcmp0(exploration->command, "record") == 0;
}

char *words_execution(const struct record_execution *execution,
                      const struct record_exploration *exploration)
{
	return words_is_recording(exploration) ? g_strdup("recorded run")
	                                       : g_strdup_printf("interleaving %u", execution->id);
}

const char *words_not_reproduced(const struct record_finding *finding,
                                 const struct record_exploration *exploration)
{
	if (finding->reproduced || !words_is_exploration(exploration))
		return NULL;
	if (finding->struck) /* a note gives details */
		return "its replay was killed from outside: whether it occurs again is unknown";
	if (!finding->replayed)
		return "it was not replayed: no time was left";
	if (limits_have(exploration->limits, LIMIT_THREADS_HURRIED))
		return "its replay ended differently: threads were not waited for, so it may "
		       "depend on timing";
	if (finding_kind_info(finding->kind)->may_be_memory
	    && limits_have(exploration->limits, LIMIT_MEMORY))
		return "its replay ended differently: it may have occurred because memory ran out";
	return "its replay ended differently: the program depends on more than matching";
}

uint32_t words_where(const struct record_finding *finding)
{
	uint32_t bufferings = finding->bufferings;

	for (guint i = 0; finding->variants && i < finding->variants->len; i++)
		bufferings |= ((struct record_finding *)finding->variants->pdata[i])->bufferings;
	return bufferings;
}

char *words_number(uint64_t number)
{
	return number >= RECORD_BEYOND ? g_strdup("more than 10^18")
	                               : g_strdup_printf("%" G_GUINT64_FORMAT, number);
}

char *words_interleavings(uint64_t number)
{
	g_autofree char *text = words_number(number);

	return g_strdup_printf("%s interleaving%s", text, plural(number));
}

char *words_share(const struct record_finding *finding,
                  const struct record_exploration *exploration)
{
	g_autofree char *all = words_interleavings(exploration->interleavings);
	g_autofree char *share = words_number(finding->together);
	uint32_t bufferings = words_where(finding);
	guint variants = finding->variants ? finding->variants->len : 0;
	g_autofree char *in = NULL;
	const char *buffering;

	buffering = bufferings == (RECORD_ZERO | RECORD_INFINITE) ? "any buffering"
	                                                          : words_bufferings(bufferings);
	if (finding_kind_info(finding->kind)->native)
		return g_strdup("without control");
	if (!words_is_exploration(exploration))
		return g_strdup(buffering);
	if (variants > 0)
		in = g_strdup_printf(", %u variants", variants + 1);
	return g_strdup_printf("%s of %s, %s%s", share, all, buffering, in ? in : "");
}

/* "rank 0 in MPI_Recv(source=1, tag=4) at farm.c:39", for the first rank that is part of the
 * finding. */
static char *part_of(const struct record_finding *finding)
{
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];
		g_autofree char *place = place_print(&rank->place);

		if (!rank->bystander)
			return g_strdup_printf("rank %s in %s(%s) at %s", rank_name(rank->rank),
			                       rank->function ? rank->function : "?",
			                       rank->arguments ? rank->arguments : "", place);
	}
	return words_headline(finding);
}

GStrv words_variants(const struct record_finding *finding)
{
	guint count = finding->variants ? finding->variants->len : 0;
	GPtrArray *lines = g_ptr_array_new();

	for (guint i = 0; i < MIN(count, WORDS_VARIANTS_MOST); i++) {
		const struct record_finding *variant = finding->variants->pdata[i];
		g_autofree char *part = part_of(variant), *path = words_path(variant->path);
		g_autofree char *times = words_interleavings(variant->count);

		g_ptr_array_add(lines, g_strdup_printf("#%u, %s: %s, path %s", variant->id, times,
		                                       part, path));
	}
	if (count > WORDS_VARIANTS_MOST)
		g_ptr_array_add(lines, g_strdup_printf("and %u more", count - WORDS_VARIANTS_MOST));
	g_ptr_array_add(lines, NULL);
	return (GStrv)g_ptr_array_free(lines, false);
}

char *words_headline(const struct record_finding *finding)
{
	const char *message = finding->message ? finding->message : "";

	return *message ? g_strdelimit(g_strdup(message), "\n\t", ' ')
	                : g_strdup(finding_kind_name(finding->kind));
}

/* The last lines; but of a sanitizer's report the first ones, as only legends come last. */
static guint first_line_shown(char *const *lines, guint count, unsigned most)
{
	for (guint i = 0; i < count; i++)
		if (strstr(lines[i], "==ERROR: ") && strstr(lines[i], "Sanitizer: "))
			return i;
	return count > most ? count - most : 0;
}

char *words_wrote(int rank, const char *where, GBytes *bytes, unsigned most)
{
	gsize size;
	const char *data = g_bytes_get_data(bytes, &size);
	g_autofree char *valid = data ? record_printable(data, (gssize)size) : g_strdup("");
	g_auto(GStrv) lines = g_strsplit(g_strchomp(valid), "\n", -1);
	guint count = g_strv_length(lines), first;
	GString *text;

	if (!*valid)
		return NULL;
	text = g_string_new(NULL);
	g_string_append_printf(text, "  rank %s wrote%s:\n", rank_name(rank), where);
	first = first_line_shown(lines, count, most);
	if (first > 0)
		g_string_append(text, "    ...\n");
	for (guint i = first; i < MIN(count, first + most); i++)
		g_string_append_printf(text, "    %s\n", lines[i]);
	if (count > first + most)
		g_string_append(text, "    ...\n");
	return g_string_free(text, false);
}

static void add_option(GString *options, const char *option, const char *value)
{
	g_autofree char *word = value ? words_shell(value) : NULL;

	if (word)
		g_string_append_printf(options, "%s %s ", option, word);
}

/* `option` ends with a space unless it is empty. */
static char *again_with(const char *option, const char *path,
                        const struct record_exploration *exploration)
{
	g_autofree char *program = words_program(exploration);
	g_autoptr(GString) options = g_string_new(option);

	if (words_is_recording(exploration)) {
		g_autofree char *folder = words_shell(path);

		return g_strdup_printf("matchpoint replay %s", folder);
	}
	add_option(options, "--launcher", exploration->launcher);
	add_option(options, "--stdin", exploration->standard_input);
	return g_strdup_printf("matchpoint replay %s%s -- %s", options->str, path, program);
}

char *words_again(const char *path, const struct record_exploration *exploration)
{
	return again_with("", path, exploration);
}

/* longer paths do not fit on a line, and may exceed a shell's limit */
#define PATH_MOST 300

char *words_path(const char *path)
{
	g_autofree char *start = g_strndup(path, PATH_MOST);
	char *comma = strrchr(start, ',');
	guint choices = 1;

	if (strlen(path) <= PATH_MOST)
		return g_steal_pointer(&start);
	if (comma)
		*comma = '\0';
	for (const char *at = path; (at = strchr(at, ',')); at++)
		choices++;
	return g_strdup_printf("%s,... (%u choices; --json has the whole path)", start, choices);
}

/* The command that runs the program without matchpoint. */
static char *plain_words(const struct record_exploration *exploration)
{
	g_autoptr(GArray) parts = record_programs(exploration);
	const int ranks = parts ? g_array_index(parts, struct program_part, 0).ranks
	                        : exploration->ranks;
	g_autofree char *program = words_program(exploration);
	g_autofree char *file = exploration->standard_input
	                                ? words_shell(exploration->standard_input)
	                                : NULL;

	return g_strdup_printf("mpiexec.mpich -n %d %s%s%s", ranks, program, file ? " < " : "",
	                       file ? file : "");
}

char *words_finding_again(const struct store_reader *reader, const struct record_finding *finding)
{
	g_autofree char *directory = NULL;

	if (finding_kind_info(finding->kind)->native)
		return plain_words(store_reader_exploration(reader));
	if (strlen(finding->path) <= PATH_MOST || !store_reader_place(reader)) {
		const char *option = finding->kind == FINDING_ERROR_RETURNED
		                             ? "--errors-returned=finding "
		                             : "";

		return again_with(option, finding->path, store_reader_exploration(reader));
	}
	directory = words_shell(store_reader_place(reader));
	return g_strdup_printf("matchpoint replay %u --store %s", finding->id, directory);
}

char *words_subject(const struct record_exploration *exploration)
{
	const struct record_exploration *e = exploration;
	g_autofree char *started = words_started(e);
	g_autofree char *all = words_interleavings(e->interleavings);
	g_autofree char *states = NULL;

	if (words_is_recording(e))
		return g_strdup_printf("a recorded run of %s", started);
	if (e->states > 0)
		states = g_strdup_printf("%" G_GUINT64_FORMAT " state%s", e->states,
		                         plural(e->states));
	if (states && e->counts == RECORD_COUNTS_UNKNOWN)
		return g_strdup_printf("%s of %s", states, started);
	return g_strdup_printf("%s%s%s%s of %s", all, states ? " (" : "", states ? states : "",
	                       states ? ")" : "", started);
}

char *words_shard(const struct record_exploration *exploration)
{
	const struct record_exploration *e = exploration;

	return e->shard > 0 ? g_strdup_printf("shard %u/%u", e->shard, e->shards) : NULL;
}

/* ", all explored", ", all of shard 2/3 explored", ", all explored in 3 shards" */
static void append_covered(GString *text, const struct record_exploration *e)
{
	g_autofree char *shard = words_shard(e);
	g_autofree char *of = shard ? g_strdup_printf(" of %s", shard) : g_strdup("");

	if (e->random && e->incomplete_reason) {
		g_string_append_printf(text, ", %s", e->incomplete_reason);
		return;
	}
	if (!e->complete) {
		g_string_append_printf(text, ", not all%s: %s", of,
		                       e->incomplete_reason ? e->incomplete_reason
		                                            : "it did not finish");
		return;
	}
	g_string_append_printf(text, ", all%s explored", of);
	if (e->shard == 0 && e->shards > 0)
		g_string_append_printf(text, " in %u shard%s", e->shards, plural(e->shards));
}

char *words_extent(const struct record_exploration *exploration)
{
	const struct record_exploration *e = exploration;
	bool explored = words_is_exploration(e);
	GString *text = g_string_new(NULL);

	if (words_is_recording(e)) {
		g_string_append(text, ", not explored");
		return g_string_free(text, false);
	}
	if (explored || e->incomplete_reason)
		append_covered(text, e);
	g_string_append_printf(text, " (%s), %.2f s", words_bufferings(e->bufferings), e->seconds);
	if (explored && e->backtrack_reason)
		g_string_append_printf(text, ", by rerunning: %s", e->backtrack_reason);
	return g_string_free(text, false);
}

char *words_next(const struct record_exploration *exploration)
{
	const GPtrArray *limits = exploration->limits;
	GString *text = g_string_new(NULL);

	if (!words_is_exploration(exploration) || exploration->random
	    || (exploration->shards > 0 && exploration->shard == 0))
		return g_string_free(text, true);
	for (guint i = 0; i < limits->len; i++) {
		const struct record_limit *limit = limits->pdata[i];
		const char *next = limit_info(limit->limit)->next;

		if (next)
			g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "next: ", next);
	}
	return g_string_free(text, text->len == 0);
}

char *words_not_checked(const struct record_exploration *exploration)
{
	g_autofree char *limits = limits_print(exploration->limits, LIMIT_NOT_CHECKED);

	return limits ? g_strdup_printf("not checked: %s", limits) : NULL;
}

const char *words_nothing(const struct record_exploration *exploration)
{
	if (words_is_recording(exploration))
		return "nothing was checked";
	if (!exploration->complete
	    && (words_is_exploration(exploration) || exploration->incomplete_reason))
		return "nothing wrong so far";
	return exploration->shard > 0 ? "nothing wrong in this shard" : "nothing wrong";
}

static const char *plural_kind(const char *kind, guint count)
{
	if (count == 1 || g_str_has_suffix(kind, "s"))
		return "";
	return g_str_has_suffix(kind, "sh") || g_str_has_suffix(kind, "ch") ? "es" : "s";
}

GStrv words_counts(const struct store_reader *reader)
{
	const GPtrArray *findings = store_reader_mistakes(reader);
	g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
	GPtrArray *lines = g_ptr_array_new();

	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *first = g_ptr_array_index(findings, i);
		const char *name = finding_kind_name(first->kind);
		guint count = 0, all = 0;
		g_autofree char *more = NULL, *interleavings = NULL;

		if (!g_hash_table_add(told, GINT_TO_POINTER(first->kind)))
			continue;
		interleavings = words_interleavings(store_reader_count_kind(reader, first->kind));
		for (guint j = i; j < findings->len; j++) {
			const struct record_finding *other = g_ptr_array_index(findings, j);

			if (first->kind != other->kind)
				continue;
			count++;
			all += 1 + (other->variants ? other->variants->len : 0);
		}
		if (finding_kind_info(first->kind)->native) {
			g_ptr_array_add(lines,
			                g_strdup_printf("%u %s, without control", count, name));
			continue;
		}
		more = all > count ? g_strdup_printf(", %u findings with their variants", all)
		                   : g_strdup("");
		g_ptr_array_add(lines,
		                g_strdup_printf("%u %s%s in %s%s", count, name,
		                                plural_kind(name, count), interleavings, more));
	}
	g_ptr_array_add(lines, NULL);
	return (GStrv)g_ptr_array_free(lines, false);
}
