#include "access.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "access_checksum.h"
#include "atomic_order.h"
#include "common/mpi_codes.h"
#include "direct.h"
#include "fetched.h"
#include "misuse.h"
#include "shim/gate/gate.h"
#include "shim/gate/threading.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/windows.h"
#include "shim/types/codes.h"
#include "shim/types/layout.h"
#include "shim/types/signature.h"

enum { GATHERED_MAX = 512, BUCKETS = 1024 };

/* A request of MPI for an access. */
struct pending {
	MPI_Request handle;
	uint64_t window;
	uint32_t number;
	struct pending *next;
};

static struct {
	pthread_mutex_t lock; /* protects what follows, if threads call at the same time */
	struct wire_access list[GATHERED_MAX];
	uint32_t count, number;
	struct pending *requests[BUCKETS];
	unsigned request_count;
} gathered = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock_gathered(void)
{
	if (gate_is_serialised())
		threading_lock(&gathered.lock);
}

static void unlock_gathered(void)
{
	if (gate_is_serialised())
		pthread_mutex_unlock(&gathered.lock);
}

static bool parts_same(const struct wire_access *one, const struct wire_access *other)
{
	for (uint32_t i = 0; i < one->part_count; i++) {
		const struct wire_part *a = &one->parts[i], *b = &other->parts[i];

		if (a->role != b->role || a->start != b->start || a->length != b->length
		    || a->times != b->times || a->count != b->count || a->stride != b->stride
		    || a->extent != b->extent)
			return false;
	}
	return true;
}

static bool is_same(const struct wire_access *one, const struct wire_access *other)
{
	return one->kind == other->kind && one->site == other->site
	       && one->function == other->function && one->window == other->window
	       && one->target == other->target && one->displacement == other->displacement
	       && one->flags == other->flags && one->reduction == other->reduction
	       && one->basic == other->basic && one->part_count == other->part_count
	       && !(one->flags & WIRE_ACCESS_REQUESTED) && one->kind != WIRE_ACCESS_REQUEST
	       && one->kind != WIRE_ACCESS_BEGIN
	       && (one->kind != WIRE_ACCESS_LOCAL || (one->number == 0 && other->number == 0))
	       && parts_same(one, other);
}

/* A loop that polls a window repeats the same accesses. The third and later rounds give no
 * information, so they are dropped. */
static void drop_repetition(void)
{
	enum { STEPS_MAX = 4 };

	for (uint32_t steps = 1; steps <= STEPS_MAX && 3 * steps <= gathered.count; steps++) {
		struct wire_access *last = gathered.list + gathered.count - steps;
		uint32_t same = 0;

		while (same < steps && is_same(&last[same], &last[same] - steps)
		       && is_same(&last[same], &last[same] - 2 * steps))
			same++;
		if (same < steps)
			continue;
		while (same-- > 0)
			free(gathered.list[--gathered.count].parts);
		return;
	}
}

/* Never drops a record: a flush that is not reported would cause a false alarm. */
static void add_access(const struct wire_access *access)
{
	while (gathered.count == GATHERED_MAX) {
		unlock_gathered();
		gate_send_accesses();
		lock_gathered();
	}
	gathered.list[gathered.count++] = *access;
	drop_repetition();
}

/* Takes ownership of the parts. `settled`: as for access_checksum_begin. */
static void gather(const struct wire_access *access, bool settled)
{
	enum { CHANGED_MAX = 8 };
	struct wire_access changed[CHANGED_MAX];
	uint32_t count = 0;

	if (!gate_is_serialised())
		direct_flush(); /* else overlap.h may be in use; it can wait for the next call */
	lock_gathered();
	do {
		count = access_checksum_end(access, changed, CHANGED_MAX);
		for (uint32_t i = 0; i < count; i++)
			add_access(&changed[i]);
	} while (count > 0);
	if (access->kind == WIRE_ACCESS_DATA)
		access_checksum_begin(access, settled);
	fetched_complete(access);
	add_access(access);
	unlock_gathered();
}

static void gather_access(const struct wire_access *access)
{
	gather(access, false);
}

void access_arrived(void)
{
	fetched_arrive();
}

void access_encode(struct wire_buffer *out)
{
	lock_gathered();
	if (gathered.count > 0) {
		const struct wire_message message = {
			.type = WIRE_ACCESSES,
			.accesses = {gathered.count, gathered.list},
		};

		wire_encode(out, &message);
		for (uint32_t i = 0; i < gathered.count; i++)
			free(gathered.list[i].parts);
		gathered.count = 0;
	}
	unlock_gathered();
}

