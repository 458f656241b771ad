/* What a message owns. */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

static void release_side(struct wire_side *side)
{
	for (uint32_t i = 0; side->types && i < side->type_count; i++)
		free(side->types[i].runs);
	free(side->types);
	free(side->bytes);
	free(side->peers);
}

static void release_call(struct wire_call *call)
{
	for (uint32_t i = 0; i < call->op_count; i++) {
		free(call->ops[i].types.runs);
		release_side(&call->ops[i].sends);
		release_side(&call->ops[i].receives);
	}
	free(call->ops);
	free(call->waited);
	free(call->places);
	free(call->room_types.runs);
}

static void release_stack(struct wire_stack *stack)
{
	for (uint32_t i = 0; stack->lines && i < stack->line_count; i++) {
		free(stack->lines[i].function);
		free(stack->lines[i].file);
	}
	free(stack->lines);
	free(stack->frames);
}

void wire_message_release(struct wire_message *message)
{
	switch (message->type) {
	case WIRE_HELLO:
		free(message->hello.program);
		free(message->hello.mpi);
		break;
	case WIRE_CALL: release_call(&message->call); break;
	case WIRE_COMM:
		free(message->comm.local);
		free(message->comm.remote);
		free(message->comm.name);
		free(message->comm.argument);
		break;
	case WIRE_NAMED: free(message->named.name); break;
	case WIRE_ERROR: free(message->error.text); break;
	case WIRE_MISUSE:
		free(message->misuse.moved.types.runs);
		free(message->misuse.expected.types.runs);
		free(message->misuse.difference);
		break;
	case WIRE_STACK: release_stack(&message->stack); break;
	case WIRE_CONTENTS:
		free(message->contents.types.runs);
		free(message->contents.first);
		break;
	case WIRE_PARKED:
		free(message->parked.hazard);
		free(message->parked.mappings);
		break;
	case WIRE_HELD: free(message->held.hazard); break;
	case WIRE_IMAGED: free(message->imaged.hazard); break;
	case WIRE_STATE: free(message->state.hazard); break;
	case WIRE_GO: free(message->go.done); break;
	case WIRE_RETURNED: free(message->returned.indices); break;
	case WIRE_NEEDS:
		for (uint32_t i = 0; message->needs.list && i < message->needs.count; i++)
			free(message->needs.list[i].command);
		free(message->needs.list);
		break;
	case WIRE_ENDING: free(message->ending.frames); break;
	case WIRE_LEFT: free(message->objects.left); break;
	case WIRE_ACCESSES:
		for (uint32_t i = 0; i < message->accesses.count; i++)
			free(message->accesses.list[i].parts);
		free(message->accesses.list);
		break;
	case WIRE_RESTORE:
		free(message->restore.directory);
		free(message->restore.clones);
		free(message->restore.folder);
		free(message->restore.base);
		break;
	default: break;
	}
	memset(message, 0, sizeof(*message));
}
