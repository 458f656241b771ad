"""record_wrappers.c: the MPI functions of the recorder (shim/record/). Each is written once for
recording and for replaying. The directions of arguments follow from their types and names; what
does not is a property of the call: record=, lengths=."""
import call_accesses

# The kinds of handles in shim/record/call.h.
KINDS = {"MPI_Comm": "COMM", "MPI_Datatype": "DATATYPE", "MPI_Request": "REQUEST",
         "MPI_Op": "OP",
         "MPI_Group": "GROUP", "MPI_Info": "INFO", "MPI_Errhandler": "ERRHANDLER",
         "MPI_Message": "MESSAGE", "MPI_Win": "WIN"}
NUMBERS = ("int", "MPI_Count", "MPI_Aint", "MPI_Fint", "MPI_Offset")
# Arguments that tell nothing: addresses, and what the program passes through MPI to itself.
UNTOLD = ("attribute_val", "buffer", "base", "argc", "argv")
# Buffers with their counts and types.
BUFFERS = (("buf", "count", "datatype"), ("sendbuf", "sendcount", "sendtype"),
           ("recvbuf", "recvcount", "recvtype"))

SHARED = ("windows of shared memory cannot be recorded: others change it without calls of this "
          "rank")
# Families that no log can hold, and what the user reads: what a call has, or how its name begins.
REFUSED = (
    ("Win_allocate_shared", SHARED),
    ("Win_shared_query", SHARED),
    ("MPI_Session", "sessions cannot be recorded"),
    ("T_", "the tool interface cannot be recorded"),
    ("P", "partitioned communication cannot be recorded"),
    ("Grequest_", "generalized requests cannot be recorded"),
)
OTHERWISE_REFUSED = "this function cannot be recorded"


def bare(argument):
    return argument.type.replace("const ", "").strip()


def refused(call):
    """Why the call cannot be recorded; None: it can."""
    for word, reason in REFUSED:
        if word.startswith("MPI_"):
            has_it = any(bare(a).rstrip("* ") == word for a in call.arguments)
            has_it = has_it or call.name.startswith(word[4:] + "_")
        elif word == "P":
            has_it = call.has("partitions") or call.name.startswith(("Pready", "Parrived"))
        else:
            has_it = call.name.startswith(word)
        if has_it or call.returns == word:
            return reason
    if call.get("record") == "refused" or call.treatment == "refused":
        return OTHERWISE_REFUSED
    return None


def is_by_hand(call):
    return call.get("record") == "hand" and not refused(call)


def is_recorded(call):
    return not refused(call)


def kind_of(argument):
    return KINDS.get(bare(argument).rstrip("* "))


def moves(call):
    """The collective operation whose buffers a helper knows; None: it is none."""
    operation = call.get("collective")
    return None if operation in (None, "create", "allocate", "destroy", "barrier") else operation


def lengths(call):
    return dict(part.split(":", 1) for part in call.get("lengths") or [])


class Underivable(Exception):
    pass


def is_reference(argument):
    return argument.type.endswith("*") or bool(argument.array)


def is_text(argument):
    return bare(argument) == "char *" or (bare(argument) == "char" and bool(argument.array))


def element_of(argument):
    """The type of the elements of an array of numbers."""
    return "int" if bare(argument) == "int" else "int64_t"


def is_input_array(call, argument):
    """An array that is read. Old prototypes lack the const."""
    makes = any(a.type.endswith("*") and kind_of(a) and not a.array for a in call.arguments)
    return "const" in argument.type or makes


def file_handle(call, argument):
    """(before, after): statements that log the handle of a file, which is a pointer."""
    name = argument.name
    if not is_reference(argument):
        return [f'record_in_file(&call, "{name}", {name});'], []
    given = [f'record_in_file(&call, "{name}", *{name});'] if call.get("frees") else []
    return given, [f"record_out_file({name});"]


def is_file(argument):
    return bare(argument).rstrip("* ") == "MPI_File"


