"""matchpoint dap: a rank of a recorded run in an editor. The session of docs/recording.md by the
Debug Adapter Protocol, forwards and backwards; and all that can go wrong. Skipped without
gdbserver."""

import json
import os
import random
import re
import shutil
import signal
import sys
import time

import harness
from dap_client import Client
from harness import check

SKIPPED = 77
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SOURCE = os.path.abspath(os.path.join(ROOT, "examples", "overwritten_pointer.c"))


# Prints, and without an argument computes for a while without a call.
BUSY = """
#include <mpi.h>
#include <stdio.h>
static volatile long turns;
static void turn(void) { turns++; }
static long work(void)
{
\tfor (long i = 0; i < 400000000; i++)
\t\tif (turns >= 0 && i % 10000000 == 1)
\t\t\tturn();
\treturn turns;
}
int main(int argc, char **argv)
{
\tMPI_Init(&argc, &argv);
\tprintf("begins \\u00e4\\n");
\tfflush(stdout);
\tif (argc == 1)
\t\twork();
\tprintf("ends\\n");
\tfflush(stdout);
\tMPI_Finalize();
\treturn 0;
}
"""


LOADS = """
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
\tint (*late)(int);
\tMPI_Init(&argc, &argv);
\tlate = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "late");
\tMPI_Barrier(MPI_COMM_WORLD);
\tlate(argc);
\tMPI_Finalize();
\treturn 0;
}
"""
THREADS = """
#include <mpi.h>
#include <pthread.h>
static void *wait(void *lock)
{
\tpthread_mutex_lock(lock);
\treturn NULL;
}
static void reached(void) {}
int main(int argc, char **argv)
{
\tpthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
\tpthread_t thread;
\tMPI_Init(&argc, &argv);
\tpthread_mutex_lock(&lock);
\tpthread_create(&thread, NULL, wait, &lock);
\tMPI_Barrier(MPI_COMM_WORLD);
\treached();
\tpthread_mutex_unlock(&lock);
\tpthread_join(thread, NULL);
\tMPI_Finalize();
\treturn 0;
}
"""
CLASSES = """
#include <mpi.h>
class parts {
public:
\tint first = 1;
\tchar name[5] = "part";
private:
\tint hidden = 2;
\tlong many[300] = {3};
public:
\tint sum() const { return first + hidden; }
};
static int use(const parts &given)
{
\tparts whole = given;
\treturn whole.sum();
}
int main(int argc, char **argv)
{
\tMPI_Init(&argc, &argv);
\tconst int sum = use(parts());
\tMPI_Finalize();
\treturn sum - 3;
}
"""


def line_of(text, source=SOURCE):
    """The number of the line of the example, or another source, that holds the text."""
    with open(source) as file:
        found = [number for number, line in enumerate(file, 1) if text in line]
    check(len(found) == 1, "%s: lines %s" % (text, found))
    return found[0]


def crashed(tool, folder, **more):
    """A client whose rank has come to the crash."""
    client = Client(tool)
    client.launch(folder, 1, **more)
    client.ask("configurationDone")
    stop = client.event("stopped")
    check(stop["reason"] == "exception" and "SIGSEGV" in stop["description"], str(stop))
    return client


