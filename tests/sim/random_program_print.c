#include "random_program.h"

static const char prologue[] =
	"/* By instruction: its call, its request, what it sent or received, and the status. */\n"
	"static int number[MOST];\n"
	"static int payload[MOST][3];\n"
	"static int sums[MOST][2];\n"
	"static int got[MOST];\n"
	"static int got_tag[MOST];\n"
	"static int told[MOST];\n"
	"static MPI_Request requests[MOST];\n"
	"static MPI_Status statuses[MOST];\n"
	"static MPI_Request list[MOST];\n"
	"static MPI_Status answers[MOST];\n"
	"static int which[MOST], indices[MOST];\n"
	"static MPI_Message messages[MOST];\n"
	"static MPI_Comm comms[2];\n"
	"static int reporter[MOST], answered[MOST], cancelled_once[MOST];\n"
	"static char line[64 * MOST];\n"
	"static int calls, rank;\n"
	"\n"
	"static void call(int i)\n"
	"{\n"
	"\tnumber[i] = ++calls;\n"
	"\tpayload[i][0] = rank;\n"
	"\tpayload[i][1] = calls;\n"
	"}\n"
	"\n"
	"/* The receive i is complete. */\n"
	"static void received(int i)\n"
	"{\n"
	"\tif (told[i]++)\n"
	"\t\treturn;\n"
	"\tgot[i] = payload[i][0];\n"
	"\tgot_tag[i] = payload[i][2];\n"
	"\tsprintf(line + strlen(line), \" %d<-%d.%d\", number[i], payload[i][0], "
	"payload[i][1]);\n"
	"}\n"
	"\n"
	"/* The nonblocking operation i is complete. */\n"
	"static void completed(int i, const MPI_Status *status)\n"
	"{\n"
	"\tint cancelled = 0;\n"
	"\n"
	"\tif (!is_receive[i] || !number[i])\n"
	"\t\treturn;\n"
	"\tif (cancelled_once[i])\n"
	"\t\tMPI_Test_cancelled(status, &cancelled);\n"
	"\tif (!cancelled)\n"
	"\t\treceived(i);\n"
	"\telse if (!told[i]++)\n"
	"\t\tsprintf(line + strlen(line), \" %d:cancelled\", number[i]);\n"
	"}\n"
	"\n"
	"/* The active requests of these instructions. */\n"
	"static int gather(int first, int end)\n"
	"{\n"
	"\tint count = 0;\n"
	"\n"
	"\tfor (int k = first; k < end; k++) {\n"
	"\t\tif (requests[k] == MPI_REQUEST_NULL)\n"
	"\t\t\tcontinue;\n"
	"\t\twhich[count] = k;\n"
	"\t\tlist[count++] = requests[k];\n"
	"\t}\n"
	"\treturn count;\n"
	"}\n"
	"\n"
	"/* What the question i, about so many, has reported; -1: nothing. */\n"
	"static void reported(int i, int asked, int count)\n"
	"{\n"
	"\tfor (int j = 0; j < count; j++) {\n"
	"\t\tint k = which[indices[j]];\n"
	"\n"
	"\t\trequests[k] = MPI_REQUEST_NULL;\n"
	"\t\treporter[k] = i;\n"
	"\t\tsprintf(line + strlen(line), \"%s%d\", j > 0 ? \",\" : \"\", number[k]);\n"
	"\t}\n"
	"\tfor (int j = 0; j < count; j++)\n"
	"\t\tcompleted(which[indices[j]], &answers[j]);\n"
	"\tanswered[i] = asked == 0 || count > 0;\n"
	"}\n"
	"\n"
	"static void answer(int i, int asked, int count)\n"
	"{\n"
	"\tif (count > 0)\n"
	"\t\tsprintf(line + strlen(line), \" %d:#\", number[i]);\n"
	"\telse if (asked > 0)\n"
	"\t\tsprintf(line + strlen(line), \" %d:no\", number[i]);\n"
	"\treported(i, asked, count);\n"
	"}\n"
	"\n"
	"/* The probe i is complete; it names the source in MPI_COMM_WORLD. */\n"
	"static void probed(int i, int source)\n"
	"{\n"
	"\tgot[i] = source;\n"
	"\tgot_tag[i] = statuses[i].MPI_TAG;\n"
	"\tsprintf(line + strlen(line), \" %d<-%d\", number[i], source);\n"
	"}\n"
	"\n";

