#!/usr/bin/env python3
"""Makes the table for readers (MPI_CALLS.md) from the table of MPI calls (mpi_calls.txt).

usage: document_calls.py [--check]

--check only compares: exit status 1 when MPI_CALLS.md is not what the table gives.
"""
import os
import re
import sys

import call_collectives
import call_objects
import mpi_table

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "mpi_calls.txt")
DOCUMENT = os.path.join(HERE, "..", "MPI_CALLS.md")

# Chapters in the order of the standard, and the names of their calls without MPI_; the first that
# fits counts.
RMA = (r"(Put|Get|Accumulate|Get_accumulate|Rput|Rget|Raccumulate|Rget_accumulate|Fetch_and_op"
       r"|Compare_and_swap|Win_\w+)(_c)?")
CHAPTERS = (
    ("Tool information", r"T_.*|Pcontrol"),
    ("Sessions", r"Session_.*|Comm_create_from_group|Intercomm_create_from_groups"),
    ("Processes", r"Comm_(spawn\w*|accept|connect|join|disconnect|get_parent)|Open_port"
                  r"|Close_port|(Unp|P)ublish_name|Lookup_name"),
    ("Files (MPI-IO)", r"File_.*|Register_datarep.*"),
    ("Errors", r".*(errhandler|Errhandler).*|Error_.*|Add_error_.*"),
    ("Attributes and names", r"(Comm|Type|Win)_\w*(attr|keyval|name)|Attr_\w+|Keyval_\w+"),
    ("One-sided communication", RMA),
    ("Topologies", r"Cart.*|Graph.*|Dist_graph.*|Dims_create|Topo_test|I?[Nn]eighbor_.*"),
    ("Datatypes", r"Type_.*|Pack.*|Unpack.*|Get_address|Address|Aint_.*|Get_(count|elements).*"),
    ("Groups", r"Group_.*"),
    ("Info", r"Info_.*"),
    ("Environment", r"Init\w*|Final\w*|Abort|Is_thread_main|Query_thread|Wti.*|Alloc_mem"
                    r"|Free_mem|Get_(version|library_version|processor_name)"),
    ("Generalised requests", r"Grequest_.*|Status_set_.*"),
    ("Handles in C and Fortran", r".*(_c2f|_f2c|_f082c|_c2f08)"),
    ("Point to point", r"([IBSR]|Ib|Is|Ir|)[Ss]end(_init|_c|_init_c)?|I?[Ss]endrecv.*"
                       r"|(I|M|Im|)[Rr]ecv(_init|_c|_init_c)?|(I|M|Im|)[Pp]robe|P(send|recv)_init"
                       r"|Pready.*|Parrived|Wait.*|Test.*|Start.*|Request_.*|Cancel|Buffer_.*"),
    ("Communicators", r"Comm_.*|Intercomm_.*"),
    ("Collectives", r".*"),
)
ORDER = ("Environment", "Point to point", "Generalised requests", "Collectives", "Communicators",
         "Groups", "Topologies", "Attributes and names", "Datatypes", "One-sided communication",
         "Files (MPI-IO)", "Sessions", "Processes", "Errors", "Info", "Tool information",
         "Handles in C and Fortran")

# Whom a call waits for: what the table does not say, as it holds for these alone.
RECEIVE = "its receive"
BUFFERED = "its receive, where it is not buffered"
WAITS = {
    "Send": BUFFERED, "Isend": BUFFERED, "Send_init": BUFFERED,
    "Ssend": RECEIVE, "Issend": RECEIVE, "Ssend_init": RECEIVE,
    "Rsend": BUFFERED, "Irsend": BUFFERED, "Rsend_init": BUFFERED,
    "Recv": "a message", "Irecv": "a message", "Recv_init": "a message", "Probe": "a message",
    "Mprobe": "a message",
    "Sendrecv": "its receive and a message", "Sendrecv_replace": "its receive and a message",
    "Isendrecv": "its receive and a message", "Isendrecv_replace": "its receive and a message",
    "Psend_init": RECEIVE, "Precv_init": "its send",
    "Wait": "its request", "Waitall": "all its requests", "Waitany": "one of its requests",
    "Waitsome": "one of its requests",
    "Finalize": "all ranks",
    "Win_start": "`MPI_Win_post` of the targets", "Win_wait": "`MPI_Win_complete` of the origins",
    "Win_lock": "the lock", "Win_lock_all": "the locks",
}
MEMBERS = {"all": "all members", "root_first": "the root; the root for nobody",
           "root_last": "nobody; the root for all members", "lower": "the members of lower rank"}
