#!/usr/bin/env python3
"""Generates the MPI wrappers, and C tables of the MPI calls, from mpi_calls.txt.

usage: generate_calls.py TABLE MPI_H BUILD_DIRECTORY

MPI_H is the preprocessed mpi.h. The wrappers use its prototypes.

Writes into BUILD_DIRECTORY:
  mpi_calls.h, mpi_calls.c   names and properties of the calls (call_table.py); needs only libc
  mpi_functions.h            struct real_mpi, and prototypes of the shim's functions; needs mpi.h
  wrappers.c                 the exported MPI_X and PMPI_X, and each X's offset in struct real_mpi
  record_wrappers.c          the same for the recorder (call_records.py)

If the table has errors, it prints all wrong lines and exits with status 1.
"""
import os
import sys

import call_accesses
import call_checks
import call_collectives
import call_objects
import call_receives
import call_records
import call_states
import call_table
import mpi_table

HEADING = "/* Generated from mpi_calls.txt by generate_calls.py: change those. */\n"


def agreed(call):
    """A C expression: a hash of the arguments that must be equal in all members; 0: none."""
    values = call.get("agree") or []
    text = "1" if values else "0"
    for value in values:
        text = f"mix({text}, (uint64_t)({value}))"
    return text


def meets_by_itself(call):
    """Bracketed calls on an open file or window have no shim function. The members synchronise, and
    then MPI does the rest."""
    return call.treatment == "bracketed" and call.takes("MPI_File", "MPI_Win")


def functions_header(calls, by_name):
    pointers = "\n".join(f"\t{call.returns} (*{call.name})({call.parameters()});" for call in calls)
    shims = "\n".join(
        f"{call.returns} shim_MPI_{call.name}(void *site"
        f"{', ' if call.arguments else ''}{call.parameters() if call.arguments else ''});"
        for call in calls
        if call.treatment in ("controlled", "bracketed") and not meets_by_itself(call)
        and not call.small(by_name))
    return f"""{HEADING}#ifndef MATCHPOINT_SHIM_MPI_FUNCTIONS_H
#define MATCHPOINT_SHIM_MPI_FUNCTIONS_H

#include <mpi.h>
#include <stddef.h>

#include "mpi_calls.h"

/* The MPI library's own functions, found under their PMPI_ names; NULL where it has none. */
struct real_mpi {{
{pointers}
}};

/* Where in struct real_mpi each of them is kept; ends with a NULL name. */
struct real_function {{
	const char *name; /* "PMPI_Recv" */
	size_t offset;
}};
extern const struct real_function real_functions[];

/* What the wrappers call. `site` is the return address in the program. */
{shims}

#endif
"""


def narrowing(call, small):
    """How X_c calls X: statements before the call that convert the large counts to int, the
    arguments of X, and statements after the call."""
    before, values, after = [], [], []
    for large, little in zip(call.arguments, small.arguments):
        if large.type == little.type:
            values.append(large.name)
        elif large.type == "MPI_Count *":
            before.append(f"\tint small_{large.name} = 0;")
            values.append(f"&small_{large.name}")
            after.append(f"\t*{large.name} = small_{large.name};")
        elif large.array:
            kind = "count" if "MPI_Count" in large.type else "displacement"
            before.append(f"\tconst int *small_{large.name} = large_{kind}s(&large, "
                          f"MPI_CALL_{small.name}, \"{large.name}\", {large.name}, "
                          f"{'root' if call.has('root') else '0'}, comm);")
            values.append(f"small_{large.name}")
        else:
            before.append(f"\tint small_{large.name} = large_count(&large, {large.name});")
            values.append(f"small_{large.name}")
    return before, ", ".join(values), after


def controlled_body(call, by_name):
    """Statements that set the result with the shim's function."""
    small = call.small(by_name)
    if small:
        before, values, after = narrowing(call, small)
        return "\n".join(
            ["\tstruct large_counts large = { 0 };"] + before
            + [f"\tresult = large.refused ? large_counts_refused(site, MPI_CALL_{call.name})",
               f"\t                       : shim_MPI_{small.name}(site, {values});"]
            + after + ["\tlarge_counts_release(&large);"])
    values = f", {call.values()}" if call.arguments else ""
    return f"\tresult = shim_MPI_{call.name}(site{values});"


