"""What calls mean for the state of a rank (state.h), by leaves= and data= of mpi_calls.txt. Some
leave something hidden in MPI; some make it impossible to determine a state. A call without leaves=
is assumed to hide something: this is always sound, but merges fewer states."""

# Why no state can be determined after a call, by its leaves=.
REFUSALS = {
    "memory": "MPI_Alloc_mem has given it memory",
    "files": "it works on files through MPI",
    "requests": "it has requests of its own making",
}


def refusal(call):
    """Why no state can be determined after the call, or None."""
    return REFUSALS.get(call.get("leaves"))


def must_be_seen(call):
    """Whether the call would go to MPI unseen, and leaves something there."""
    return call.returns == "int" and call.get("leaves") not in ("nothing", "known")


def passing(call):
    """Statements of a wrapper that passes the call on."""
    if refusal(call):
        return [f"\tif (state_is_wanted() && !real_is_own(site))\n"
                f"\t\tstate_refuse(\"{refusal(call)}\");"]
    if must_be_seen(call):
        return ["\tif (state_is_wanted() && !real_is_own(site))\n\t\tstate_hide();"]
    return []


def number(argument):
    """A C expression: the argument as a number. None: it cannot be read."""
    if argument.type == "..." or argument.name == "...":
        return None
    if argument.array or "*" in argument.type or argument.type.endswith("_function"):
        return f"(uint64_t)(uintptr_t){argument.name}"
    return f"(uint64_t){argument.name}"


def controlled(call):
    """Statements of a wrapper that controls the call: they record its arguments."""
    given = [number(argument) for argument in call.arguments]
    given = ", ".join(["0"] + [value for value in given if value])
    hides = call.get("leaves") != "known"
    data = call.get("data")
    lines = ["\tif (state_is_wanted()) {",
             f"\t\tconst uint64_t given[] = {{ {given} }};",
             f"\t\tstate_note_call(MPI_CALL_{call.name}, given, sizeof(given) / sizeof(*given), "
             f"{'true' if hides else 'false'});"]
    if refusal(call):
        lines.append(f"\t\tstate_refuse(\"{refusal(call)}\");")
    if data and data != ["none"]:
        lines.append(f"\t\tstate_note_data({', '.join(data)});")
    elif not hides and not data:
        lines.append("\t\tstate_note_data(NULL, 1, MPI_DATATYPE_NULL);")
    return lines + ["\t}"]
