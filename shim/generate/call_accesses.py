"""Code for calls that move data to or from a window or a file, or complete such calls: the wrapper
records them (access.h, file_and_window.h, file_buffers.h). The roles of the arguments follow from
the prototype."""

import re


def tells(call):
    """Whether the wrapper records anything."""
    return bool(buffer_kept(call) or
                (call.get("waits") and (call.moves_data() or call.synchronises())))


def moves(call):
    """Whether the call moves data, and the wrapper records it."""
    return bool(call.get("waits")) and call.moves_data()


def description(call):
    """The statement that describes a call that moves data."""
    given = {a.name for a in call.arguments}
    kind = "datatype" if "datatype" in given else "origin_datatype"
    target_kind = "datatype" if "datatype" in given else "target_datatype"
    fields = [f".function = MPI_CALL_{call.name}", ".site = site_of_caller(site)",
              ".origin = origin_addr", f".origin_type = {kind}",
              f".origin_count = {'origin_count' if 'origin_count' in given else '1'}",
              ".target = target_rank", ".displacement = target_disp",
              f".target_count = {'target_count' if 'target_count' in given else '1'}",
              f".target_type = {target_kind}", ".window = win"]
    if "compare_addr" in given:
        fields.append(".compare = compare_addr")
    if "result_addr" in given:
        fields += [".result = result_addr",
                   f".result_count = {'result_count' if 'result_count' in given else '1'}",
                   f".result_type = {'result_datatype' if 'result_count' in given else kind}"]
    if "op" in given:
        fields.append(".op = op")
    initialiser = "".join(f"\t\t{field},\n" for field in fields)
    return f"\tstruct access_call access = {{\n{initialiser}\t}};"


def atomic(call):
    """The statement that notes an atomic operation on a window, the program's own or not."""
    if call.get("access") in ("accumulate", "swap"):
        return ["\tif (!own)\n\t\twindow_note_foreign();"]
    return []


FILE_ACCESS = re.compile(r"File_i?(read|write)(_at)?(_all)?(_begin)?(_c)?$")


def file_access(call, site="site"):
    """The statement that notes what a call reads or writes in a file, at a place that is known.
    None: it does neither."""
    found = FILE_ACCESS.match(call.name)
    if not found:
        return None
    place = "offset" if call.has("offset") else "FILE_POSITION"
    writes = "true" if found.group(1) == "write" else "false"
    return f"file_accessed(MPI_CALL_{call.name}, {site}, fh, {place}, count, datatype, {writes});"


KEEPS = re.compile(r"File_(i?)(read|write)(_at)?(_all|_shared|_ordered)?(_begin)?(_c)?$")
GIVES_BACK = re.compile(r"File_(read|write)(_at)?(_all|_ordered)_end$")


def buffer_kept(call, site="site"):
    """The statement that notes the buffer of an operation on a file which goes on behind the call,
    or that the call gives such a buffer back. None: it does neither."""
    found = KEEPS.match(call.name)
    if GIVES_BACK.match(call.name):
        return f"file_buffers_joined(MPI_CALL_{call.name}, {site}, fh);"
    if not found or not (found.group(1) or found.group(5)):
        return None
    kind, handle = ("request", "*request") if found.group(1) else ("split", "fh")
    writes = "true" if found.group(2) == "write" else "false"
    return (f"file_buffers_{kind}(MPI_CALL_{call.name}, {site}, {handle}, buf, count, datatype, "
            f"{writes});")


def before(call):
    """Statements before the call."""
    if file_access(call):
        noted = file_access(call, "site_of_caller(site)")
        return [f"\tif (caller_is_program(site))\n\t\t{noted}"]
    if call.get("shared_pointer"):
        return [f"\tif (caller_is_program(site))\n"
                f"\t\tfile_pointer_moves(MPI_CALL_{call.name}, site_of_caller(site), fh);"]
    if moves(call):
        buffer = ("result_addr" if call.has("result_addr")
                  else "origin_addr" if call.get("access") == "get" else None)
        return [description(call),
                f"\tif (own)\n\t\t{f'{buffer} = ' if buffer else ''}access_begin(&access);"]
    if not call.synchronises():
        return []
    ranked = call.has("rank")
    target = "rank" if ranked else "WIRE_ANY"
    own = "own && rank != MPI_PROC_NULL" if ranked else "own"
    return [f"\tif ({own})\n\t\taccess_synchronise(MPI_CALL_{call.name}, site_of_caller(site), "
            f"{target}, win);"]


def after(call):
    """Statements after the call."""
    if call.synchronises():
        target = "rank" if call.has("rank") else "WIRE_ANY"
        return ["\tif (own)\n\t\taccess_arrived();",
                f"\tif (own && returned == MPI_SUCCESS)\n"
                f"\t\twindow_called(MPI_CALL_{call.name}, {target}, 0, win);"]
    if buffer_kept(call):
        return [f"\tif (own && returned == MPI_SUCCESS)\n"
                f"\t\t{buffer_kept(call, 'site_of_caller(site)')}"]
    if not moves(call):
        return []
    request = "request" if call.has("request") else "NULL"
    return [f"\tif (own && returned == MPI_SUCCESS)\n\t\taccess_made(&access, {request});\n"
            "\telse if (own)\n\t\taccess_refused(&access);"]
