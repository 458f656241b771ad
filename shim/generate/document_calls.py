"""Makes the table for readers (docs/reference/mpi-calls.md) from the table of MPI calls
(mpi_calls.txt). docs/generate.py writes it."""
import re

import call_collectives
import call_objects

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

INTRODUCTION = """All {total} functions of MPI 3.1 and of those of MPI 4.0 that MPICH 4.0 has.
Fortran's bindings, `PMPI_` names included, are treated as the function of that name in C.
`matchpoint check PROGRAM` lists those that a program calls."""

TREATMENTS = {
    "controlled": "goes on when the scheduler says so",
    "answered": "the shim answers it, or notes it; it is no step of a path",
    "bracketed": "the members meet at the scheduler, then MPI carries it out",
    "passed": "goes to MPI unseen, and could matter for what is explored",
    "harmless": "goes to MPI unseen; only asks or computes within the rank",
    "refused": "ends the exploration with exit status 4, with the call and its place",
}

NOTES = """\
Variants with large counts (`_c`) are treated alike and not listed. If such a call is controlled,
a count above 2^31-1 ends the exploration with exit status 4. What a nonblocking or persistent call
waits for, it waits for where its request is completed. The members of a collective wait only for
the data that they need, as the standard allows, or for all members (`--collectives`). "Wildcard"
means that it is a choice which of several messages is taken.
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
    """The introduction, and the lines below it."""
    lines = ["| treatment | functions | meaning |", "| --- | --- | --- |"]
    for treatment, meaning in TREATMENTS.items():
        count = sum(treatment_of(call) == treatment for call in calls)
        lines.append(f"| {treatment} | {count} | {meaning} |")
    lines += ["", *NOTES.split("\n")]
    for title in ORDER:
        lines += [f"## {title}", "", "| function | treatment | waits for | remarks |",
                  "| --- | --- | --- | --- |"]
        lines += [f"| `MPI_{call.name}` | {treatment_of(call)} | {waits_of(call)} "
                  f"| {remarks_of(call)} |".replace("|  |", "| |").replace("|  |", "| |")
                  for call in rows(calls) if chapter_of(call) == title]
        lines.append("")
    return INTRODUCTION.format(total=len(calls)), lines