def check_document(tool, folder):
    """The crash, a data breakpoint on the pointer, and back to the line that is to blame."""
    client = crashed(tool, folder)
    frame = client.check_at("main", line_of("printf("))
    check(frame["source"]["path"] == SOURCE, str(frame))
    info = client.ask("exceptionInfo", threadId=1)
    check(info["exceptionId"] == "SIGSEGV", str(info))
    check("has returned from call 117, MPI_Allreduce" in client.value(
        "monitor mpi", frame, "repl"), "monitor mpi")
    check("call 117" in client.ask("threads")["threads"][0]["name"], "threads")
    cells = client.scope(frame, "Globals")["cells"]
    wall = client.parts(cells["variablesReference"])["wall"]
    check(wall["evaluateName"] == "(cells)->wall" and wall["type"] == "double *", str(wall))
    watched = client.ask("dataBreakpointInfo", name="wall",
                         variablesReference=cells["variablesReference"])
    check("write" in watched["accessTypes"] and "wall" in watched["description"], str(watched))
    point, = client.ask("setDataBreakpoints", breakpoints=[
        {"dataId": watched["dataId"], "accessType": "write"}])["breakpoints"]
    check(point["verified"], str(point))
    stop = client.go("reverseContinue", "data breakpoint")
    check(stop["hitBreakpointIds"] == [point["id"]] and re.match(
        r"before the write: .* <wall>; after it: .* 0x4028000000000000$", stop["text"]), str(stop))
    frame = client.check_at("add", line_of("cells->value[at] += value"))
    check([one["name"] for one in client.frames()] == ["add", "pass_on", "main"], "frames")
    values = client.scope(frame, "Locals")
    check(values["at"]["value"] == "8" and values["value"]["value"] == "12", str(values))
    check("call 17, MPI_Get_count" in client.value("monitor mpi", frame, "repl"), "monitor mpi")
    check("<wall>" in client.value("cells->wall", frame, "hover"), "the pointer before")
    stop = client.go("continue", "data breakpoint")
    check("before the write: (double *) 0x5" in stop["text"], str(stop))
    check("<wall>" not in client.value("cells->wall"), "the pointer after")
    client.ask("setDataBreakpoints", breakpoints=[])
    client.go("reverseContinue", "pause")
    stop = client.go("continue", "exception")
    client.end()


def check_steps(tool, folder):
    """stopOnEntry; steps of all kinds; the beginning of what is recorded."""
    client = Client(tool)
    client.launch(folder, 1, stopOnEntry=True)
    client.ask("configurationDone")
    check(client.event("stopped")["reason"] == "entry", "entry")
    first = line_of("double sum = 0;")
    client.check_at("main", first)
    client.go("next", "step")
    client.check_at("main", line_of("MPI_Init("))
    client.go("stepBack", "step")
    client.check_at("main", first)
    point, = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "add"}])["breakpoints"]
    stop = client.go("continue", "function breakpoint")
    check(stop["hitBreakpointIds"] == [point["id"]], str(stop))
    frame = client.check_at("add", line_of("cells->value[at] += value"))
    client.ask("setFunctionBreakpoints", breakpoints=[])
    address = frame["instructionPointerReference"]
    client.go("next", "step", granularity="instruction")
    check(client.frames()[0]["instructionPointerReference"] != address, "an instruction on")
    client.go("stepBack", "step", granularity="instruction")
    check(client.frames()[0]["instructionPointerReference"] == address, "an instruction back")
    client.go("stepOut", "step")
    client.check_at("pass_on", line_of("for (int i = 0; i < count; i++)"))
    client.go("stepIn", "step")
    client.go("stepIn", "step")
    client.check_at("add", line_of("cells->value[at] += value"))
    stop = client.go("reverseContinue", "pause")
    check("history begins" in stop["description"], str(stop))
    client.end()


def check_breakpoints(tool, folder):
    """Conditions, counts of hits, places without code, and what stays when a list is replaced."""
    client = Client(tool)
    client.launch(folder, 1, stopOnEntry=True)
    line = line_of("cells->value[at] += value")
    source = {"source": {"path": SOURCE}}
    asked = [{"line": line, "condition": "at == 8"}, {"line": line_of("free(cells)")}]
    points = client.ask("setBreakpoints", breakpoints=asked, **source)["breakpoints"]
    check([(one["verified"], one["line"]) for one in points]
          == [(True, line), (True, line_of("free(cells)"))], str(points))
    missing = os.path.join(tool.directory, "missing.c")
    lost, = client.ask("setBreakpoints", source={"path": missing},
                       breakpoints=[{"line": 3}])["breakpoints"]
    check(not lost["verified"] and "no code there" in lost["message"], str(lost))
    for wrong, expected in (({"condition": "nonsense == 1"}, 'No symbol "nonsense"'),
                            ({"hitCondition": "% 3"}, "hit count")):
        _, _, bad = client.ask("setBreakpoints", breakpoints=[
            *asked, {"line": line, **wrong}], **source)["breakpoints"]
        check(not bad["verified"] and expected in bad["message"], str(bad))
    client.ask("configurationDone")
    client.event("stopped")
    stop = client.go("continue", "breakpoint")
    check(stop["hitBreakpointIds"] == [points[0]["id"]], str(stop))
    frame = client.check_at("add", line)
    check(client.value("at", frame) == "8" and client.value("value", frame) == "12", "values")
    above = client.frames()[1]
    check(client.value("step", above) == "4", "the value of a frame above")
    # The same again: it keeps its number. Of the other lines, the tenth hit.
    asked = [asked[0], {"line": line_of("MPI_Allreduce("), "hitCondition": "10"}]
    kept, counted = client.ask("setBreakpoints", breakpoints=asked, **source)["breakpoints"]
    check(kept["id"] == points[0]["id"], "%s, %s" % (kept, points))
    stop = client.go("continue", "breakpoint")
    check(stop["hitBreakpointIds"] == [counted["id"]], str(stop))
    check(client.value("step") == "13", "%s: nine were passed" % client.value("step"))
    client.ask("setBreakpoints", breakpoints=[], **source)
    client.go("continue", "exception")
    address = client.frames()[0]["instructionPointerReference"]
    point, = client.ask("setInstructionBreakpoints", breakpoints=[
        {"instructionReference": address}])["breakpoints"]
    check(point["verified"], str(point))
    client.end()