static const struct instruction *at(const struct random_program *program, int index)
{
	return &program->instructions[index];
}

/* A world rank's rank in a communicator. comms[1] keeps their order. */
static int rank_in(const struct random_program *program, int comm, int world_rank)
{
	int rank = 0;

	for (int other = 0; other < world_rank; other++)
		rank += program->member[comm][other];
	return rank;
}

/* The C expression for the source that a receive or probe names. */
static char *source_of(const struct random_program *program, int index)
{
	const struct instruction *receive = at(program, index);

	if (receive->kind == INSTRUCTION_RECEIVE_PROBED)
		return g_strdup_printf("statuses[%d].MPI_SOURCE", receive->of);
	if (receive->peer < 0)
		return g_strdup("MPI_ANY_SOURCE");
	return g_strdup_printf("%d", rank_in(program, receive->comm, receive->peer));
}

static char *tag_of(const struct random_program *program, int index)
{
	const struct instruction *receive = at(program, index);

	if (receive->kind == INSTRUCTION_RECEIVE_PROBED)
		return g_strdup_printf("statuses[%d].MPI_TAG", receive->of);
	return receive->tag < 0 ? g_strdup("MPI_ANY_TAG") : g_strdup_printf("%d", receive->tag);
}

/* The C expression for the world rank in a probe's status: the members' world ranks, ascending. */
static char *world_source(const struct random_program *program, int index)
{
	GString *text = g_string_new("(int[]){ ");

	for (int rank = 0; rank < program->ranks; rank++)
		if (program->member[at(program, index)->comm][rank])
			g_string_append_printf(text, "%d, ", rank);
	g_string_append_printf(text, "}[statuses[%d].MPI_SOURCE]", index);
	return g_string_free(text, false);
}

static void print_send(const struct random_program *program, int i, const char *indent, FILE *out)
{
	const struct instruction *send = at(program, i);

	fprintf(out, "payload[%d][2] = %d;\n%s", i, send->tag, indent);
	fprintf(out, "MPI_%s%s(payload[%d], 3, MPI_INT, %d, %d, comms[%d]",
	        send->nonblocking ? "I" : "",
	        send->synchronous ? (send->nonblocking ? "ssend" : "Ssend")
	                          : (send->nonblocking ? "send" : "Send"),
	        i, rank_in(program, send->comm, send->peer), send->tag, send->comm);
	if (send->nonblocking)
		fprintf(out, ", &requests[%d]", i);
	fprintf(out, ");\n");
}

static void print_receive(const struct random_program *program, int i, const char *indent,
                          FILE *out)
{
	const struct instruction *receive = at(program, i);
	g_autofree char *source = source_of(program, i);
	g_autofree char *tag = tag_of(program, i);

	fprintf(out, "MPI_%s(payload[%d], 3, MPI_INT, %s, %s, comms[%d], ",
	        receive->nonblocking ? "Irecv" : "Recv", i, source, tag, receive->comm);
	if (receive->nonblocking)
		fprintf(out, "&requests[%d]);\n", i);
	else
		fprintf(out, "MPI_STATUS_IGNORE);\n%sreceived(%d);\n", indent, i);
}

static void print_probe(const struct random_program *program, int i, const char *indent, FILE *out)
{
	const struct instruction *probe = at(program, i);
	bool takes = probe->kind == INSTRUCTION_MPROBE;
	g_autofree char *source = source_of(program, i);
	g_autofree char *tag = tag_of(program, i);
	g_autofree char *world = world_source(program, i);

	if (probe->kind == INSTRUCTION_IPROBE) {
		fprintf(out, "MPI_Iprobe(%s, %s, comms[%d], &answered[%d], &statuses[%d]);\n",
		        source, tag, probe->comm, i, i);
		fprintf(out, "%sif (answered[%d])\n%s\tprobed(%d, %s);\n", indent, i, indent, i,
		        world);
		fprintf(out, "%selse\n%s\tanswer(%d, 1, 0);\n", indent, indent, i);
		return;
	}
	fprintf(out, "MPI_%s(%s, %s, comms[%d], ", takes ? "Mprobe" : "Probe", source, tag,
	        probe->comm);
	if (takes)
		fprintf(out, "&messages[%d], ", i);
	fprintf(out, "&statuses[%d]);\n%sprobed(%d, %s);\n", i, indent, i, world);
}