TAKE_REQUESTS = ("Start", "Wait", "Test", "Request_free", "Cancel")
ASK = ("Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe", "Request_get_status",
       "Parrived", "Win_test")

INTRODUCTION = """# How each MPI call is treated

<!-- Generated from mpi_calls.txt by document_calls.py: change those. -->

All {total} functions of MPI 3.1 and of those of MPI 4.0 that MPICH 4.0 has. Fortran's bindings,
`PMPI_` names included, are treated as the function of that name in C. `matchpoint check PROGRAM`
tells which of them a program calls.

| treatment | functions | |
| --- | --- | --- |
| controlled | {controlled} | goes on when the scheduler says so |
| answered | {answered} | the shim answers it or keeps books on it; no step of a path |
| bracketed | {bracketed} | the members meet at the scheduler, then MPI carries it out |
| passed | {passed} | goes to MPI unseen, and could matter for what is explored |
| harmless | {harmless} | goes to MPI unseen; only asks or computes within the rank |
| refused | {refused} | ends the exploration with exit status 4, with the call and its place |

Variants with large counts (`_c`) are treated alike and not listed; of those that are controlled, a
count above 2^31-1 ends the exploration with exit status 4. What a nonblocking or persistent call
waits for is waited for where its request is completed. The members of a collective wait for no more
than the data they need, as the standard allows, or for all (`--collectives`). "Wildcard" means that
which message is taken is a choice when there are several.
"""


def chapter_of(call):
    return next(title for title, names in CHAPTERS if re.fullmatch(names, call.name))


def treatment_of(call):
    return "answered" if call.treatment == "controlled" and not call.counts else call.treatment


def is_nonblocking(call):
    types = [a.type for a in call.arguments if not a.array]
    return (("MPI_Request *" in types or "MPIO_Request *" in types)
            and call.name not in TAKE_REQUESTS)


def waits_of(call):
    if call.name in WAITS:
        return WAITS[call.name]
    if call.order in MEMBERS and not call_collectives.is_early(call):
        return MEMBERS["all"]
    return MEMBERS.get(call.order, "")


def remarks_of(call):
    remarks = []
    if call.treatment == "refused":
        return ""
    if call.name.endswith("_init") and call.name not in ("Session_init", "T_init"):
        remarks.append("persistent")
    elif is_nonblocking(call) and call.treatment in ("controlled", "passed"):
        remarks.append("nonblocking")
    if any(a.name == "source" for a in call.arguments) and call.treatment == "controlled":
        remarks.append("wildcard")
    if call.name in ASK:
        remarks.append("answers at once")
    if call.name.startswith("Win_lock"):
        remarks.append("who is granted an exclusive lock is a choice")
    if call.stays():
        remarks.append("a rank that stays in it is told (`stall`)")
    made = {kind.lower() for argument, kind in call_objects.handles(call)
            if call.name not in call_objects.FREE and kind not in ("REQUEST", "MESSAGE")}
    for kind in sorted(made):
        remarks.append(f"{kind} must be {'closed' if kind == 'file' else 'freed'} (`leak`)")
    return "; ".join(remarks)


def rows(calls):
    names = {call.name for call in calls}
    return [call for call in calls
            if not (call.name.endswith("_c") and call.name[:-2] in names)]


def document(calls):
    counts = {treatment: sum(treatment_of(call) == treatment for call in calls)
              for treatment in ("controlled", "answered", "bracketed", "passed", "harmless",
                                "refused")}
    text = [INTRODUCTION.format(total=len(calls), **counts)]
    for title in ORDER:
        text.append(f"## {title}\n")
        text.append("| function | treatment | waits for | remarks |\n| --- | --- | --- | --- |")
        text += [f"| `MPI_{call.name}` | {treatment_of(call)} | {waits_of(call)} "
                 f"| {remarks_of(call)} |".replace("|  |", "| |").replace("|  |", "| |")
                 for call in rows(calls) if chapter_of(call) == title]
        text.append("")
    return "\n".join(text)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = document(mpi_table.read_table(TABLE))
    if sys.argv[1:]:
        with open(DOCUMENT, encoding="utf-8") as current:
            if current.read() != text:
                sys.exit("shim/MPI_CALLS.md is not up to date: say shim/generate/document_calls.py")
        return
    with open(DOCUMENT, "w", encoding="utf-8") as output:
        output.write(text)


if __name__ == "__main__":
    main()