bool access_waits(void)
{
	bool waits;

	lock_gathered();
	waits = gathered.count > 0;
	unlock_gathered();
	return waits;
}

/* --- requests ------------------------------------------------------------------------------ */

static struct pending **bucket_of(MPI_Request handle)
{
	return &gathered.requests[abi_number(handle) % BUCKETS];
}

static int query_complete(void *status, MPI_Status *ret_status)
{
	*ret_status = *(const MPI_Status *)status;
	return MPI_SUCCESS;
}

static int free_complete(void *status)
{
	free(status);
	return MPI_SUCCESS;
}

static int cancel_complete(void *status, int complete)
{
	(void)status;
	(void)complete;
	return MPI_SUCCESS;
}

/* A complete request of MPI's with this status, which nothing else has. MPI_REQUEST_NULL: MPI
 * refuses. */
static MPI_Request complete_request(const MPI_Status *status)
{
	MPI_Status *kept = malloc(sizeof(*kept));
	MPI_Request ret = MPI_REQUEST_NULL;

	if (!kept)
		return MPI_REQUEST_NULL;
	*kept = *status;
	if (real_mpi()->Grequest_start(query_complete, free_complete, cancel_complete, kept, &ret)
	    != MPI_SUCCESS) {
		free(kept);
		return MPI_REQUEST_NULL;
	}
	real_mpi()->Grequest_complete(ret);
	return ret;
}

/* MPI has given the same handle before, and the program still holds that one. MPI does so only
 * with requests that are complete. The program gets a complete request of its own instead. */
static void replace_shared(MPI_Request *request)
{
	MPI_Request shared = *request, own;
	MPI_Status status;
	int done = 0;

	if (real_mpi()->Request_get_status(shared, &done, &status) != MPI_SUCCESS || !done)
		return;
	own = complete_request(&status);
	if (own == MPI_REQUEST_NULL)
		return;
	/* MPICH 4.0 cannot free requests of one-sided calls. */
	real_mpi()->Test(&shared, &done, MPI_STATUS_IGNORE);
	*request = own;
}

/* Adds the access to those that have a request. false: another one has this handle. */
static bool add_pending(struct pending *added)
{
	const struct pending *other;

	lock_gathered();
	for (other = *bucket_of(added->handle); other && other->handle != added->handle;)
		other = other->next;
	if (!other) {
		added->next = *bucket_of(added->handle);
		*bucket_of(added->handle) = added;
		gathered.request_count++;
	}
	unlock_gathered();
	return !other;
}

/* Number 0: nothing is left to report. So it is if the window is not known, or the target is
 * MPI_PROC_NULL. Its request still must not be taken for another's. */
static void remember_request(MPI_Request *request, const struct wire_access *access)
{
	struct pending *added = malloc(sizeof(*added));

	if (!added)
		return;
	*added = (struct pending){*request, access->window, access->number, NULL};
	if (add_pending(added))
		return;
	replace_shared(request);
	added->handle = *request;
	if (!add_pending(added))
		free(added);
}

/* false: the request does not belong to an access. */
static bool forget_request(MPI_Request handle, struct pending *ret)
{
	struct pending **at, *found;

	lock_gathered();
	for (at = bucket_of(handle); *at && (*at)->handle != handle;)
		at = &(*at)->next;
	found = *at;
	if (found) {
		*ret = *found;
		*at = found->next;
		gathered.request_count--;
		free(found);
	}
	unlock_gathered();
	return found != NULL;
}

static void gather_completion(const struct pending *pending)
{
	if (pending->number == 0)
		return;
	gather_access(&(struct wire_access){.kind = WIRE_ACCESS_REQUEST,
	                                    .window = pending->window,
	                                    .target = WIRE_ANY,
	                                    .number = pending->number});
	fetched_arrive();
}

void access_request_done(MPI_Request request)
{
	struct pending pending;

	if (gathered.request_count > 0 && forget_request(request, &pending))
		gather_completion(&pending);
}

void access_request_seen(MPI_Request request)
{
	struct pending found = {0}, *pending;

	if (gathered.request_count == 0)
		return;
	lock_gathered();
	for (pending = *bucket_of(request); pending && pending->handle != request;)
		pending = pending->next;
	if (pending) {
		found = *pending;
		pending->number = 0;
	}
	unlock_gathered();
	gather_completion(&found);
}