def before(call, argument):
    """Statements that log an argument before the call."""
    name, plain, kind = argument.name, bare(argument), kind_of(argument)
    quoted = f'"{name}"'
    if is_file(argument):
        return file_handle(call, argument)[0]
    if not is_reference(argument):
        if kind:
            return [f"record_in_handle(&call, {quoted}, RECORD_{kind}, (uint32_t){name});"]
        if plain in NUMBERS:
            return [f"record_in(&call, {quoted}, {name});"]
        raise Underivable(name)
    if is_text(argument):
        return [f"record_in_text(&call, {quoted}, {name});"] if "const" in argument.type else []
    if name in UNTOLD or plain == "MPI_Status *" or "weights" in name:
        return []
    if name in lengths(call):
        if not (is_input_array(call, argument) or call.get("record") == "inout"):
            return []
        length = lengths(call)[name]
        if kind:
            return [f"record_in_handles(&call, {quoted}, RECORD_{kind}, {name}, {length});"]
        size = f"sizeof({element_of(argument)})"
        return [f"record_in_numbers(&call, {quoted}, {name}, {size}, {length});"]
    if argument.array or "const" in argument.type:
        raise Underivable(name)
    if kind or plain.rstrip("* ") in NUMBERS:
        if not (call.get("frees") or call.get("record") == "inout"):
            return []
        if kind == "REQUEST" and call.gives_request():  # MPI_Imrecv takes the message alone back
            return []
        if kind:
            return [f"record_in_handle(&call, {quoted}, RECORD_{kind}, (uint32_t)*{name});"]
        return [f"record_in(&call, {quoted}, *{name});"]
    raise Underivable(name)


def after(call, argument):
    """Statements that log an argument after the call."""
    name, plain, kind = argument.name, bare(argument), kind_of(argument)
    if is_file(argument):
        return file_handle(call, argument)[1]
    if not is_reference(argument) or name in UNTOLD or "const" in argument.type:
        return []
    if is_text(argument):
        return [f"record_out_text(&call, {name});"]
    if plain == "MPI_Status *":
        return [f"record_out_status({name});"]
    if name in lengths(call):
        if is_input_array(call, argument):
            return []
        length = lengths(call)[name]
        if kind:
            return [f"record_out_handles(&call, RECORD_{kind}, {name}, {length});"]
        return [f"record_out_numbers(&call, {name}, sizeof({element_of(argument)}), {length});"]
    if kind == "COMM" and not (call.get("frees") or call.gives_request()):
        return [f"record_out_handle(RECORD_COMM, {name});", f"record_members(&call, {name});"]
    if kind:
        return [f"record_out_handle(RECORD_{kind}, {name});"]
    if plain.rstrip("* ") in NUMBERS:
        return [f"record_out_number({name}, sizeof(*{name}));"]
    return []


def handled_by_buffers(call):
    """Names of arguments that the functions for buffers log."""
    if moves(call):
        return {a.name for a in call.arguments
                if a.name in ("buffer", "count", "datatype") or a.array
                or a.name.startswith(("send", "recv"))}
    if moves_file(call):
        return {"buf", "count", "datatype"}
    if call.has("dest") or call.has("source") or call.has("message"):
        return {name for names in BUFFERS for name in names}
    if call.moves_data():
        return {"origin_addr", "origin_count", "origin_datatype", "compare_addr", "result_addr",
                "result_count", "result_datatype"}
    return set()


def collective_buffers(call):
    """The statement that gives a collective's buffers to the log."""
    operation = {"scan": "allreduce"}.get(moves(call), moves(call))
    values = []
    for argument in call.arguments:
        if argument.name in ("op", "info", "request"):
            continue
        is_vector = argument.array and kind_of(argument) is None
        values.append(f"RECORD_VECTOR({argument.name})" if is_vector else argument.name)
    return [f"record_{operation}(&call, {', '.join(values)});"]


def message_buffers(call):
    statements = []
    replaces = call.has("dest") and call.has("source") and call.has("buf")
    for buffer, count, datatype in BUFFERS:
        if not call.has(buffer):
            continue
        sends = call.has("dest") if buffer == "buf" else buffer == "sendbuf"
        if sends:
            statements.append(f"record_send(&call, {buffer}, {count}, {datatype});")
        if not sends or replaces:
            statements.append(f"record_receive(&call, {buffer}, {count}, {datatype});")
    return statements