static void print_question(const struct random_program *program, int i, const char *indent,
                           FILE *out)
{
	const struct instruction *own = at(program, i);
	int first = own->kind == INSTRUCTION_TEST ? own->of : program->first[own->rank];
	int end = own->kind == INSTRUCTION_TEST ? own->of + 1 : i;
	bool waits = own->kind == INSTRUCTION_WAITANY || own->kind == INSTRUCTION_WAITSOME;

	fprintf(out, "asked = gather(%d, %d);\n%s", first, end, indent);
	switch (own->kind) {
	case INSTRUCTION_TEST:
		fprintf(out, "MPI_Test(asked > 0 ? &list[0] : &none, &count, &answers[0]);\n");
		fprintf(out, "%scount = asked > 0 && count;\n", indent);
		break;
	case INSTRUCTION_TESTALL:
		fprintf(out, "MPI_Testall(asked, list, &count, answers);\n");
		fprintf(out, "%scount = count ? asked : 0;\n", indent);
		break;
	case INSTRUCTION_WAITANY:
	case INSTRUCTION_TESTANY:
		fprintf(out, "MPI_%s(asked, list, &indices[0], %s&answers[0]);\n",
		        waits ? "Waitany" : "Testany", waits ? "" : "&count, ");
		fprintf(out, "%scount = indices[0] != MPI_UNDEFINED;\n", indent);
		break;
	default:
		fprintf(out, "MPI_%s(asked, list, &count, indices, answers);\n",
		        waits ? "Waitsome" : "Testsome");
		fprintf(out, "%scount = count == MPI_UNDEFINED ? 0 : count;\n", indent);
		break;
	}
	if (own->kind == INSTRUCTION_TEST || own->kind == INSTRUCTION_TESTALL)
		fprintf(out, "%sfor (int j = 0; j < count; j++)\n%s\tindices[j] = j;\n", indent,
		        indent);
	fprintf(out, "%sanswer(%d, asked, count);\n", indent, i);
}

/* MPI_Cancel, or a call without effect, so that calls are numbered alike. */
static void print_cancel(int of, const char *indent, FILE *out)
{
	fprintf(out,
	        "if (requests[%d] != MPI_REQUEST_NULL) {\n%s\tcancelled_once[%d] = 1;\n"
	        "%s\tMPI_Cancel(&requests[%d]);\n%s} else {\n"
	        "%s\tMPI_Test(&none, &count, MPI_STATUS_IGNORE);\n%s}\n",
	        of, indent, of, indent, of, indent, indent, indent);
}

/* The condition of a branch. */
static void print_branch(const struct random_program *program, const struct instruction *branch,
                         FILE *out)
{
	if (is_question(at(program, branch->of)->kind)) {
		fprintf(out, "if (answered[%d]", branch->of);
		if (branch->request >= 0)
			fprintf(out, " && reporter[%d] == %d", branch->request, branch->of);
	} else if (at(program, branch->of)->kind == INSTRUCTION_GET) {
		fprintf(out, "if (owner_of(payload[%d][0]) == %d", branch->of, branch->source);
	} else {
		fprintf(out, "if (got[%d] %s %d", branch->of,
		        branch->source < 0 ? ">" : "==", branch->source);
		if (branch->tag >= 0)
			fprintf(out, " && got_tag[%d] == %d", branch->of, branch->tag);
	}
	fprintf(out, ") {\n");
}

static void print_completion(const struct random_program *program, int i, const char *indent,
                             FILE *out)
{
	if (at(program, i)->kind == INSTRUCTION_RECEIVE)
		fprintf(out, "%scompleted(%d, &statuses[%d]);\n", indent, i, i);
}

