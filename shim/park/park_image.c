#include "park_rewind.h"

#include <signal.h>
#include <unistd.h>

#include "park_internal.h"
#include "shim/libc/virtual_time.h"
#include "shim/process/tracer.h"

void park_note_moved(void)
{
	park.moved = true;
	park.idle = false;
	agent_moves(park.agent);
}

bool park_is_unmoved(void)
{
	return agent_is_standing(park.agent);
}

void park_be_idle(void)
{
	park.idle = true;
}

bool park_is_idle(void)
{
	return park.idle;
}

void park_forget_image(uint32_t image)
{
	agent_image_forget(park.agent, image);
	if (image == park.image)
		park.moved = true; /* its image may be gone */
}

static void send_imaged(uint32_t image, const char *hazard)
{
	const struct wire_message message = {.type = WIRE_IMAGED,
	                                     .imaged = {.image = image,
	                                                .idle = image && park.image_is_idle,
	                                                .bytes = agent_image_bytes(park.agent),
	                                                .hazard = (char *)(uintptr_t)hazard}};

	park_send_private_stack(&message);
}

/* MPI must not be driven while other ranks take their images, and shared memory is copied. */
static void take_on_private_stack(void)
{
	uint32_t image = agent_image_take(park.agent);

	if (image) {
		park.image = image;
		park.moved = false;
	}
	park.result = RETURN_IMAGED;
	send_imaged(image, image ? "" : agent_rewind_trouble(park.agent));
}

bool park_take_image(const struct wire_image *order, bool idle, struct wire_welcome *ret_welcome)
{
	const char *hazard = park_find_hazard();
	const bool goes_on = order->goes_on;

	if (!hazard && tracer_is_there())
		hazard = PARK_TRACED;
	park.welcome = *ret_welcome;
	park.result = RETURN_IMAGED;
	if (hazard) {
		send_imaged(0, hazard);
	} else if (park.image && !park.moved) {
		agent_image_share(park.agent, park.image);
		send_imaged(park.image, "");
	} else {
		park.idle = park.image_is_idle = idle;
		agent_step_private_stack(park.agent, take_on_private_stack);
	}
	if (park.result == RETURN_IMAGED) {
		if (!goes_on)
			park_await_welcome(&park.welcome);
		*ret_welcome = park.welcome;
		return false;
	}
	*ret_welcome = park.welcome;
	virtual_time_welcome(ret_welcome);
	return true;
}

void park_rewind(const struct wire_rewind *order, struct wire_welcome *ret_welcome)
{
	const char *hazard;
	sigset_t all;

	park.rewind = *order;
	if (order->image && order->image == park.image && !park.moved
	    && order->world == park.world) {
		park_join_world(ret_welcome, order->follows);
		virtual_time_welcome(ret_welcome);
		return;
	}
	hazard = park_find_hazard();
	if (hazard)
		park_refuse_rewind(hazard);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	agent_stay_private_stack(park.agent, park_rewind_private_stack);
}