void access_request_freed(MPI_Request request)
{
	struct pending pending;

	if (gathered.request_count > 0)
		forget_request(request, &pending);
}

/* --- calls that move data ------------------------------------------------------------------ */

static uint8_t flags_of(const struct access_call *call)
{
	switch (mpi_call_access(call->function)) {
	case MPI_CALL_ACCESS_PUT: return WIRE_ACCESS_WRITES;
	case MPI_CALL_ACCESS_GET: return WIRE_ACCESS_READS;
	case MPI_CALL_ACCESS_SWAP:
		return WIRE_ACCESS_READS | WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC
		       | WIRE_ACCESS_SWAP;
	default:
		if (call->op == MPI_NO_OP)
			return WIRE_ACCESS_READS | WIRE_ACCESS_ATOMIC;
		return WIRE_ACCESS_WRITES | WIRE_ACCESS_ATOMIC
		       | (call->result ? WIRE_ACCESS_READS : 0);
	}
}

static bool is_get(enum mpi_call function)
{
	return mpi_call_access(function) == MPI_CALL_ACCESS_GET;
}

/* The rank's own buffers, and the target's memory. false: some of them are not known. */
static bool lay_out(const struct access_call *call, struct wire_access *access)
{
	struct wire_part **parts = &access->parts;
	uint32_t *count = &access->part_count;
	bool known = layout_append(parts, count, WIRE_PART_TARGET, 0, call->target_count,
	                           call->target_type);

	/* With MPI_NO_OP the origin's buffer is ignored (MPI 3.1, section 11.3.4). */
	if (call->op != MPI_NO_OP)
		known &= layout_append(
			parts, count, is_get(call->function) ? WIRE_PART_WRITTEN : WIRE_PART_READ,
			(intptr_t)call->origin, call->origin_count, call->origin_type);
	if (call->compare)
		known &= layout_append(parts, count, WIRE_PART_READ, (intptr_t)call->compare, 1,
		                       call->origin_type);
	if (call->result)
		known &= layout_append(parts, count, WIRE_PART_WRITTEN, (intptr_t)call->result,
		                       call->result_count, call->result_type);
	return known;
}

void *access_begin(struct access_call *call)
{
	atomic_order_begin(call);
	call->arrives = fetched_begin(call);
	return call->arrives;
}

void access_refused(struct access_call *call)
{
	fetched_drop(call);
	atomic_order_refused(call);
}

void access_made(struct access_call *call, MPI_Request *request)
{
	const bool has_request = request && *request != MPI_REQUEST_NULL;
	struct wire_access access = {
		.kind = WIRE_ACCESS_DATA,
		.flags = flags_of(call),
		.reduction = call->op ? codes_of_op(call->op) : OP_NONE,
		.function = (uint16_t)call->function,
		.site = (uintptr_t)call->site,
		.target = call->target,
		.displacement = call->displacement,
	};

	const struct window_epochs *epochs;
	bool settled;

	window_moves(call->target, call->window);
	epochs = call->target == MPI_PROC_NULL ? NULL : window_find(call->window, &access.window);
	if (!epochs) {
		fetched_drop(call);
		if (has_request)
			remember_request(request, &access);
		return;
	}
	settled = fetched_made(call, epochs->locks > 0);
	if (access.flags & WIRE_ACCESS_ATOMIC)
		access.basic = signature_of(call->target_type).basic;
	if (!lay_out(call, &access))
		access.flags |= WIRE_ACCESS_UNKNOWN;
	lock_gathered();
	access.number = ++gathered.number;
	unlock_gathered();
	if (has_request) {
		access.flags |= WIRE_ACCESS_REQUESTED;
		remember_request(request, &access);
	}
	fetched_keep(call, &access);
	gather(&access, settled);
	misuse_check_access(call, request != NULL && epochs->locks == 0);
	atomic_order_made(call);
}

/* --- windows, and calls that complete accesses ------------------------------------------- */

static bool get_info(MPI_Info info, const char *key, char ret_value[MPI_MAX_INFO_VAL + 1])
{
	int found = 0;

	real_mpi()->Info_get(info, key, MPI_MAX_INFO_VAL, ret_value, &found);
	return found;
}

/* What the program's info keys promise about accumulates: the order needed among one rank's, and
 * that concurrent ones use one operation (MPI 4.0, sections 12.2.1 and 12.7.2). */