def check_values(tool, folder):
    """Structures, arrays, parts of arrays, registers; what is changed; commands of gdb."""
    client = crashed(tool, folder)
    frame = client.frames()[0]
    shown = client.ask("evaluate", expression="*cells", context="watch", frameId=frame["id"])
    members = client.parts(shown["variablesReference"])
    check(list(members) == ["value", "wall"] and members["value"]["type"] == "double [8]",
          str(members))
    values = client.parts(members["value"]["variablesReference"], start=2, count=3)
    check(list(values) == ["[2]", "[3]", "[4]"], str(values))
    check(all(float(one["value"]) > 0 for one in values.values()), str(values))
    check_instructions(client)
    registers = client.scope(frame, "Registers")
    check(int(registers["rip"]["value"], 16) == int(frame["instructionPointerReference"], 16),
          str(registers["rip"]))
    scope = client.ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
    check(client.parts(scope)["sum"]["type"] == "double", "a local variable")
    done = client.ask("setVariable", variablesReference=scope, name="sum", value="2.5 + 1")
    check(done["value"] == "3.5" and client.value("sum", frame) == "3.5", str(done))
    done = client.ask("setExpression", expression="cells->value[1]", value="7", frameId=frame["id"])
    check(client.value("cells->value[1]", frame) == "7", str(done))
    check('"rank %d: %.0f\\n"' in client.value('"rank %d: %.0f\\n"', frame), "a text")
    check("$1 = 3.5" in client.value("print sum", frame, "repl"), "print")
    check(client.value("sum", frame, "repl") == "3.5", "an expression that is no command")
    check("No symbol" in client.refused("evaluate", expression="nothing", context="watch",
                                        frameId=frame["id"]), "an unknown name")
    check("monitor goto N" in client.value("monitor nonsense", frame, "repl"), "monitor's help")
    check("instructions at once" in client.refused("disassemble", memoryReference="0x10"), "none")
    targets = client.ask("completions", text="reverse-c?", column=10)["targets"]
    check(targets == [{"label": "reverse-continue", "start": 1, "length": 9}], str(targets))
    # A command that moves the rank is shown as motion.
    client.value("monitor goto 9", frame, "repl")
    client.value("stepi", frame, "repl")
    client.event("continued")
    client.event("stopped")
    check("stands in call 9, MPI_" in client.value("monitor mpi", None, "repl"), "goto")
    check("moved since" in client.refused("variables", variablesReference=scope), "an old value")
    client.value("watch -l cells->value[0]", None, "repl")
    client.value("continue", None, "repl")
    stop = client.event("stopped")
    check(stop["reason"] == "data breakpoint" and "new value: " in stop["text"], str(stop))
    client.end()


def record_one(tool, name, source, *arguments):
    """The folder of a recording of one rank of the source."""
    folder = os.path.join(tool.directory, name)
    done = tool.run("record", "-n", "1", "--to", folder, "--", tool.compile(source, "-O0"),
                    *arguments)
    check(done.status == 0, str(done))
    return folder