static void print_wait_all(const struct random_program *program, int i, const char *indent,
                           FILE *out)
{
	int first = program->first[at(program, i)->rank];

	fprintf(out, "MPI_Waitall(%d, &requests[%d], &statuses[%d]);\n", i - first, first, first);
	for (int other = first; other < i; other++)
		if (at(program, other)->nonblocking)
			print_completion(program, other, indent, out);
}

static void print_collective(const struct random_program *program, int i, FILE *out)
{
	static const char *const names[][2] = {
		[COLLECTIVE_BARRIER] = {"Barrier", "Ibarrier"},
		[COLLECTIVE_BCAST] = {"Bcast", "Ibcast"},
		[COLLECTIVE_REDUCE] = {"Reduce", "Ireduce"},
		[COLLECTIVE_SCAN] = {"Scan", "Iscan"},
	};
	const struct instruction *own = at(program, i);
	enum collective_kind kind = own->collective;

	if (kind == COLLECTIVE_FENCE) {
		fprintf(out, "MPI_Win_fence(0, windows[1]);\n");
		return;
	}
	fprintf(out, "MPI_%s(", names[kind][own->nonblocking]);
	if (kind != COLLECTIVE_BARRIER)
		fprintf(out, "payload[%d], ", i);
	if (kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_SCAN)
		fprintf(out, "sums[%d], 2, MPI_INT, MPI_SUM, ", i);
	if (kind == COLLECTIVE_BCAST)
		fprintf(out, "2, MPI_INT, ");
	if (kind == COLLECTIVE_REDUCE || kind == COLLECTIVE_BCAST)
		fprintf(out, "%d, ", rank_in(program, own->comm, own->root));
	fprintf(out, "comms[%d]", own->comm);
	if (own->nonblocking)
		fprintf(out, ", &requests[%d]", i);
	fprintf(out, ");\n");
}

static void print_transfer(const struct random_program *program, int i, const char *indent,
                           FILE *out)
{
	const struct instruction *own = at(program, i);
	int window = own->cell == CELL_UNREAD;

	if (own->kind == INSTRUCTION_GET)
		fprintf(out, "MPI_Get(payload[%d], 1, MPI_INT, %d, %d, 1, MPI_INT, windows[%d]);\n",
		        i, own->peer, own->cell, window);
	else
		fprintf(out, "payload[%d][0] = %d;\n%sMPI_%s(payload[%d], 1, MPI_INT, %d, %d, 1, ",
		        i, own->kind == INSTRUCTION_PUT ? i + 1 : 1, indent,
		        own->kind == INSTRUCTION_PUT ? "Put" : "Accumulate", i, own->peer,
		        own->cell);
	if (own->kind != INSTRUCTION_GET)
		fprintf(out, "MPI_INT, %swindows[%d]);\n",
		        own->kind == INSTRUCTION_PUT ? "" : "MPI_SUM, ", window);
	if (own->flushed)
		fprintf(out, "%sMPI_Win_flush(%d, windows[%d]);\n", indent, own->peer, window);
}

/* The group of an exposure is one rank. */
static void print_epoch(const struct instruction *own, const char *indent, FILE *out)
{
	switch (own->kind) {
	case INSTRUCTION_LOCK:
		if (own->peer < 0)
			fprintf(out, "MPI_Win_lock_all(0, windows[0]);\n");
		else
			fprintf(out, "MPI_Win_lock(MPI_LOCK_%s, %d, 0, windows[0]);\n",
			        own->shared ? "SHARED" : "EXCLUSIVE", own->peer);
		break;
	case INSTRUCTION_UNLOCK:
		if (own->peer < 0)
			fprintf(out, "MPI_Win_unlock_all(windows[0]);\n");
		else
			fprintf(out, "MPI_Win_unlock(%d, windows[0]);\n", own->peer);
		break;
	case INSTRUCTION_POST:
	case INSTRUCTION_START:
		fprintf(out, "make_peer(%d);\n%sMPI_Win_%s(peer, 0, windows[1]);\n", own->peer,
		        indent, own->kind == INSTRUCTION_POST ? "post" : "start");
		break;
	case INSTRUCTION_COMPLETE: fprintf(out, "MPI_Win_complete(windows[1]);\n"); break;
	default: fprintf(out, "MPI_Win_wait(windows[1]);\n"); break;
	}
}