def access_buffers(call):
    """Buffers of a call that moves data to or from a window."""
    kind = "origin_datatype" if call.has("origin_datatype") else "datatype"
    count = "origin_count" if call.has("origin_count") else "1"
    moves_origin = "receive" if call.get("access") == "get" else "send"
    unless = "if (op != MPI_NO_OP)\n\t\t" if call.has("op") else ""
    statements = [f"{unless}record_{moves_origin}(&call, origin_addr, {count}, {kind});"]
    if call.has("compare_addr"):
        statements.append(f"record_send(&call, compare_addr, 1, {kind});")
    if call.has("result_addr"):
        what = "result_count, result_datatype" if call.has("result_count") else f"1, {kind}"
        statements.append(f"record_receive(&call, result_addr, {what});")
    if moves_origin == "send":
        statements.append("windows_access(win, target_rank);")
    return statements


def file_buffers(call):
    """The buffer of a call that reads or writes a file. [] where it has told it before."""
    found = call_accesses.KEEPS.match(call.name)
    if not found:
        return []
    moved = "send" if found.group(2) == "write" else "receive"
    return [f"record_{moved}(&call, buf, count, datatype);"]


def file_finishing(call):
    """Statements behind such a call. A read gives its whole buffer: MPI is free to tell another
    size than it has touched."""
    found = call_accesses.KEEPS.match(call.name)
    if not found:
        return ["requests_settle(&call, (uintptr_t)fh, 0);"]
    if found.group(1):
        return ["requests_hold(&call, 0, 0, request);"]
    if found.group(5):
        return ["requests_hold(&call, (uintptr_t)fh, 0, NULL);"]
    return ["record_out_received(&call);"]


def moves_file(call):
    return bool(call_accesses.KEEPS.match(call.name) or call_accesses.GIVES_BACK.match(call.name))


def buffers(call):
    if moves_file(call):
        return file_buffers(call)
    if moves(call):
        return collective_buffers(call)
    if call.moves_data():
        return access_buffers(call)
    return message_buffers(call) if handled_by_buffers(call) else []


def makes_later(call):
    """Whether the communicator that the call makes is there when its request completes."""
    return call.gives_request() and call.has("newcomm")


def place(call):
    """The statement that tells observers whom the call is about."""
    names = {a.name: a for a in call.arguments}
    peer = next((n for n in ("dest", "source", "root") if n in names), None)
    tag = next((n for n in ("tag", "sendtag") if n in names and peer in ("dest", "source")), None)
    comm = next((a.name for a in call.arguments if a.type == "MPI_Comm"), None)
    if call.moves_data() or (call.has("win") and call.has("rank")):
        rank = "target_rank" if call.moves_data() else "rank"
        return [f"record_place({rank}, RECORDING_NOTHING, 0);"]
    if not comm:
        return []
    return [f"record_place({peer or 'RECORDING_NOTHING'}, {tag or 'RECORDING_NOTHING'}, {comm});"]


def synchronising(call):
    """The statement that looks at the memory of the window that the call synchronises."""
    if not call.has("win") or call.moves_data() or not (call.get("shows") or call.get("settles")):
        return []
    show = f"WINDOWS_SHOW_{(call.get('shows') or 'never').upper()}"
    rank = "rank" if call.has("rank") else "WINDOWS_ALL"
    return [f"windows_synchronise(&call, win, {show}, {rank});"]


def receives_message(call):
    return any(s.startswith("record_receive") for s in message_buffers(call)) and not moves(call)


