"""mpi_calls.h and mpi_calls.c: the properties of the MPI calls as C functions, for the shim, the
scheduler and the reports. They need only libc."""
import textwrap

import call_objects
import call_records
import mpi_table

OBJECTS = tuple(sorted({*call_objects.KINDS.values(), "KEYVAL"}))
SUBJECTS = ("WINDOW", "FILE", "REQUEST")


def subject(call):
    """What the call works on: a window or a file, by its name (MPI 3.1, section 2.2), or a request
    or message that exists before the call. None: none of these."""
    if call.name.startswith("Win_") or call.get("access"):
        return "WINDOW"
    if call.name.startswith("File_"):
        return "FILE"
    takes = (call.has("array_of_requests") or call.takes("MPI_Request")
             or (call.takes("MPI_Request *") and not call.gives_request())
             or (call.takes("MPI_Message *") and call.get("frees")))
    return "REQUEST" if takes else None


def only_looks(call):
    """Whether a rank only observes with the call what others do to a window."""
    fetches = call.get("access") in ("get", "swap") or call.has("result_addr")
    return bool(fetches or call.get("sync"))


class Field:
    """A member of the C table, with its accessor mpi_call_NAME. `values` are those of its enum,
    without the first one, which means none and is 0. A field without values is a bool."""

    def __init__(self, name, of_call, comment, values=None):
        self.name, self.of_call, self.values = name, of_call, values
        self.comment = "\n * ".join(textwrap.wrap(f"/* {comment} */", 96))

    def prefix(self):
        return f"MPI_CALL_{self.name.upper()}"

    def type(self):
        return f"enum mpi_call_{self.name}" if self.values else "bool"

    def value(self, call):
        """The value in C; None: it is 0."""
        value = self.of_call(call)
        if not value:
            return None
        return f"{self.prefix()}_{value.upper()}" if self.values else "true"


def said(name):
    """The value of the property with this name."""
    return lambda call: call.get(name)


def enumerated(name, property_name, comment):
    """A field with the values of a property."""
    return Field(name, said(property_name), comment, mpi_table.PROPERTIES[property_name])


def order(call):
    return None if call.order == "none" else call.order


FIELDS = (
    Field("order", order, "Which arrivals a member of this collective has to wait for.",
          [name for name in mpi_table.ORDERS.values() if name != "none"]),
    enumerated("collective", "collective",
               "The collective operation that it carries out, or prepares: BCAST for MPI_Ibcast "
               "and MPI_Bcast_init. CREATE, ALLOCATE and DESTROY are of a communicator or window, "
               "by all members of one communicator."),
    enumerated("send_mode", "send", "The mode of the message that it sends, or prepares to send."),
    enumerated("completes", "completes",
               "Which requests it completes, of those that it is given."),
    enumerated("access", "access", "What it does to the memory of a window."),
    enumerated("sync", "sync", "What it completes, or shows, of one-sided communication, unseen "
               "by the scheduler."),
    enumerated("lock", "lock", "What it does with the lock of a window."),
    Field("makes", call_objects.main_kind,
          "The object that it gives the program, at once or when its request completes; REQUEST if "
          "it gives nothing else.", OBJECTS),
    Field("subject", subject,
          "What it is about: WINDOW for MPI_Win_create or MPI_Put; REQUEST for MPI_Wait or "
          "MPI_Mrecv, which are given a request or message.", SUBJECTS),
    Field("counts", lambda call: call.counts,
          "Whether it is a communication call: those count in paths and reports."),
    Field("leaves_request",
          lambda call: call.get("starts") or call.gives_request() and not call.is_persistent(),
          "Whether an operation that it begins goes on after its return, until its request is "
          "completed: MPI_Isend, MPI_Start, MPI_Comm_idup."),
    Field("asks", said("asks"),
          "Whether it returns at once, and tells whether something has happened."),
    Field("is_neighborhood", lambda call: (call.get("collective") or "").startswith("neighbor"),
          "Whether it is a collective on the neighbors of a topology."),
    Field("is_persistent", lambda call: call.is_persistent(),
          "Whether it prepares an operation, which can then be started again and again."),
    Field("is_atomic", lambda call: call.get("access") in ("accumulate", "swap"),
          "Whether what it does to the memory of a window is atomic."),
    Field("fetches", lambda call: call.get("access") in ("accumulate", "swap")
          and call.has("result_addr"),
          "Whether it is atomic, and tells what was there before."),
    Field("only_looks", only_looks,
          "Whether a rank sees by it what others do to a window. If it also changes the window, as "
          "MPI_Compare_and_swap may, it belongs to a lock that the program makes itself."),
    Field("begins_mpi", said("begins_mpi"), "Whether the rank goes under control in it."),
    Field("ends_mpi", said("ends_mpi"),
          "Whether it ends MPI for the rank, unless other sessions are open."),
    Field("is_deferrable", said("deferrable"),
          "Whether the scheduler may keep a rank in it until all ranks are at rest."),
    Field("is_whole", said("whole"), "Whether its members wait for all, whatever the order."),
    Field("waits_for_target", said("waits_for_target"),
          "Whether MPI may put off its wait for the target to a later call."),
    Field("is_recorded", call_records.is_recorded,
          "Whether matchpoint record can log it; else it ends the program that is recorded."),
    Field("is_for_any_thread", said("any_thread"),
          "Whether any thread may call it, whatever the level of thread support."),
)