def check_running(tool):
    """A rank that computes: its output, a pause, breakpoints meanwhile."""
    source = tool.write("busy.c", BUSY)
    folder = record_one(tool, "busy run", source)
    client = Client(tool)
    client.launch(folder, 0)
    client.ask("configurationDone")
    while "begins" not in client.output("stdout"):
        client.event("output")
    check("begins \u00e4" in client.output("stdout"), client.output("stdout"))
    check("the rank runs; pause it" in client.refused("stackTrace", threadId=1), "running")
    check(client.ask("threads")["threads"][0]["name"] == "rank 0", "threads")
    # It runs on, to the breakpoint that is set meanwhile.
    call = line_of("\t\t\tturn();", source)
    asked = {"source": {"path": source}, "breakpoints": [{"line": call}]}
    point, = client.ask("setBreakpoints", **asked)["breakpoints"]
    check(point["verified"], str(point))
    stop = client.event("stopped")
    check(stop["reason"] == "breakpoint" and stop["hitBreakpointIds"] == [point["id"]], str(stop))
    client.check_at("work", call)
    stops = [message for message in client.messages if message.get("event") == "stopped"]
    check(len(stops) == 1, str(stops))
    client.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    client.ask("continue", threadId=1)
    time.sleep(0.1)
    client.ask("pause", threadId=1)
    check(client.event("stopped")["reason"] == "pause", "pause")
    client.check_at(client.frames()[0]["name"], client.frames()[0]["line"])
    client.value("kill", None, "repl")
    client.event("terminated")
    client.end()
    # The end of the session does not wait for the rank.
    client = Client(tool)
    client.launch(folder, 0)
    client.ask("configurationDone")
    while "begins" not in client.output("stdout"):
        client.event("output")
    client.end()


def check_end(tool):
    """A rank that ends well. Its output is shown once, however often it is written."""
    folder = record_one(tool, "idle run", tool.write("busy.c", BUSY), "idle")
    client = Client(tool)
    client.launch(folder, 0)
    client.ask("configurationDone")
    stop = client.event("stopped")
    check(stop["reason"] == "pause" and "history ends" in stop["description"], str(stop))
    check(client.output("stdout") == "begins \u00e4\nends\n", client.output("stdout"))
    check("The replay ends here: " in client.output("console"), client.output("console"))
    client.go("reverseContinue", "pause")
    client.go("continue", "pause")
    check(client.output("stdout") == "begins \u00e4\nends\n", client.output("stdout"))
    client.send("evaluate", {"expression": "quit", "context": "repl"})
    client.event("exited")
    client.event("terminated")
    client.end()


def check_loaded(tool):
    """A breakpoint in a library that the program loads: its place is told when it is there."""
    source = tool.write("late.c", "int late(int value)\n{\n\treturn value + 1;\n}\n")
    library = tool.compile(source, "-O0", "-shared", "-fPIC")
    folder = record_one(tool, "late run", tool.write("loads.c", LOADS), library)
    client = Client(tool)
    client.launch(folder, 0)
    point, = client.ask("setBreakpoints", source={"path": source},
                        breakpoints=[{"line": 3}])["breakpoints"]
    check(not point["verified"], str(point))
    client.ask("configurationDone")
    changed = client.event("breakpoint")
    check(changed["reason"] == "changed" and changed["breakpoint"]["verified"]
          and changed["breakpoint"]["id"] == point["id"], str(changed))
    check(client.event("stopped")["hitBreakpointIds"] == [point["id"]], "the stop")
    client.check_at("late", 3)
    client.end()


def check_threads(tool):
    """A rank with threads cannot go back: the user reads why."""
    folder = record_one(tool, "threads run", tool.write("threads.c", THREADS))
    client = Client(tool)
    client.launch(folder, 0)
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "reached"}])
    client.ask("configurationDone")
    check(client.event("stopped")["reason"] == "function breakpoint", "the function")
    client.go("reverseContinue", "pause")
    check("a rank that has threads cannot go back\n" in client.output("console")
          and "Remote" not in client.output("console"), client.output("console"))
    client.check_at("reached", line_of("static void reached", os.path.join(tool.directory,
                                                                          "threads.c")))
    client.end()