static uint8_t window_flags(MPI_Win window)
{
	char orders[MPI_MAX_INFO_VAL + 1] = "", operations[MPI_MAX_INFO_VAL + 1] = "";
	uint8_t flags = 0;
	MPI_Info info;

	if (real_mpi()->Win_get_info(window, &info) != MPI_SUCCESS)
		return 0;
	if (get_info(info, "accumulate_ordering", orders)) {
		flags |= strstr(orders, "raw") ? 0 : WIRE_WINDOW_NO_RAW;
		flags |= strstr(orders, "war") ? 0 : WIRE_WINDOW_NO_WAR;
		flags |= strstr(orders, "waw") ? 0 : WIRE_WINDOW_NO_WAW;
	}
	if (get_info(info, "accumulate_ops", operations) && strcmp(operations, "same_op") == 0)
		flags |= WIRE_WINDOW_SAME_OP;
	real_mpi()->Info_free(&info);
	return flags;
}

static void add_memory(uint64_t window, const void *base, MPI_Aint bytes)
{
	uint64_t other;

	lock_gathered();
	other = window_memory_at((uintptr_t)base, (uintptr_t)base + (uintptr_t)bytes);
	window_memory_add(window, base, (size_t)bytes);
	unlock_gathered();
	if (other != 0 && other != window)
		atomic_order_overlap();
}

/* Reports each member's part, at its address in this rank. */
static void report_views(MPI_Win window, uint64_t number)
{
	MPI_Group group;
	int size = 0;

	if (real_mpi()->Win_get_group(window, &group) != MPI_SUCCESS)
		return;
	real_mpi()->Group_size(group, &size);
	real_mpi()->Group_free(&group);
	for (int member = 0; member < size; member++) {
		MPI_Aint bytes = 0;
		void *base = NULL;
		int unit;

		if (real_mpi()->Win_shared_query(window, member, &bytes, &unit, &base)
		            != MPI_SUCCESS
		    || bytes <= 0)
			continue;
		add_memory(number, base, bytes);
		gather_access(&(struct wire_access){.kind = WIRE_ACCESS_VIEW,
		                                    .window = number,
		                                    .target = member,
		                                    .displacement = (intptr_t)base,
		                                    .unit = (uint64_t)bytes});
	}
}

/* If memory is out, the size is not reported. */
static void set_size(struct wire_access *access, uint64_t bytes)
{
	access->parts = malloc(sizeof(*access->parts));
	if (!access->parts)
		return;
	*access->parts = (struct wire_part){
		.role = WIRE_PART_TARGET, .length = bytes, .times = 1, .count = 1};
	access->part_count = 1;
}

void access_window(MPI_Win window, uint64_t number)
{
	struct wire_access access = {
		.kind = WIRE_ACCESS_WINDOW, .window = number, .target = WIRE_ANY, .unit = 1};
	void *base = NULL;
	int *unit = NULL, *flavor = NULL, found[4] = {0};
	MPI_Aint *bytes = NULL;

	if (number == 0)
		return;
	real_mpi()->Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &found[0]);
	if (!found[0] || *flavor != MPI_WIN_FLAVOR_DYNAMIC) {
		real_mpi()->Win_get_attr(window, MPI_WIN_BASE, &base, &found[1]);
		real_mpi()->Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &found[2]);
		real_mpi()->Win_get_attr(window, MPI_WIN_SIZE, &bytes, &found[3]);
		if (!found[1] || !found[2] || !found[3])
			return;
		access.displacement = (intptr_t)base;
		access.unit = (uint64_t)*unit;
		set_size(&access, (uint64_t)*bytes);
		if (!found[0] || *flavor != MPI_WIN_FLAVOR_SHARED)
			add_memory(number, base, *bytes);
	}
	access.flags = window_flags(window) | (direct_is_used() ? WIRE_WINDOW_SEEN : 0);
	gather_access(&access);
	if (found[0] && *flavor == MPI_WIN_FLAVOR_SHARED)
		report_views(window, number);
}

void access_attach(MPI_Win window, const void *base, MPI_Aint bytes)
{
	uint64_t number;

	if (bytes > 0 && window_find(window, &number))
		add_memory(number, base, bytes);
}

void access_detach(MPI_Win window, const void *base)
{
	uint64_t number;

	if (!window_find(window, &number))
		return;
	lock_gathered();
	window_memory_detach(number, base);
	unlock_gathered();
}