/* If the probe was skipped, there is nothing to receive, in a call all the same. */
static void print_receive_probed(int i, int probe, const char *indent, FILE *out)
{
	fprintf(out,
	        "if (messages[%d] == 0) {\n"
	        "%s\tmessages[%d] = MPI_MESSAGE_NO_PROC;\n"
	        "%s\tMPI_Mrecv(NULL, 0, MPI_INT, &messages[%d], MPI_STATUS_IGNORE);\n"
	        "%s} else {\n"
	        "%s\tMPI_Mrecv(payload[%d], 3, MPI_INT, &messages[%d], MPI_STATUS_IGNORE);\n"
	        "%s\treceived(%d);\n"
	        "%s}\n",
	        probe, indent, probe, indent, probe, indent, indent, i, probe, indent, i, indent);
}

static void print_instruction(const struct random_program *program, int i, const char *indent,
                              FILE *out)
{
	const struct instruction *instruction = at(program, i);

	fprintf(out, "%s", indent);
	if (instruction->kind == INSTRUCTION_BRANCH) {
		print_branch(program, instruction, out);
		return;
	}
	if (is_no_call(instruction->kind)) {
		print_transfer(program, i, indent, out);
		return;
	}
	fprintf(out, "call(%d);\n%s", i, indent);
	switch (instruction->kind) {
	case INSTRUCTION_SEND: print_send(program, i, indent, out); break;
	case INSTRUCTION_RECEIVE:
	case INSTRUCTION_RECEIVE_PROBED: print_receive(program, i, indent, out); break;
	case INSTRUCTION_PROBE:
	case INSTRUCTION_MPROBE:
	case INSTRUCTION_IPROBE: print_probe(program, i, indent, out); break;
	case INSTRUCTION_MRECV: print_receive_probed(i, instruction->of, indent, out); break;
	case INSTRUCTION_WAIT:
		fprintf(out, "MPI_Wait(&requests[%d], &statuses[%d]);\n", instruction->of,
		        instruction->of);
		print_completion(program, instruction->of, indent, out);
		break;
	case INSTRUCTION_WAITALL: print_wait_all(program, i, indent, out); break;
	case INSTRUCTION_COLLECTIVE: print_collective(program, i, out); break;
	case INSTRUCTION_CANCEL: print_cancel(instruction->of, indent, out); break;
	case INSTRUCTION_TEST:
	case INSTRUCTION_TESTALL:
	case INSTRUCTION_TESTANY:
	case INSTRUCTION_TESTSOME:
	case INSTRUCTION_WAITANY:
	case INSTRUCTION_WAITSOME: print_question(program, i, indent, out); break;
	default: print_epoch(instruction, indent, out); break;
	}
}

/* Declarations that windows need. */
static void print_windows(const struct random_program *program, FILE *out)
{
	fprintf(out,
	        "static MPI_Win windows[2];\nstatic int cells[2][%d];\n"
	        "static MPI_Group peer;\n\n"
	        "static int owner_of(int value)\n{\n"
	        "\tstatic const int owners[] = { ",
	        CELLS);
	for (int i = 0; i < program->count; i++)
		fprintf(out, "%d, ", at(program, i)->rank);
	fprintf(out, "};\n\n\treturn value == 0 ? rank : owners[value - 1];\n}\n\n"
	             "static void make_peer(int one)\n{\n\tMPI_Group all;\n\n"
	             "\tif (peer != MPI_GROUP_NULL)\n\t\tMPI_Group_free(&peer);\n"
	             "\tMPI_Comm_group(MPI_COMM_WORLD, &all);\n"
	             "\tMPI_Group_incl(all, 1, &one, &peer);\n\tMPI_Group_free(&all);\n}\n\n");
}