def check_sources(tool):
    """Sources that have moved since the program was compiled; members of a class in C++."""
    there, here = (os.path.join(tool.directory, name) for name in ("there", "here"))
    os.mkdir(there)
    source = tool.write("there/parts.cc", CLASSES)
    folder = record_one(tool, "moved", source)
    os.rename(there, here)
    moved = os.path.join(here, "parts.cc")
    client = Client(tool)
    client.launch(folder, 0, sourceMap={there: here}, stopOnEntry=True)
    point, = client.ask("setBreakpoints", source={"path": moved}, breakpoints=[
        {"line": line_of("return whole", moved)}])["breakpoints"]
    check(point["verified"] and point["source"]["path"] == moved, str(point))
    client.ask("configurationDone")
    check(client.event("stopped")["reason"] == "entry", "entry")
    client.go("continue", "breakpoint")
    frame = client.frames()[0]
    check(frame["source"]["path"] == moved, str(frame))
    parts = client.parts(client.scope(frame, "Locals")["whole"]["variablesReference"])
    check(list(parts) == ["first", "name", "hidden", "many"], str(parts))
    check(parts["hidden"]["value"] == "2" and "part" in parts["name"]["value"], str(parts))
    many = parts["many"]
    check(many["indexedVariables"] == 300, str(many))
    some = client.parts(many["variablesReference"], filter="indexed", start=250, count=10)
    check(list(some)[0] == "[250]" and len(some) == 10, str(some))
    check(len(client.parts(many["variablesReference"])) == 300, "all of them")
    client.end()


def check_errors(tool, folder):
    """Requests that cannot be granted: each gets an answer, and the session goes on."""
    client = Client(tool)
    check("launch comes first" in client.refused("threads"), "no rank")
    check("only 'path'" in client.refused("initialize", pathFormat="uri"), "initialize")
    check(client.ask("initialize", adapterID="x")["supportsStepBack"], "initialize")
    for arguments, expected in (
            ({}, '"rank" is missing'),
            ({"rank": 1}, '"recording" is missing'),
            ({"rank": 1, "recording": tool.directory + "/none"}, "need the folder of a recording"),
            ({"rank": 7, "recording": folder}, "no rank '7' among 3"),
            ({"rank": 1, "recording": folder, "gdbArguments": "-nx"}, "no list of texts"),
            ({"rank": 1, "recording": folder, "gdbArguments": ["-nonsense"]}, "gdb has ended"),
            ({"rank": 1, "recording": folder, "sourceMap": {"/a": 7}}, "/a is no text")):
        message = client.refused("launch", **arguments)
        check(message.startswith("launch: ") and expected in message, message)
    check("does not know the request juggle" in client.refused("juggle"), "an unknown request")
    nothing = Client(tool, {"PATH": tool.directory})
    message = nothing.refused("launch", recording=folder, rank=1)
    check("there is no program gdb" in message and "on the PATH" in message, message)
    nothing.end()
    client.ask("launch", recording=os.path.basename(folder), cwd=os.path.dirname(folder), rank=1,
               gdbArguments=["-nx"], stopOnEntry=True, sourceMap={"/there": tool.directory})
    check("there already" in client.refused("launch", recording=folder, rank=1), "twice")
    client.ask("configurationDone")
    client.event("stopped")
    for command, arguments, expected in (
            ("configurationDone", {}, "comes once"),
            ("setBreakpoints", {"source": {}}, "no absolute path"),
            ("evaluate", {}, "no expression"),
            ("variables", {"variablesReference": 4711}, "moved since"),
            ("exceptionInfo", {}, "not stopped at a signal"),
            ("source", {"source": {"path": "/nowhere/at/all.c"}}, "/nowhere/at/all.c")):
        message = client.refused(command, **arguments)
        check(expected in message, "%s: %s" % (command, message))
    for asked in ({"name": "-t"}, {}):
        point, = client.ask("setFunctionBreakpoints", breakpoints=[asked])["breakpoints"]
        check("no name of a function" in point["message"], str(point))
    point, = client.ask("setDataBreakpoints", breakpoints=[{"dataId": "x"}])["breakpoints"]
    check("no dataId" in point["message"], str(point))
    info = client.ask("dataBreakpointInfo", name="argc + 1", frameId=client.frames()[0]["id"])
    check(info["dataId"] is None and info["description"], str(info))
    text = client.ask("source", source={"path": SOURCE})["content"]
    check("LONG_STEP" in text, text)
    client.end()


