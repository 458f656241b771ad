#include "park_rewind.h"

#include <signal.h>
#include <unistd.h>

#include "park_internal.h"
#include "tracer.h"
#include "virtual_time.h"

void park_note_moved(void)
{
	park.moved = true;
	park.still = false;
	agent_moves(park.agent);
}

bool park_stands(void)
{
	return agent_is_standing(park.agent);
}

void park_be_still(void)
{
	park.still = true;
}

bool park_is_still(void)
{
	return park.still;
}

void park_forget_image(uint32_t image)
{
	agent_image_forget(park.agent, image);
	if (image == park.image)
		park.moved = true; /* it may be gone */
}

static void send_imaged(uint32_t image, const char *hazard)
{
	const struct wire_message message = {.type = WIRE_IMAGED,
	                                     .imaged = {.image = image,
	                                                .still = image && park.image_is_still,
	                                                .bytes = agent_image_bytes(park.agent),
	                                                .hazard = (char *)(uintptr_t)hazard}};

	park_tell_aside(&message);
}

/* While others take theirs, and what they share is copied, MPI must not be driven. */
static void take_aside(void)
{
	uint32_t image = agent_image_take(park.agent);

	if (image) {
		park.image = image;
		park.moved = false;
	}
	park.result = RETURN_IMAGED;
	send_imaged(image, image ? "" : agent_rewind_trouble(park.agent));
}

bool park_take_image(const struct wire_image *order, bool still, struct wire_welcome *ret_welcome)
{
	const char *hazard = park_find_hazard();
	const bool goes_on = order->goes_on;

	/* It would keep breakpoints that the debugger has put into the code. */
	if (!hazard && tracer_is_there())
		hazard = "it is looked at in a debugger";
	park.welcome = *ret_welcome;
	park.result = RETURN_IMAGED;
	if (hazard) {
		send_imaged(0, hazard);
	} else if (park.image && !park.moved) {
		agent_image_share(park.agent, park.image);
		send_imaged(park.image, "");
	} else {
		park.still = park.image_is_still = still;
		agent_step_aside(park.agent, take_aside);
	}
	if (park.result == RETURN_IMAGED) {
		if (!goes_on)
			park_await_welcome(&park.welcome);
		*ret_welcome = park.welcome;
		return false;
	}
	*ret_welcome = park.welcome;
	virtual_time_stood(ret_welcome->stood);
	return true;
}

void park_rewind(const struct wire_rewind *order, struct wire_welcome *ret_welcome)
{
	sigset_t all;

	park.rewind = *order;
	if (order->image && order->image == park.image && !park.moved
	    && order->world == park.world) {
		park_join_world(ret_welcome, order->follows);
		virtual_time_stood(ret_welcome->stood);
		return;
	}
	if (park_find_hazard())
		_exit(AGENT_SETUP_FAILED);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	agent_stay_aside(park.agent, park_rewind_aside);
}
