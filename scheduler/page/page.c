#include "page.h"

#include <string.h>

#include "page_graph.h"
#include "page_read.h"
#include "page_server.h"

#define LOOK_MS 50 /* interval between two looks at the ranks */

struct page {
	struct page_owner owner;
	struct page_server *server;
	struct page_state *state;
	struct page_graph *graph;
	GList *viewers; /* struct viewer, in the order of connecting: the first gives lines */
	GQueue *said;   /* char *, lines that the owner has not received; NULL in it: interrupt */
	uv_async_t *something; /* passes them to the owner, outside of the library's callbacks */
	uv_timer_t *looks;
	guint32 stops;
	char *title;
	bool closes;
};

struct viewer {
	struct page *page;
	struct page_reader *reader;
	bool greeted, told_writer;
	guint told_count;
	GString *refused; /* text for this page alone */
	int look_rank;    /* asks for the contents of a message of this rank; -1: no question */
	guint32 look_call;
	char *contents; /* JSON, the answer; NULL: none */
};

static void on_look(uv_timer_t *timer)
{
	struct page *page = timer->data;

	page->owner.look(page->owner.user);
	page_server_wake(page->server);
}

/* --- from the pages --------------------------------------------------------------------------- */

static bool is_writer(const struct viewer *viewer)
{
	return viewer->page->viewers->data == viewer;
}

static void *on_joined(void *user)
{
	struct page *page = user;
	struct viewer *viewer = g_new0(struct viewer, 1);

	viewer->page = page;
	viewer->reader = page_reader_new(page->state);
	viewer->refused = g_string_new(NULL);
	viewer->look_rank = -1;
	page->viewers = g_list_append(page->viewers, viewer);
	uv_timer_start(page->looks, on_look, LOOK_MS, LOOK_MS);
	uv_async_send(page->something);
	page_server_wake(page->server);
	return viewer;
}

static void on_left(void *user, void *reader)
{
	struct page *page = user;
	struct viewer *viewer = reader;

	page->viewers = g_list_remove(page->viewers, viewer);
	page_reader_free(viewer->reader);
	g_string_free(viewer->refused, true);
	g_free(viewer->contents);
	g_free(viewer);
	if (page->closes)
		return;
	if (page->viewers)
		page_server_wake(page->server);
	else
		uv_timer_stop(page->looks);
}

static void refuse(struct viewer *viewer, const char *problem)
{
	if (viewer->refused->len < PAGE_SERVER_LINE)
		g_string_append_printf(viewer->refused, "%s\n", problem);
	page_server_wake(viewer->page->server);
}

static void on_said(void *user, void *reader, const char *bytes, gsize length)
{
	struct page *page = user;
	struct viewer *viewer = reader;
	g_autofree char *problem = NULL;
	char *line = NULL;
	bool interrupts = false;

	if (page_read_look(bytes, length, &viewer->look_rank, &viewer->look_call))
		problem = NULL;
	else if (!is_writer(viewer))
		problem = g_strdup("this page is read-only: another page controls the session");
	else if (g_queue_get_length(page->said) >= 100)
		problem = g_strdup("too many lines are waiting");
	else if (page_read(bytes, length, page->stops, &line, &interrupts, &problem))
		g_queue_push_tail(page->said, line ? line : g_strdup("\003"));
	if (problem)
		refuse(viewer, problem);
	uv_async_send(page->something);
}

/* --- to the pages ----------------------------------------------------------------------------- */

/* Turns {"ranks":...} into {"role":...,"ranks":...}. */
static void add_role(GString *json, struct viewer *viewer)
{
	GString *role = g_string_new("{");
	const struct page *page = viewer->page;
	guint count = g_list_length(page->viewers);

	if (!viewer->greeted) {
		json_add_name(role, "title");
		json_add_text(role, page->title);
	}
	json_add_name(role, "writes");
	g_string_append(role, is_writer(viewer) ? "true" : "false");
	json_add_name(role, "pages");
	json_add_number(role, count);
	if (json->str[1] != '}')
		g_string_append_c(role, ',');
	g_string_insert(json, 1, role->str + 1);
	g_string_free(role, true);
	viewer->greeted = true;
	viewer->told_writer = is_writer(viewer);
	viewer->told_count = count;
}

static void add_refused(GString *json, struct viewer *viewer)
{
	g_string_truncate(json, json->len - 1);
	json_add_name(json, "refused");
	json_add_text(json, viewer->refused->str);
	g_string_append_c(json, '}');
	g_string_truncate(viewer->refused, 0);
}