def enum_of(field):
    rows = "\n".join(f"\t{field.prefix()}_{value.upper()}," for value in ["none", *field.values])
    return f"{field.type()} {{\n{rows}\n}};"


def header(calls, heading):
    numbers = "\n".join(f"\tMPI_CALL_{call.name}," for call in calls)
    treatments = "\n".join(f"\tMPI_CALL_{name.upper()}," for name in mpi_table.TREATMENTS)
    enums = "\n\n".join(enum_of(field) for field in FIELDS if field.values)
    accessors = "\n\n".join(
        f"{field.comment}\n{field.type()} mpi_call_{field.name}(unsigned call);"
        for field in FIELDS)
    return f"""{heading}\
/* Numbers, names and properties of the MPI calls (mpi_calls.txt). Functions take any
 * number: what is no call has the name "unknown MPI call", is harmless, and has no property. */
#ifndef MATCHPOINT_SHIM_MPI_CALLS_H
#define MATCHPOINT_SHIM_MPI_CALLS_H

#include <stdbool.h>

/* Numbers of the MPI calls, on the wire and in the store; 0 is none. */
enum mpi_call {{
	MPI_CALL_NONE,
{numbers}
	MPI_CALL_COUNT
}};

/* What they mean: mpi_calls.txt. */
enum mpi_call_treatment {{
{treatments}
}};

{enums}

/* "MPI_Recv"; static. */
const char *mpi_call_name(unsigned call);

/* By its name, with MPI_ or PMPI_; MPI_CALL_NONE: not in the table, or NULL. */
enum mpi_call mpi_call_by_name(const char *name);

enum mpi_call_treatment mpi_call_treatment(unsigned call);

{accessors}

/* What its members must give alike, in words, where it is not just "arguments"; else NULL. */
const char *mpi_call_agree_on(unsigned call);

#endif
"""


def row(call):
    values = [f'.name = "MPI_{call.name}"', f".treatment = MPI_CALL_{call.treatment.upper()}"]
    values += [f".{field.name} = {field.value(call)}" for field in FIELDS if field.value(call)]
    if call.get("agree_on"):
        values.append(f'.agree_on = "{call.get("agree_on")}"')
    return f"\t[MPI_CALL_{call.name}] = {{ {', '.join(values)} }},"


def accessor(field):
    cast = f"({field.type()})" if field.values else ""
    return f"""{field.type()} mpi_call_{field.name}(unsigned call)
{{
	return {cast}describe(call)->{field.name};
}}"""


def source(calls, heading):
    members = "\n".join(f"\t{'uint8_t' if field.values else 'bool'} {field.name};"
                        for field in FIELDS)
    rows = "\n".join(row(call) for call in calls)
    accessors = "\n\n".join(accessor(field) for field in FIELDS)
    return f"""{heading}#include "mpi_calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct description {{
	const char *name;
	const char *agree_on;
	uint8_t treatment;
{members}
}};

/* By name, in the order of strcmp. */
static const struct description descriptions[MPI_CALL_COUNT] = {{
	[MPI_CALL_NONE] = {{ .name = "unknown MPI call", .treatment = MPI_CALL_HARMLESS }},
{rows}
}};

static const struct description *describe(unsigned call)
{{
	return &descriptions[call < MPI_CALL_COUNT ? call : MPI_CALL_NONE];
}}

const char *mpi_call_name(unsigned call)
{{
	return describe(call)->name;
}}

static int compare_name(const void *name, const void *description)
{{
	return strcmp(name, ((const struct description *)description)->name);
}}

enum mpi_call mpi_call_by_name(const char *name)
{{
	const struct description *found;

	if (!name)
		return MPI_CALL_NONE;
	found = bsearch(name[0] == 'P' ? name + 1 : name, descriptions + 1, MPI_CALL_COUNT - 1,
	                sizeof(*descriptions), compare_name);
	return found ? (enum mpi_call)(found - descriptions) : MPI_CALL_NONE;
}}

enum mpi_call_treatment mpi_call_treatment(unsigned call)
{{
	return (enum mpi_call_treatment)describe(call)->treatment;
}}

{accessors}

const char *mpi_call_agree_on(unsigned call)
{{
	return describe(call)->agree_on;
}}
"""