uint32_t access_local_begin(uint64_t window)
{
	struct wire_access access = {
		.kind = WIRE_ACCESS_BEGIN, .window = window, .target = WIRE_ANY};

	lock_gathered();
	access.number = ++gathered.number;
	unlock_gathered();
	gather_access(&access);
	return access.number;
}

static void take_parts(struct wire_access *access, const struct bytes *bytes)
{
	access->parts = bytes ? malloc((bytes->count + 1) * sizeof(*access->parts)) : NULL;
	if (!access->parts)
		return;
	access->part_count = bytes->count;
	memcpy(access->parts, bytes->parts, bytes->count * sizeof(*access->parts));
}

void access_local_end(const struct window_use *use, uint64_t window, const struct bytes *bytes)
{
	struct wire_access access = {
		.kind = WIRE_ACCESS_LOCAL,
		.function = use->function,
		.site = (uintptr_t)use->site,
		.window = window,
		.target = WIRE_ANY,
		.number = use->number,
		.flags = bytes && bytes->unknown ? WIRE_ACCESS_UNKNOWN : 0,
	};

	if (window == 0)
		return;
	take_parts(&access, bytes);
	gather_access(&access);
}

void access_direct(const void *site, uint64_t window, const struct bytes *bytes, bool atomic)
{
	struct wire_access access = {
		.kind = WIRE_ACCESS_LOCAL,
		.site = (uintptr_t)site,
		.window = window,
		.target = WIRE_ANY,
		.flags = WIRE_ACCESS_DIRECT | (atomic ? WIRE_ACCESS_ATOMIC : 0)
	                 | (!bytes || bytes->unknown ? WIRE_ACCESS_UNKNOWN : 0),
	};

	take_parts(&access, bytes);
	gather_access(&access);
}

void access_step(enum wire_access_kind kind, enum mpi_call function, const void *site,
                 uint64_t window, int target)
{
	if (window != 0)
		gather_access(&(struct wire_access){.kind = (uint8_t)kind,
		                                    .function = (uint16_t)function,
		                                    .site = (uintptr_t)site,
		                                    .window = window,
		                                    .target = target});
}

void access_file(const struct access_to_file *access)
{
	gather_access(&(struct wire_access){
		.kind = WIRE_ACCESS_FILE,
		.flags = (access->writes ? WIRE_ACCESS_WRITES : WIRE_ACCESS_READS)
	                 | (access->is_whole ? 0 : WIRE_ACCESS_UNKNOWN),
		.function = (uint16_t)access->function,
		.site = (uintptr_t)access->site,
		.window = access->opened,
		.target = WIRE_ANY,
		.displacement = (int64_t)access->file,
		.part_count = access->part_count,
		.parts = access->parts,
	});
}

void access_window_end(const void *site, uint64_t number)
{
	access_step(WIRE_ACCESS_FREE, MPI_CALL_Win_free, site, number, WIRE_ANY);
	lock_gathered();
	window_memory_forget(number);
	unlock_gathered();
}

/* MPI refuses other targets. WIRE_ANY: all of them. */
static bool is_target(MPI_Win window, int target)
{
	MPI_Group group;
	int size = 0;

	if (target == WIRE_ANY)
		return true;
	if (target < 0 || real_mpi()->Win_get_group(window, &group) != MPI_SUCCESS)
		return false;
	real_mpi()->Group_size(group, &size);
	real_mpi()->Group_free(&group);
	return target < size;
}

void access_synchronise(enum mpi_call function, const void *site, int target, MPI_Win window)
{
	struct wire_access access = {
		.function = (uint16_t)function, .site = (uintptr_t)site, .target = target};

	if (!window_find(window, &access.window) || !is_target(window, target))
		return;
	switch (mpi_call_sync(function)) {
	case MPI_CALL_SYNC_FLUSH_LOCAL: access.kind = WIRE_ACCESS_FLUSH_LOCAL; break;
	case MPI_CALL_SYNC_MEMORY: access.kind = WIRE_ACCESS_LOOK; break;
	default: access.kind = WIRE_ACCESS_FLUSH; break;
	}
	gather_access(&access);
}

void access_fence(const void *site, int assert, MPI_Win window)
{
	struct wire_access access = {
		.kind = WIRE_ACCESS_FENCE,
		.flags = assert &MPI_MODE_NOPRECEDE ? WIRE_ACCESS_NOPRECEDE : 0,
		.function = MPI_CALL_Win_fence,
		.site = (uintptr_t)site,
		.target = WIRE_ANY,
	};

	if (window_find(window, &access.window))
		gather_access(&access);
}
