"""The rules of mpi_calls.txt: which properties an MPI call must have, given its prototype, its
columns, its other properties and those of its variants. mpi_table.py applies them to each row."""
import re

# Properties that speak of one variant of a call alone.
OF_ONE_VARIANT = ("leaves", "data", "predefined", "lengths")
HANDLES = ("MPI_Comm *", "MPI_Datatype *", "MPI_Errhandler *", "MPI_File *", "MPI_Group *",
           "MPI_Info *", "MPI_Message *", "MPI_Op *", "MPI_Request *", "MPI_Win *", "int *")


def columns(call):
    """Treatment, counts and order."""
    if call.treatment in ("passed", "harmless") and call.counts:
        yield f"is {call.treatment}, so it cannot count"
    if call.treatment == "bracketed" and (not call.counts or call.order != "all"):
        yield "is bracketed, so it counts, and its order is all"
    if call.order != "none" and call.treatment not in ("controlled", "bracketed"):
        yield f"is {call.treatment}, so it has no order"
    if call.order in ("root_first", "root_last") and not call.has("root"):
        yield f"has the order {call.order}, but no argument root"


def collectives(call):
    """A collective call has a collective= property, unless it creates something in groups."""
    operation = call.get("collective")
    name = re.sub(r"(_init)?(_c)?$", "", call.name.lower())
    makes = call.takes("MPI_Comm *", "MPI_Win *")
    if operation in ("create", "allocate", "destroy"):
        if not makes:
            yield f"collective={operation}, but it has no communicator or window by reference"
    elif operation:
        if call.order == "none":
            yield f"collective={operation}, but it has no order"
        if operation not in (name, name[1:] if name[0] == "i" else name):
            yield f"collective={operation} is not what its name says"
        if call.has("root") != (call.order in ("root_first", "root_last")):
            yield "has a root just if its order is root_first or root_last"
    elif call.order != "none" and call.treatment == "controlled" and not makes:
        yield "has an order, so it needs collective="
    for word in ("whole", "by_hand"):
        if call.get(word) and call.order == "none":
            yield f"{word} is for collectives"


def messages(call):
    """Sends, and what completes them."""
    controlled = call.treatment == "controlled"
    sends = call.has("dest") and not call.has("partitions")
    if sends and controlled and not call.get("send"):
        yield "has an argument dest, so it needs send="
    if call.get("send") and not sends:
        yield "send= needs an argument dest, and no partitions"
    requests = call.has("array_of_requests")
    if requests and controlled and not (call.get("completes") or call.get("starts")):
        yield "has array_of_requests, so it needs completes= or starts"
    for name in ("completes", "starts"):
        if call.get(name) and not requests and not call.takes("MPI_Request *"):
            yield f"{name} needs an argument request or array_of_requests"
        elif name == "completes" and call.get(name) and requests == (call.get(name) == "one"):
            yield "completes=one just if it has no array_of_requests"
    if call.get("starts") and call.get("completes"):
        yield "starts and completes exclude each other"


def windows(call):
    """One-sided communication."""
    if call.moves_data() != bool(call.get("access")):
        yield "access= is for a call with origin_addr, target_rank and win, and must be there"
    if call.synchronises() != bool(call.get("sync")):
        yield "sync= is for a call on a window that waits and moves nothing, and must be there"
    for name in ("lock", "waits_for_target", "shows", "settles"):
        if call.get(name) and not call.has("win"):
            yield f"{name} needs an argument win"
    if call.get("lock") == "takes" and not call.get("waits_for_target"):
        yield "lock=takes needs waits_for_target"


def objects(call):
    """Handles by reference."""
    by_reference = call.takes(*HANDLES)
    for name in ("frees", "makes"):
        if call.get(name) and not by_reference:
            yield f"{name} needs a handle by reference"
    if call.get("frees") and call.get("makes"):
        yield "frees and makes=nothing exclude each other"
    if call.get("completes") == "one" and call.get("makes") != "nothing":
        yield "completes=one needs makes=nothing: its request is no new one"
    if call.get("later") and not call.gives_request():
        yield "later= needs a request by reference"


def control(call):
    """What the scheduler, the shim and the wrapper do with the call."""
    for name in ("deferrable", "checked", "always", "begins_mpi", "ends_mpi", "by_hand", "whole",
                 "asks", "completes", "starts", "lock", "waits_for_target"):
        if call.get(name) and call.treatment not in ("controlled", "refused"):
            yield f"is {call.treatment}, so it cannot have {name}"
    unseen = {"waits": "passed", "computes": "harmless"}
    for name, treatment in unseen.items():
        if call.get(name) and call.treatment != treatment:
            yield f"{name} is for {treatment} calls"
    if call.get("agree") and call.treatment != "bracketed":
        yield "agree= is for bracketed calls"
    if call.get("agree_on") and call.order == "none":
        yield "agree_on= is for collectives"
    if call.get("always") and not call.get("any_time"):
        yield "always needs any_time"
    if call.get("begins_mpi") and not call.get("always"):
        yield "begins_mpi needs always"
    if call.get("begins_mpi") and call.get("ends_mpi"):
        yield "begins_mpi and ends_mpi exclude each other"


def state(call):
    """What a state must contain."""
    data = call.get("data")
    if data and call.get("leaves") != "known":
        yield "data= needs leaves=known"
    if data and data != ["none"] and len(data) != 3:
        yield "data= names a buffer, its count and its type, or it is none"


def variants(call, by_name):
    """A variant with large counts has the same properties as the call without them."""
    if not call.name.endswith("_c"):
        return
    small = by_name.get(call.name[:-2])
    if not small:
        yield f"there is no MPI_{call.name[:-2]} whose variant it could be"
        return
    if not small.is_understood:
        return
    if (call.treatment, call.counts, call.order) != (small.treatment, small.counts, small.order):
        yield f"has other columns than MPI_{small.name}"
    for name in sorted(set(call.properties) | set(small.properties)):
        if name not in OF_ONE_VARIANT and call.get(name) != small.get(name):
            yield f"{name} is not as in MPI_{small.name}"


RULES = (columns, collectives, messages, windows, objects, control, state)


def broken(call, by_name):
    """The rules that the row breaks, as text."""
    for rule in RULES:
        yield from rule(call)
    yield from variants(call, by_name)
