/* The parts of the simulated prompt (scheduler/debug/prompt.h) that need no terminal or file.
 * sim_debug.c has its input and output. */
#include "scheduler/debug/prompt.h"

G_DEFINE_QUARK(matchpoint_prompt_error, prompt_error)

struct prompt *prompt_new(struct session *session, bool batch, const struct prompt_owner *owner)
{
	(void)session;
	(void)batch;
	(void)owner;
	return NULL;
}

void prompt_free(struct prompt *prompt)
{
	(void)prompt;
}

bool prompt_add_script(struct prompt *prompt, const char *file, GError **error)
{
	(void)prompt;
	g_set_error(error, PROMPT_ERROR, 0, "%s: no files here", file);
	return false;
}

void prompt_ask(struct prompt *prompt)
{
	(void)prompt;
}

void prompt_ask_no_more(struct prompt *prompt)
{
	(void)prompt;
}

void prompt_share(struct prompt *prompt)
{
	(void)prompt;
}

void prompt_take_input(struct prompt *prompt, struct prompt_input *ret_input)
{
	(void)prompt;
	*ret_input = (struct prompt_input){NULL, NULL};
}

void prompt_repeat(struct prompt *prompt, const struct prompt_input *input)
{
	(void)prompt;
	(void)input;
}

void prompt_say(struct prompt *prompt, char *line)
{
	(void)prompt;
	g_free(line);
}

bool prompt_confirm(struct prompt *prompt, const char *question)
{
	(void)prompt;
	(void)question;
	return true;
}

bool prompt_clear(struct prompt *prompt)
{
	(void)prompt;
	return false;
}

const char *prompt_place(const struct prompt *prompt)
{
	(void)prompt;
	return "";
}

bool prompt_is_terminal(const struct prompt *prompt)
{
	(void)prompt;
	return false;
}

bool prompt_is_typed(const struct prompt *prompt)
{
	(void)prompt;
	return false;
}