static void print_rank(const struct random_program *program, int rank, FILE *out)
{
	g_autoptr(GArray) ends = g_array_new(false, false, sizeof(int));
	g_autoptr(GString) indent = g_string_new("\t");

	fprintf(out, "static void rank_%d(void)\n{\n", rank);
	fprintf(out, "\tMPI_Request none = MPI_REQUEST_NULL;\n\tint asked = 0, count = 0;\n\n"
	             "\t(void)none, (void)asked, (void)count;\n");
	for (int i = program->first[rank]; i <= program->first[rank + 1]; i++) {
		while (ends->len > 0 && g_array_index(ends, int, ends->len - 1) == i) {
			g_array_set_size(ends, ends->len - 1);
			g_string_truncate(indent, indent->len - 1);
			fprintf(out, "%s}\n", indent->str);
		}
		if (i == program->first[rank + 1])
			break;
		print_instruction(program, i, indent->str, out);
		if (at(program, i)->kind == INSTRUCTION_BRANCH) {
			int end = i + 1 + at(program, i)->skip;

			g_array_append_val(ends, end);
			g_string_append_c(indent, '\t');
		}
	}
	fprintf(out, "}\n\n");
}

void random_program_print_c(const struct random_program *program, FILE *out)
{
	fprintf(out, "/* Random program of seed %" G_GUINT64_FORMAT ", for %d ranks. */\n",
	        program->seed, program->ranks);
	fprintf(out,
	        "#include <mpi.h>\n#include <stdio.h>\n#include <string.h>\n\n#define MOST %d\n\n"
	        "static const char is_receive[MOST] = { ",
	        program->count);
	for (int i = 0; i < program->count; i++)
		fprintf(out, "%d, ", at(program, i)->kind == INSTRUCTION_RECEIVE);
	fprintf(out, "};\n");
	fputs(prologue, out);
	if (program->windows)
		print_windows(program, out);
	for (int rank = 0; rank < program->ranks; rank++)
		print_rank(program, rank, out);
	fprintf(out, "int main(int argc, char **argv)\n{\n"
	             "\tstatic const int member[] = { ");
	for (int rank = 0; rank < program->ranks; rank++)
		fprintf(out, "%d, ", program->member[1][rank]);
	fprintf(out, "};\n"
	             "\tstatic void (*const ranks[])(void) = { ");
	for (int rank = 0; rank < program->ranks; rank++)
		fprintf(out, "rank_%d, ", rank);
	fprintf(out, "};\n\n"
	             "\tMPI_Init(&argc, &argv);\n"
	             "\tMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
	             "\tcomms[0] = MPI_COMM_WORLD;\n"
	             "\tMPI_Comm_split(MPI_COMM_WORLD, member[rank] ? 0 : MPI_UNDEFINED, rank, "
	             "&comms[1]);\n"
	             "\tcalls = 2;\n");
	if (program->windows)
		fprintf(out, "\tpeer = MPI_GROUP_NULL;\n"
		             "\tfor (int i = 0; i < 2; i++, calls++)\n"
		             "\t\tMPI_Win_create(cells[i], sizeof(cells[i]), sizeof(int), "
		             "MPI_INFO_NULL,\n\t\t               MPI_COMM_WORLD, &windows[i]);\n");
	fprintf(out, "\tfor (int i = 0; i < MOST; i++) {\n"
	             "\t\tgot[i] = -1;\n"
	             "\t\trequests[i] = MPI_REQUEST_NULL;\n"
	             "\t}\n"
	             "\tranks[rank]();\n"
	             "\tprintf(\"rank %%d:%%s\\n\", rank, line);\n"
	             "\tfflush(stdout);\n");
	if (program->windows)
		fprintf(out, "\tif (peer != MPI_GROUP_NULL)\n\t\tMPI_Group_free(&peer);\n"
		             "\tfor (int i = 1; i >= 0; i--)\n\t\tMPI_Win_free(&windows[i]);\n");
	fprintf(out, "\tif (comms[1] != MPI_COMM_NULL)\n"
	             "\t\tMPI_Comm_free(&comms[1]);\n"
	             "\tMPI_Finalize();\n"
	             "\treturn 0;\n"
	             "}\n");
}