def body(call, by_name):
    """Statements that set the result."""
    if call.treatment == "refused":
        return f"\tresult = error_refused(site, MPI_CALL_{call.name});"
    if meets_by_itself(call):
        kind = "file" if call.has("fh") else "window"
        handle = "fh" if kind == "file" else "win"
        fences = call.name == "Win_fence"
        first = "\taccess_fence(site, assert, win);\n" if fences else ""
        last = ("\n\taccess_arrived();\n\tif (result == MPI_SUCCESS)\n"
                "\t\twindow_called(MPI_CALL_Win_fence, WIRE_ANY, assert, win);") if fences else ""
        noted = call_accesses.file_access(call)
        noted = f"\tif (result == MPI_SUCCESS)\n\t\t{noted}\n" if noted else ""
        kept = call_accesses.buffer_kept(call)
        last += f"\n\tif (result == MPI_SUCCESS)\n\t\t{kept}" if kept else ""
        return (f"{first}\tresult = {kind}_meet(site, MPI_CALL_{call.name}, {handle},\n"
                f"\t\t{agreed(call)});\n{noted}"
                f"\tif (result == MPI_SUCCESS)\n"
                f"\t\tresult = real_mpi()->{call.name}({call.values()});" + last)
    return controlled_body(call, by_name)


def block(statements):
    return "".join(f"{statement}\n" for statement in statements)


def settling(call):
    """The statement that calls the error handler for the error that MPI returned. Files and
    sessions have their own handlers: MPI has called the right one, and the error is only
    reported."""
    handled = call.takes("MPI_File", "MPI_File *", "MPI_Session", "MPI_Session *")
    if call.returns != "int" or call.treatment == "refused":
        return ""
    if handled:
        return ("\tif (result != MPI_SUCCESS)\n"
                f"\t\terror_returned(result, MPI_CALL_{call.name}, site);\n")
    types = {a.name: a.type for a in call.arguments if not a.array}
    if types.get("win") == "MPI_Win":
        settle = "error_settle_window(result, win"
    else:
        comm = "comm" if types.get("comm") == "MPI_Comm" else "MPI_COMM_WORLD"
        settle = f"error_settle(result, {comm}"
    return f"\tresult = {settle}, MPI_CALL_{call.name}, site);\n"


def noting(call, success, site="site", own=""):
    """Statements that record which objects the call has created or freed."""
    made = call_objects.made(call, site)
    text = block(call_objects.freed(call, own))
    if made:
        text += block([f"\tif ({own}{success}{call_objects.also(call)}) {{"] + made + ["\t}"])
    return text


def receiving(call):
    """Statements that check what was received."""
    return "" if call.treatment == "refused" else block(call_receives.behind(call))


def needs_notes(call):
    """Whether a call that goes to MPI unseen needs a wrapper nevertheless: it creates or frees
    objects, is not allowed at all times, or leaves something that a state must contain."""
    return (call.returns == "int" and not call.has("...")
            and (call_objects.tracks(call) or not call.get("any_time")
                 or call_states.must_be_seen(call)))


def world(call, own=""):
    """Statements that put what stands for MPI_COMM_WORLD in its place."""
    condition = f"\tif ({own})\n\t" if own else ""
    return [f"{condition}\t{a.name} = communicator_of_program({a.name});"
            for a in call.arguments if a.type == "MPI_Comm" and not a.array]


def window(call, own=""):
    """Statements that replace a window which no longer exists, so that the library does not use
    it."""
    if not any(a.name == "win" and a.type == "MPI_Win" for a in call.arguments):
        return []
    return [f"\tif ({own})\n\t\twin = window_or_null(win);" if own
            else "\twin = window_or_null(win);"]


def passing_wrapper(call):
    """The wrapper of a call that goes to MPI unseen. It may record that the rank is inside MPI, and
    what the call creates."""
    tracks = call_objects.tracks(call) or call_accesses.tells(call)
    enter = ("caller_is_program(site)" if call.get("any_time")
             else f"startup_enter_unseen(MPI_CALL_{call.name}, site)")
    note = "blocking_call_enter" if call.get("waits") else "blocking_call_compute"
    inside = f"\tbool inside = {note}(MPI_CALL_{call.name}, site);\n"
    leave = "\tif (inside)\n\t\tblocking_call_leave();\n"
    own = tracks or world(call)
    first = block(world(call, "own"))
    first += block(call_objects.before(call)) + (inside if call.stays() else "")
    first = block(call_accesses.atomic(call)) + first
    first += block(window(call, "own")) if tracks else ""
    first += block(call_accesses.before(call))
    first += block(call_states.passing(call))
    stack = "\tPROCESS_NOTE_STACK();\n" if call_accesses.tells(call) else ""
    last = block(call_accesses.after(call))
    last += leave if call.stays() else ""
    last += noting(call, "returned == MPI_SUCCESS", "site_of_caller(site)", "own && ")
    if call.returns == "int":
        last += (f"\tif (returned != MPI_SUCCESS)\n"
                 f"\t\terror_passed(returned, MPI_CALL_{call.name}, site);\n")
    return f"""
EXPORTED {call.returns} MPI_{call.name}({call.exported()})
{{
	void *site = above_site(__builtin_return_address(0));
{stack}	{"bool own = " if own else ""}{enter};
{first}	{call.returns} returned = real_mpi()->{call.name}({call.values()});

{last}	STACK_RESIDUE_CLEAR();
	return returned;
}}

EXPORTED {call.returns} PMPI_{call.name}({call.exported()})
    __attribute__((alias("MPI_{call.name}")));
"""


