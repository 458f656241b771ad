/* Images of a rank that continues; models shim/park/park_image.c. */
#include "sim_internal.h"

#define SIM_IMAGE_BYTES ((guint64)4 << 20)

struct sim_image {
	struct fake_rank rank;
	guint users;
	bool idle; /* the rank is idle in this image */
};

GArray *sim_images_new(void)
{
	return g_array_new(false, false, sizeof(struct sim_image));
}

static struct sim_image *image_of(const struct sim_process *process, guint32 number)
{
	struct sim_image *image;

	g_assert_cmpuint(number, >, 0);
	g_assert_cmpuint(number, <=, process->images->len);
	image = &g_array_index(process->images, struct sim_image, number - 1);
	g_assert_cmpuint(image->users, >, 0);
	return image;
}

/* As large as each process of this host (sim_memory.c). */
static guint64 sim_image_bytes(const struct sim_process *process)
{
	guint64 images = 0;

	for (guint i = 0; i < process->images->len; i++)
		images += g_array_index(process->images, struct sim_image, i).users > 0;
	return images * SIM_IMAGE_BYTES;
}

static void say_imaged(struct sim_process *process, guint32 number, const char *hazard)
{
	const struct wire_message message = {
		.type = WIRE_IMAGED,
		.imaged = {.image = number,
	                   .idle = number > 0 && image_of(process, number)->idle,
	                   .bytes = sim_image_bytes(process),
	                   .hazard = (char *)(guintptr)hazard}};

	sim_say(process, &message);
}

/* A rank that has done nothing since its last image, or since it returned to one, keeps no new
 * one. */
void sim_take_image(struct sim_process *process, const struct wire_image *order)
{
	struct sim *sim = process->sim;
	struct sim_image image = {process->rank, 1, sim_may_be_idle(process)};

	g_assert_true(process->rank.lines[0].waits && !process->rank.lines[1].is_there);
	if (sim_strikes(sim, SIM_KILLED_IMAGING, 20)) {
		sim_process_die(process, 9);
		return;
	}
	g_assert_true(process->idle || !order->goes_on);
	process->awaits_welcome = !order->goes_on;
	if (!process->has_birth || sim_goes_wrong(sim, SIM_NO_IMAGE, 20)) {
		say_imaged(process, 0, "it has opened files");
		return;
	}
	if (process->image > 0 && !process->changed) {
		image_of(process, process->image)->users++;
	} else {
		g_array_append_val(process->images, image);
		process->image = process->images->len;
		process->changed = false;
		process->idle |= image.idle;
		sim->images++;
	}
	say_imaged(process, process->image, "");
}

void sim_forget_image(struct sim_process *process, guint32 number)
{
	image_of(process, number)->users--;
	process->changed |= number == process->image;
}

void sim_become_image(struct sim_process *process, guint32 number)
{
	process->rank = number > 0 ? image_of(process, number)->rank : process->birth;
	process->image = number;
	process->idle = number > 0 && image_of(process, number)->idle;
	process->changed = false;
	process->sim->images_used += number > 0;
}
