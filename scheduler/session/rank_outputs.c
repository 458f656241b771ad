#include "rank_outputs.h"

struct answer {
	struct rank_outputs *outputs;
	struct host_output output;
};

struct rank_outputs {
	int count;              /* of answers: a rank's streams lie side by side */
	struct answer *answers; /* by stream */
	struct host_output *told;
	struct host_room room;
	int missing; /* answers */
};

static void on_output(void *user, struct host_output output)
{
	struct answer *answer = user;

	answer->output = output;
	answer->outputs->missing--;
}

static void on_room(void *user, struct host_room room)
{
	struct rank_outputs *outputs = user;

	outputs->room = room;
	outputs->missing--;
}

static bool is_answered(void *data)
{
	return ((const struct rank_outputs *)data)->missing == 0;
}

struct rank_outputs *rank_outputs_read(struct host *host, const char *directory, int ranks)
{
	struct rank_outputs *outputs = g_new0(struct rank_outputs, 1);

	outputs->count = ranks * HOST_STREAMS;
	outputs->answers = g_new0(struct answer, outputs->count);
	outputs->missing = outputs->count + 1;
	for (int i = 0; i < outputs->count; i++) {
		const struct host_range whole = {.directory = directory,
		                                 .rank = i / HOST_STREAMS,
		                                 .stream = (enum host_stream)(i % HOST_STREAMS),
		                                 .most = G_MAXUINT64};

		outputs->answers[i].outputs = outputs;
		host->operations->rank_output(host, &whole, on_output, &outputs->answers[i]);
	}
	host->operations->room_of(host, directory, on_room, outputs);
	host_wait(host, is_answered, outputs, 0);
	outputs->told = g_new0(struct host_output, outputs->count);
	for (int i = 0; i < outputs->count; i++)
		outputs->told[i] = outputs->answers[i].output;
	return outputs;
}

void rank_outputs_free(struct rank_outputs *outputs)
{
	for (int i = 0; i < outputs->count; i++)
		host_output_clear(&outputs->told[i]);
	g_free(outputs->room.place);
	g_free(outputs->told);
	g_free(outputs->answers);
	g_free(outputs);
}

struct verdict_printed rank_outputs_printed(const struct rank_outputs *outputs)
{
	return (struct verdict_printed){.outputs = outputs->told, .room = outputs->room};
}