def announcement(call):
    """Statements that announce to the scheduler what a thread, one of several, is about to send or
    receive. Empty for requests that are only prepared, and for polls: a program can repeat these
    for ever."""
    types = {a.name: a.type for a in call.arguments}
    sends = types.get("dest") == "int" and ("tag" in types or "sendtag" in types)
    receives = types.get("source") == "int" and ("tag" in types or "recvtag" in types)
    if call.is_persistent() or call.get("asks"):
        return ""
    if not (sends or receives) or "comm" not in types:
        return ""
    fields = ".comm = (uint64_t)comm"
    if sends:
        fields += (", .sends = dest != MPI_PROC_NULL, .dest = dest,\n\t\t\t"
                   f".send_tag = {'tag' if 'tag' in types else 'sendtag'}")
    if receives:
        fields += (", .receives = source != MPI_PROC_NULL,\n\t\t\t"
                   ".source = source == MPI_ANY_SOURCE ? WIRE_ANY : source,\n\t\t\t"
                   f".receive_tag = {'tag' if 'tag' in types else 'recvtag'}")
    return f"""	if (threading_are_many()) {{
		const struct wire_enter envelope = {{ {fields} }};
		threading_announce(&envelope);
	}}
"""


def wrapper(call, by_name):
    """The exported functions of a call."""
    if call.stays() or not call.wrapped():
        return passing_wrapper(call)
    enter = "caller_enter_always" if call.get("always") else "caller_enter"
    check = ("" if call.get("any_time")
             else f"\t\tstartup_check_order(MPI_CALL_{call.name}, site);\n")
    passing = "startup_abort" if call.name == "Abort" else f"real_mpi()->{call.name}"
    text = body(call, by_name)
    if not call.get("always") and call.treatment != "refused" and not meets_by_itself(call):
        text = call_checks.guarded(call, text)
    return f"""
EXPORTED {call.returns} MPI_{call.name}({call.exported()})
{{
	void *site = above_site(__builtin_return_address(0));
	{call.returns} result;

	PROCESS_NOTE_STACK();
{announcement(call)}	if (!{enter}(&site)) {{
{check}		return {passing}({call.values()});
	}}
{block(world(call) + window(call) + call_states.controlled(call))}\
{block(call_objects.before(call))}{text}
{settling(call)}{noting(call, "result == MPI_SUCCESS")}{receiving(call)}	caller_leave();
	STACK_RESIDUE_CLEAR();
	return result;
}}

EXPORTED {call.returns} PMPI_{call.name}({call.exported()})
    __attribute__((alias("MPI_{call.name}")));
"""


def functions_table(calls):
    """Where each function of MPI is kept."""
    rows = "\n".join(f'\t{{ "PMPI_{call.name}", offsetof(struct real_mpi, {call.name}) }},'
                     for call in calls)
    return f"const struct real_function real_functions[] = {{\n{rows}\n\t{{ NULL, 0 }}\n}};\n"


def wrappers_source(calls, by_name):
    bodies = "".join(wrapper(call, by_name) for call in calls
                     if call.wrapped() or needs_notes(call))
    return f"""{HEADING}#include "mpi_functions.h"

#include <stdlib.h>

#include "shim/check/access.h"
#include "shim/gate/caller.h"
#include "shim/calls/collective.h"
#include "shim/request/completion.h"
#include "shim/request/file_buffers.h"
#include "shim/calls/collective_early.h"
#include "shim/objects/communicator.h"
#include "shim/objects/error.h"
#include "common/mix.h"
#include "shim/calls/file_and_window.h"
#include "shim/objects/windows.h"
#include "shim/gate/gate.h"
#include "shim/gate/blocking_call.h"
#include "shim/calls/large_count.h"
#include "shim/check/misuse.h"
#include "shim/mpi/real.h"
#include "shim/process/above.h"
#include "shim/process/process.h"
#include "shim/process/stack_residue.h"
#include "shim/request/request.h"
#include "shim/lifecycle/startup.h"
#include "shim/state/state.h"
#include "shim/gate/threading.h"
#include "shim/calls/tracking.h"

#define EXPORTED __attribute__((visibility("default")))

{functions_table(calls)}{call_collectives.shims(calls, by_name)}{bodies}"""


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as output:
        output.write(text)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    _, table, header, directory = sys.argv
    calls = mpi_table.read_table(table)
    write(directory, "mpi_calls.h", call_table.header(calls, HEADING))
    write(directory, "mpi_calls.c", call_table.source(calls, HEADING))
    calls = mpi_table.installed(calls, header)
    by_name = {call.name: call for call in calls}
    write(directory, "mpi_functions.h", functions_header(calls, by_name))
    write(directory, "wrappers.c", wrappers_source(calls, by_name))
    write(directory, "record_wrappers.c",
          call_records.source(calls, functions_table(calls), HEADING))


if __name__ == "__main__":
    main()