def check_instructions(client):
    """Instructions before and behind where the rank stands, and where there is no memory."""
    def texts(count, offset, reference=None):
        shown = client.ask("disassemble", memoryReference=reference or address,
                           instructionOffset=offset, instructionCount=count)["instructions"]
        check(len(shown) == count, str(shown))
        numbers = [int(one["address"], 16) for one in shown]
        check(numbers == sorted(set(numbers)), str(shown))
        return [(one["address"], one["instruction"]) for one in shown]

    frame = client.frames()[0]
    address = frame["instructionPointerReference"]
    around = texts(100, -50)
    check(around[50][0] == address and around[50][1] not in ("", "?"), str(around[50]))
    check(around[:50] == texts(50, -50) and around[50:] == texts(50, 0), "parts")
    check(around[60:] == texts(40, 10), "an offset")
    check(any("MPI_Allreduce" in text for _, text in around), str(around))
    # The function before main, too.
    far = client.ask("disassemble", memoryReference=address, instructionOffset=-300,
                     instructionCount=300)["instructions"]
    check("pass_on" in [one.get("symbol") for one in far], str(far))
    check({text for _, text in texts(5, -2, "0x10")} == {"?"}, "no memory")


def check_nonsense(tool, folder):
    """Each request is answered, whatever its arguments are."""
    client = crashed(tool, folder)
    odd = (None, True, -1, 0, 1, 2 ** 40, 2 ** 63 - 1, -2 ** 63, 1.5, "", "x", "-1", [],
           [None], [{}], {}, {"path": 7}, [{"line": -1}, {"line": "x"}, 7],
           [{"name": 7}, {"dataId": "{x} 1"}], {"path": "/"})
    names = ("text", "column", "source", "breakpoints", "frameId", "threadId", "name", "value",
             "variablesReference", "expression", "start", "count", "levels", "startFrame",
             "granularity", "memoryReference", "instructionCount", "instructionOffset")
    commands = ("configurationDone", "exceptionInfo", "setBreakpoints", "setFunctionBreakpoints",
                "setDataBreakpoints", "setInstructionBreakpoints", "setExceptionBreakpoints",
                "dataBreakpointInfo", "threads", "stackTrace", "scopes", "variables",
                "setVariable", "setExpression", "evaluate", "source", "disassemble",
                "completions", "initialize", "launch")
    chance = random.Random(7)
    sent = []
    for command in commands:
        sent += [client.send(command, value) for value in (None, 7, "x", [])]
        for _ in range(15):
            chosen = chance.sample(names, 5)
            sent.append(client.send(command, {name: chance.choice(odd) for name in chosen}))
    for number in sent:
        client.response(number)
    client.ask("setDataBreakpoints", breakpoints=[])
    check("SIGSEGV" in client.ask("exceptionInfo", threadId=1)["exceptionId"], "it still stands")
    client.end()


def check_extension():
    """What VS Code is told, and what the document says, is what the adapter knows."""
    with open(os.path.join(ROOT, "packaging", "vscode", "package.json")) as file:
        debugger, = json.load(file)["contributes"]["debuggers"]
    check([debugger["runtime"], *debugger["runtimeArgs"]] == ["matchpoint", "dap"], str(debugger))
    known = debugger["configurationAttributes"]["launch"]["properties"]
    with open(os.path.join(ROOT, "docs", "editors.md")) as file:
        text = file.read()
    with open(os.path.join(ROOT, "scheduler", "dap", "dap_launch.c")) as file:
        code = file.read()
    rows = re.findall(r"(?m)^\| `(\w+)` \|", text)
    check(sorted(rows) == sorted(known), "%s, %s" % (rows, list(known)))
    check(all('"%s"' % name in code for name in known), str(list(known)))
    configuration, = json.loads(re.search(r"(?s)```json\n(.*?)```", text)[1])["configurations"]
    for one in (configuration, *debugger["initialConfigurations"]):
        check(one["type"] == debugger["type"] and set(one) <= {*known, "type", "request", "name"},
              str(one))