static void add_contents(GString *json, struct viewer *viewer)
{
	g_string_truncate(json, json->len - 1);
	json_add_name(json, "contents");
	g_string_append(json, viewer->contents);
	g_string_append_c(json, '}');
	g_clear_pointer(&viewer->contents, g_free);
}

static GString *on_next(void *user, void *reader)
{
	struct viewer *viewer = reader;
	const struct page *page = user;
	GString *json = page_reader_next(viewer->reader);
	bool role = !viewer->greeted || viewer->told_writer != is_writer(viewer)
	            || viewer->told_count != g_list_length(page->viewers);

	if (!json && !role && viewer->refused->len == 0 && !viewer->contents)
		return NULL;
	if (!json)
		json = g_string_new("{}");
	if (viewer->refused->len > 0)
		add_refused(json, viewer);
	if (viewer->contents)
		add_contents(json, viewer);
	if (role)
		add_role(json, viewer);
	return json;
}

/* --- turns ------------------------------------------------------------------------------------ */

/* [rank, call, contents of its messages] */
static void look_for(struct page *page, struct viewer *viewer)
{
	g_autofree char *text = page->owner.contents(page->owner.user, viewer->look_rank,
	                                             viewer->look_call);
	GString *json = g_string_new("[");

	json_add_number(json, viewer->look_rank);
	json_add_number(json, viewer->look_call);
	json_add_text(json, text ? text : "");
	g_string_append_c(json, ']');
	g_free(viewer->contents);
	viewer->contents = g_string_free(json, false);
	viewer->look_rank = -1;
}

static void on_something(uv_async_t *something)
{
	struct page *page = something->data;
	char *line;

	if (page->viewers)
		page->owner.look(page->owner.user);
	for (GList *item = page->viewers; item; item = item->next)
		if (((struct viewer *)item->data)->look_rank >= 0)
			look_for(page, item->data);
	page_server_wake(page->server);
	while ((line = g_queue_pop_head(page->said))) {
		if (strcmp(line, "\003") != 0) {
			page->owner.said(page->owner.user, line);
			continue;
		}
		g_free(line);
		page->owner.interrupted(page->owner.user);
	}
}

static void open_turns(struct page *page, uv_loop_t *loop)
{
	page->something = g_new0(uv_async_t, 1);
	uv_async_init(loop, page->something, on_something);
	page->something->data = page;
	page->looks = g_new0(uv_timer_t, 1);
	uv_timer_init(loop, page->looks);
	page->looks->data = page;
}

static void close_turns(struct page *page)
{
	uv_close((uv_handle_t *)page->something, (uv_close_cb)(void (*)(void))g_free);
	uv_close((uv_handle_t *)page->looks, (uv_close_cb)(void (*)(void))g_free);
}

/* --- the whole page --------------------------------------------------------------------------- */

struct page *page_new(uv_loop_t *loop, const struct page_request *request,
                      const struct page_owner *owner, GError **error)
{
	struct page *page = g_new0(struct page, 1);
	const struct page_server_owner server_owner = {on_joined, on_next, on_said, on_left, page};
	g_autofree char *document = live_page(request->title);

	page->owner = *owner;
	page->title = g_strdup(request->title);
	page->state = page_state_new(request->ranks);
	page->graph = page_graph_new(page->state, request->ranks);
	page->said = g_queue_new();
	page->server = page_server_new(loop, request->port, document, &server_owner, error);
	if (page->server) {
		open_turns(page, loop);
		return page;
	}
	page_free(page);
	return NULL;
}

void page_free(struct page *page)
{
	if (!page)
		return;
	page->closes = true;
	if (page->server)
		close_turns(page);
	page_server_free(page->server);
	page_graph_free(page->graph);
	page_state_free(page->state);
	g_queue_free_full(page->said, g_free);
	g_free(page->title);
	g_free(page);
}

const char *page_url(const struct page *page)
{
	return page_server_url(page->server);
}

void page_follow(struct page *page, guint32 number, const struct verdict_facts *facts,
                 const GPtrArray *stacks, const GPtrArray *roll_call)
{
	page_graph_follow(page->graph, number, facts, stacks, roll_call);
}

void page_stop(struct page *page, const char *json)
{
	page->stops++;
	page_state_set_stop(page->state, json);
	page_server_wake(page->server);
}

guint32 page_next_stop(const struct page *page)
{
	return page->stops + 1;
}

void page_tell(struct page *page, const char *text)
{
	page_state_tell(page->state, text);
}
