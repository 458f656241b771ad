"""Arguments that MPI must refuse before the shim does anything: a NULL pointer for a result, or
invalid requests. They follow from the prototype. The shim functions of calls with the property
"checked" check this themselves: MPI checks a request first, and does not know the shim's."""

# Arguments in which a call stores its results.
STORED = {f"{kind} *" for kind in (
    "int", "MPI_Aint", "MPI_Count", "MPI_Comm", "MPI_Errhandler", "MPI_File", "MPI_Group",
    "MPI_Message", "MPI_Op", "MPI_Request", "MPI_Session", "MPI_Status", "MPI_Win")}


def completed(call):
    """C expressions: the number of requests that the call completes, and which. None: none."""
    if not call.get("completes"):
        return None
    names = [a.name for a in call.arguments]
    if "array_of_requests" not in names:
        return "1, request"
    return f"{names[0]}, array_of_requests"


def condition(call):
    """A C expression: whether MPI must refuse the call. None: never."""
    if call.get("checked"):
        return None
    names = [a.name for a in call.arguments]
    count = next((name for name in ("count", "incount") if name in names), None)
    terms = []
    for argument in call.arguments:
        if argument.array and "const" not in argument.type and count:
            terms.append(f"({count} > 0 && !{argument.name})")
        elif argument.type in STORED:
            terms.append(f"!{argument.name}")
    if "array_of_requests" in names:
        terms.insert(0, f"{count} < 0")
    if completed(call):
        terms.append(f"completion_is_wrong({completed(call)})")
    return " || ".join(terms) or None


def values(call):
    """The arguments to pass to MPI, which does not know the shim's requests."""
    if not completed(call):
        return call.values()
    requests = completed(call).split()[-1]
    return ", ".join(f"completion_stand_ins({completed(call)})" if a.name == requests else a.name
                     for a in call.arguments)


def guarded(call, text):
    """Statements that set the result: `text`, or a call of MPI if MPI must refuse the call."""
    wrong = condition(call)
    inner = "\n".join("\t" + line if line else line for line in text.split("\n"))
    if not wrong:
        return f"\t{{\n{inner}\n\t}}" if "struct large_counts" in text else text
    return (f"\tif ({wrong}) {{\n"
            f"\t\terror_report_call(site, MPI_CALL_{call.name});\n"
            f"\t\tresult = real_mpi()->{call.name}({values(call)});\n"
            f"\t}} else {{\n{inner}\n\t}}")