def check_garbage(tool):
    """What is no message ends the adapter with an error."""
    for data, expected in (
            (b"GET / HTTP/1.1\r\n\r\n", "does not begin with a header"),
            (b"Content-Length: 20\r\n\r\n{}", "it is cut"),
            (b"Content-Length: 20", "it is cut"),
            (b"Content-Length: -1\r\n\r\n", "no number of bytes"),
            (b"Content-Length: 99999999\r\n\r\n", "more than 4 MiB"),
            (b"Content-Type: x\r\n\r\n", "no Content-Length"),
            (b"Content-Length: 5\r\n" + b"X: y\r\n" * 1000, "within 1024 bytes"),
            (b"Content-Length: 5\r\n\r\n[[[[]", "no JSON object"),
            (b"Content-Length: 2000\r\n\r\n" + b"[" * 2000, "nested too deeply")):
        client = Client(tool)
        client.send_bytes(data)
        client.process.stdin.close()
        client.process.stdin = None
        error = client.wait(4, "garbage: %s" % data[:40])
        check(error.startswith("matchpoint: cannot read the client's message 1: ")
              and expected in error, error)
    for words in (["dap", "run1"], ["dap", "--nonsense"]):
        done = tool.run(*words)
        check(done.status == 2 and done.err, str(done))


def check_ends(tool, folder):
    """Whatever ends first, nothing is left."""
    def closed(client):
        client.process.stdin.close()
        client.process.stdin = None

    def killed(client):
        """The client is gone, with both ends."""
        client.process.stdout.close()
        client.process.stdout = None
        closed(client)

    for end, status in ((closed, 0), (killed, 0),
                        (lambda client: client.process.terminate(), -signal.SIGTERM),
                        (lambda client: client.process.kill(), None)):
        client = crashed(tool, folder)
        end(client)
        client.wait(status, "ended at a stop")
    client = crashed(tool, folder)
    client.ask("terminate")
    client.event("exited")
    client.event("terminated")
    check("the rank is gone" in client.refused("threads"), "after its end")
    client.end()
    for name in (b"gdb", b"matchpoint"):
        client = crashed(tool, folder)
        for line in harness.marked_processes(client.mark):
            pid = int(line.split()[0])
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                words = file.read().split(b"\0")
            if os.path.basename(words[0]) == name and pid != client.process.pid:
                os.kill(pid, signal.SIGKILL)
        client.event("exited")
        client.event("terminated")
        client.end()
    # In the middle of a launch.
    for pause in (0, 0.05, 0.2):
        client = Client(tool)
        client.send("launch", {"recording": folder, "rank": 1, "gdbArguments": ["-nx"]})
        time.sleep(pause)
        killed(client)
        client.wait(0, "ended after %s s of a launch" % pause)


def body(tool, _):
    if not shutil.which("gdbserver") or not shutil.which("gdb"):
        print("skipped: gdb or gdbserver is not installed")
        sys.exit(SKIPPED)
    temporary = os.path.join(tool.directory, "t")
    os.mkdir(temporary)
    tool.environment["TMPDIR"] = temporary
    program = tool.compile(SOURCE, "-O0")
    folder = os.path.join(tool.directory, "run1")
    tool.run("record", "-n", "3", "--to", folder, "--", program)
    check(os.path.exists(os.path.join(folder, "rank.2.tail")), "no recording in " + folder)
    check_document(tool, folder)
    check_steps(tool, folder)
    check_breakpoints(tool, folder)
    check_values(tool, folder)
    check_end(tool)
    check_running(tool)
    check_sources(tool)
    check_loaded(tool)
    check_threads(tool)
    check_errors(tool, folder)
    check_nonsense(tool, folder)
    check_extension()
    check_garbage(tool)
    check_ends(tool, folder)
    left = os.listdir(temporary)
    check(not left, "left in TMPDIR: %s" % left)
    print("a session, steps, breakpoints, values, errors, ends")


if __name__ == "__main__":
    harness.main(__doc__, body)