def finishing(call):
    """Statements that move what the call has brought, or give it to its request."""
    if moves_file(call):
        return file_finishing(call)
    if call.moves_data():
        request = "request" if call.gives_request() else "NULL"
        return [f"requests_hold(&call, (uint32_t)win, target_rank, {request});"]
    if call.get("settles"):
        rank = "rank" if call.has("rank") else "REQUESTS_ALL"
        locally = "_locally" if call.get("sync") == "flush_local" else ""
        return [f"requests_settle{locally}(&call, (uint32_t)win, {rank});"]
    if not buffers(call) and not call.gives_request():
        return []
    if call.gives_request():
        is_result = moves(call) or call.has("dest") or makes_later(call)
        brings = "RESULT" if is_result else "MESSAGE"
        if call.is_persistent() and not moves(call):
            brings = "MESSAGE"
        add = (f"requests_add(&call, request, REQUESTS_{brings}, "
               f"{'true' if call.is_persistent() else 'false'});")
        if call.has("source") and not call.is_persistent():
            return [f"if (source != MPI_PROC_NULL)\n\t\t{add}"]
        return [add]
    if receives_message(call):
        return ["record_out_message(&call.receives, record_status_bytes(status));"]
    return ["record_out_received(&call);"] if moves(call) else []


def statements(call):
    """(before, after) the call."""
    skipped = handled_by_buffers(call)
    first = place(call)
    for argument in call.arguments:
        if argument.name not in skipped:
            first += before(call, argument)
    first += buffers(call) + synchronising(call)
    if buffers(call) and not call.is_persistent():
        first.append("record_hash(&call, &call.sends);")
    if makes_later(call):
        first.append("record_receive(&call, newcomm, 1, MPI_INT);")
    last = [s for a in call.arguments if a.name not in skipped for s in after(call, a)]
    return first, last + finishing(call)


def own_status(call):
    """A status of the wrapper's, where the program wants none."""
    if not (receives_message(call) and call.takes("MPI_Status *")):
        return ""
    return ("\tMPI_Status own = { 0 };\n\tif (status == MPI_STATUS_IGNORE)\n"
            "\t\tstatus = &own;\n")


def exported(call, body):
    return f"""
EXPORTED {call.returns} MPI_{call.name}({call.exported()})
{{
	struct record_call call;
{body}}}

EXPORTED {call.returns} PMPI_{call.name}({call.exported()})
    __attribute__((alias("MPI_{call.name}")));
"""


def entering(call):
    return (f"\tif (!record_enter(&call, MPI_CALL_{call.name}, __builtin_return_address(0),\n"
            f"\t                  __builtin_dwarf_cfa()))\n"
            f"\t\treturn below_mpi()->{call.name}({call.values()});\n")


def refusing(call):
    return exported(call, entering(call) + f"""	record_refuse("{refused(call)}");
	return below_mpi()->{call.name}({call.values()});
""")


def wrapper(call):
    if refused(call):
        return refusing(call)
    first, last = statements(call)
    indent = "\n\t"
    if call.returns == "int":
        run = (f"record_result(&call, record_run(&call) ? below_mpi()->{call.name}"
               f"({call.values()}) : MPI_SUCCESS);")
        give = "call.result"
        result = ""
    else:
        run = (f"if (record_run(&call))\n\t\tresult = below_mpi()->{call.name}({call.values()});\n"
               "\trecord_result(&call, MPI_SUCCESS);\n\trecord_out_raw(&result, sizeof(result));")
        give = "result"
        result = f"\t{call.returns} result = ({call.returns})0;\n"
    lines = indent.join([*first, run, *last, "record_leave(&call);"])
    return exported(call, f"{result}{own_status(call)}{entering(call)}\t{lines}\n"
                    f"\treturn {give};\n")


def problems(calls):
    """The calls that are neither derived, written by hand nor refused."""
    found = []
    for call in calls:
        if not refused(call) and not is_by_hand(call):
            try:
                statements(call)
            except Underivable as argument:
                found.append((call.number, f"MPI_{call.name}: the recorder cannot tell what "
                              f"{argument} is; it needs record= or lengths="))
    return found


def source(calls, table, heading):
    includes = "\n".join(f'#include "shim/{name}.h"' for name in (
        "record/below", "record/call", "record/collective_buffers", "record/known",
        "record/members", "record/requests", "record/windows"))
    bodies = "".join(wrapper(call) for call in calls if not is_by_hand(call))
    return f"""{heading}#include "mpi_functions.h"

#include <stdlib.h>

{includes}

#define EXPORTED __attribute__((visibility("default")))

{table}{bodies}"""
