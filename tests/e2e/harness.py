"""Runs matchpoint on real programs, and checks that nothing is left behind. Standard library only.

A script that fails ends with one line: NAME: FAILED: what was expected and what came instead, the
place in the script, and the last command. The lines above have the details."""

import argparse
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

from explanation import explain, shorten

TIMEOUT = 120  # seconds for one run of matchpoint
MARK = "MATCHPOINT_TEST_MARK"


class Failed(Exception):
    """A check failed; the text says what happened. `explanation`: the same in one line, from the
    source of the check."""

    def __init__(self, text, explanation=""):
        super().__init__(text)
        self.explanation = explanation


def check(condition, text):
    if not condition:
        raise Failed(text, explain(sys._getframe(1)))


def program(name):
    """The path of the source NAME (with its ending) in any folder of programs/."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = glob.glob(os.path.join(here, "programs", "*", name))
    check(len(found) == 1, "%d files are called %s below tests/e2e/programs" % (len(found), name))
    return found[0]


def slowness():
    """How many times longer than on an idle machine things take now or took recently."""
    wall, computed = time.monotonic(), time.process_time()
    while time.process_time() - computed < 0.1:
        pass
    return max(1, (time.monotonic() - wall) / 0.1, os.getloadavg()[0] / os.cpu_count())


def check_soon(seconds, limit, text):
    """Checks that it took at most `limit` seconds, scaled by slowness()."""
    if seconds >= limit:
        slow = slowness()
        check(seconds < limit * slow, "%.1f s, not %.1f s, on a machine %.1f times as slow\n%s" % (
            seconds, limit, slow, text))


class Patience:
    """A time limit: seconds on an idle machine, scaled on a slow one."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.begin = time.monotonic()

    def has_ended(self):
        waited = time.monotonic() - self.begin
        return waited > self.seconds and waited > self.seconds * slowness()


def communicate(process, seconds, text="", typed=None):
    """The output of a process until its end, which must come within that time on an idle
    machine. `typed`: bytes for its standard input."""
    patience = Patience(seconds)
    while True:
        try:
            return process.communicate(typed, timeout=seconds)
        except subprocess.TimeoutExpired:
            typed = None
            if patience.has_ended():
                process.kill()
                raise Failed("no end after %d s: %s" % (
                    time.monotonic() - patience.begin,
                    text or " ".join(map(str, process.args)))) from None


def call(command, seconds=TIMEOUT, **how):
    """What a command prints as text, with the same time limit. `how`: as for Popen."""
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
           "text": True, **how}
    process = subprocess.Popen(command, **how)
    out, err = communicate(process, seconds)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def wait_until(condition, text, seconds=TIMEOUT, pause=0.005):
    """Waits until a condition holds. Returns its value."""
    patience = Patience(seconds)
    while True:
        value = condition()
        if value:
            return value
        check(not patience.has_ended(), "not seen: %s" % (text() if callable(text) else text))
        time.sleep(pause)


def wait_for(condition, process, text, pause=0.005):
    """The same, while a process runs."""
    def holds():
        ended = process.poll() is not None
        value = condition()
        check(value or not ended, "it has ended")
        return value

    try:
        return wait_until(holds, text, pause=pause)
    except Failed:
        process.kill()
        raise Failed("not seen: %s\n%s" % (text() if callable(text) else text,
                                           process.communicate())) from None


def read_until(stream, says):
    """The lines up to the first for which `says` is true; fails if the stream ends before."""
    lines = []
    while not lines or not says(lines[-1]):
        line = stream.readline()
        check(line, "expected line missing in: %s" % b"".join(lines[-20:]))
        lines.append(line)
    return lines


class NoReport:
    """Takes the place of the JSON of a run that wrote none: it is false, and access to it fails
    with the output of the run."""

    def __init__(self, run):
        self.run = run

    def __bool__(self):
        return False

    def __getitem__(self, name):
        raise Failed("no report, whose \"%s\" is asked for: %s" % (name, self.run))


class Run:
    """One finished run of matchpoint."""

    is_data = True  # see explanation.py

    def __init__(self, command, status, out, err, seconds, report):
        self.command = command
        self.status = status
        self.out = out
        self.err = err
        self.seconds = seconds
        self.report = report if report is not None else NoReport(self)  # the JSON

    def __str__(self):
        return "%s\nexit status %s after %.1f s\n-- standard output\n%s\n-- standard error\n%s" % (
            " ".join(self.command), self.status, self.seconds, self.out, self.err)


def told(report):
    """The whole report, without times and the order of discovery."""
    executions = sorted((one["buffering"], one["path"], one["status"], one["output"][0])
                        for one in report["executions"])
    findings = sorted((one["kind"], one["count"], len(one.get("outcomes", [])))
                      for one in report["findings"])
    return report["complete"], report["interleavings"], report["wasted"], executions, findings


def marked_processes(mark):
    """All processes that inherited the mark: `pid command`."""
    found = []
    needle = ("%s=%s" % (MARK, mark)).encode()
    for directory in glob.glob("/proc/[0-9]*"):
        try:
            with open(directory + "/environ", "rb") as file:
                if needle not in file.read().split(b"\0"):
                    continue
            with open(directory + "/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    continue
            with open(directory + "/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace")
            found.append("%s %s" % (os.path.basename(directory), command))
        except OSError:
            continue
    return found


def wait_until_debugged_computes(process, mark):
    """Waits until a process goes on under a debugger that inherited the mark: it has taken some
    more hundredths of a second of processor time."""
    first = {}

    def computes():
        debuggers = [int(line.split()[0]) for line in marked_processes(mark)]
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with contextlib.suppress(OSError), open("/proc/%d/status" % pid) as status, \
                    open("/proc/%d/stat" % pid) as stat:
                if int(re.search(r"TracerPid:\t(\d+)", status.read())[1]) not in debuggers:
                    continue
                taken = sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
                if taken >= first.setdefault(pid, taken) + 5:
                    return True
        return False

    wait_for(computes, process, "a process goes on under its debugger", pause=0.02)


class Left:
    """Processes whose command line ends with their own mark."""

    def __init__(self):
        self.mark = str(10000 + uuid.uuid4().int % 1000000000)

    def pids(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if self.mark.encode() in words[-2:]:
                found.append(int(pid))
        return found

    def check(self, words, patience=5):
        patience = Patience(patience)
        left = self.pids()
        while left and not patience.has_ended():
            time.sleep(0.02)
            left = self.pids()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        check(not left, "%s: %d processes are left behind" % (words, len(left)))


def run_directories(pid, below=None):
    """What is there of a run: its run directory, and that for large output, also in stores below a
    directory."""
    prefix = "matchpoint-%d-" % pid
    found = [directory for place in ("/dev/shm", "/tmp", "/var/tmp")
             for directory in glob.glob("%s/%s*" % (place, prefix))]
    for place, names, _ in os.walk(below) if below else ():
        found += [os.path.join(place, name) for name in names if name.startswith(prefix)]
    return found


class Tool:
    """The matchpoint under test, with its own directory for stores and programs."""

    def __init__(self, matchpoint, mpicc):
        self.matchpoint = os.path.abspath(matchpoint)
        self.mpicc = mpicc
        self.environment = {}  # additional variables for matchpoint
        self.latest = []  # the last command
        self.directory = tempfile.mkdtemp(prefix="matchpoint-e2e-")
        self.name = os.path.splitext(os.path.basename(sys.argv[0]))[0]  # name of the test

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def compile(self, source, *flags, access=False):
        """`access`: matchpoint sees its loads and stores."""
        program = os.path.join(self.directory, os.path.splitext(os.path.basename(source))[0])
        compiler = self.mpicc
        if source.endswith((".f", ".f90")):
            compiler = self.mpicc.replace("mpicc", "mpif90")
        elif source.endswith(".cc"):
            compiler = self.mpicc.replace("mpicc", "mpicxx")
        command = [compiler, "-O1", "-g", source, "-o", program, *flags]
        if access:
            command += self.access_flags("--cflags-access") + self.access_flags("--ldflags-access")
        self.call_compiler(command)
        return program

    def yields(self):
        """A library to preload into ranks that run freely (see yields.c)."""
        library = os.path.join(self.directory, "yields.so")
        if not os.path.exists(library):
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "yields.c")
            # It is also preloaded into programs without MPI.
            self.call_compiler([self.mpicc, "-O1", source, "-o", library, "-shared", "-fPIC",
                                "-Wl,--as-needed"])
        return library

    @staticmethod
    def call_compiler(command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        check(done.returncode == 0, "%s\n%s" % (" ".join(command), done.stderr))

    def access_flags(self, option):
        done = subprocess.run([self.matchpoint, option], capture_output=True, text=True,
                              check=False)
        check(done.returncode == 0 and done.stdout, "%s: %s" % (option, done.stderr))
        return done.stdout.split()

    def compile_orders(self, **words):
        """Compiles programs/p2p/orders.c with the given DEADLOCK, CRASH, PRINTED and PAUSE_US."""
        source = program("orders.c")
        return self.compile(source, *("-D%s=(%s)" % pair for pair in words.items()))

    def write(self, name, text):
        """Writes a file in the directory, such as a program's source. Returns its path."""
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self, arguments, mark, environment=None, cwd=None, stdin=subprocess.DEVNULL):
        """Starts matchpoint in its own session, marked. Returns a Popen."""
        env = dict(os.environ, **self.environment, **(environment or {}))
        env[MARK] = mark
        self.latest = [self.matchpoint, *arguments]
        return subprocess.Popen(self.latest, stdin=stdin,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                cwd=cwd or self.directory, start_new_session=True)

    def run(self, *arguments, report=False, environment=None, timeout=TIMEOUT, cwd=None,
            stdin=subprocess.DEVNULL):
        """Runs it to its end and checks that nothing is left; `report` asks for the JSON."""
        mark = uuid.uuid4().hex
        arguments = list(arguments)
        file = os.path.join(self.directory, mark + ".json")
        if report:
            arguments[1:1] = ["--json", file, "--json-all"]
        begin = time.monotonic()
        process = self.start(arguments, mark, environment, cwd, stdin)
        try:
            out, err = communicate(process, timeout)
        except Failed as failure:
            os.killpg(process.pid, signal.SIGKILL)
            self.end_marked(mark)
            out, err = process.communicate()
            raise Failed("%s\n%s\n%s" % (failure, out.decode(errors="replace"),
                                         err.decode(errors="replace"))) from None
        done = Run(process.args, process.returncode, out.decode(errors="replace"),
                   err.decode(errors="replace"), time.monotonic() - begin, None)
        if os.path.exists(file):
            with open(file) as text:
                done.report = json.load(text)
            os.unlink(file)
        self.check_clean(process.pid, mark, done)
        return done

    def run_in_time(self, enough, seconds, *arguments, **how):
        """A run with --max-time, which it keeps. A busy machine gets a longer one, until the run is
        `enough`."""
        for longer in (1, 4, 16, 64):
            most = seconds * longer
            run = self.run(*arguments[:1], "--max-time", "%g" % most, *arguments[1:], **how)
            check_soon(run.seconds, most + 5, run)
            if enough(run):
                break
        return run

    def run_plain(self, ranks, program, *arguments):
        """Runs a program under mpiexec alone. Returns what each rank printed."""
        files = [os.path.join(self.directory, "plain.%d" % rank) for rank in range(ranks)]
        command = [self.mpicc.replace("mpicc", "mpiexec"), "-n", str(ranks), "sh", "-c",
                   'LD_PRELOAD=%s exec "$0" "$@" >%s/plain.$PMI_RANK' % (
                       self.yields(), self.directory), program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT, cwd=self.directory, stdin=subprocess.DEVNULL)
        check(done.returncode == 0, "%s: exit status %d\n%s" % (" ".join(command),
                                                                done.returncode, done.stderr))
        outputs = []
        for file in files:
            with open(file) as text:
                outputs.append(text.read())
        return outputs

    @staticmethod
    def end_marked(mark):
        for line in marked_processes(mark):
            try:
                os.kill(int(line.split()[0]), signal.SIGKILL)
            except OSError:
                pass

    def check_no_processes(self, mark, words, patience=10.0):
        """Waits until killed or ending processes are gone."""
        patience = Patience(patience)
        left = marked_processes(mark)
        while left and not patience.has_ended():
            time.sleep(0.02)
            left = marked_processes(mark)
        self.end_marked(mark)
        check(not left, "%s, and still there: %s" % (words, left))

    def check_clean(self, pid, mark, done, patience=5.0):
        """No process, socket or shared memory of this run may be left (the last ranks may take a
        moment to end)."""
        patience = Patience(patience)
        left = marked_processes(mark) + run_directories(pid, self.directory)
        while left and not patience.has_ended():
            time.sleep(0.02)
            left = marked_processes(mark) + run_directories(pid, self.directory)
        if not left:
            return
        self.end_marked(mark)
        for directory in run_directories(pid, self.directory):
            shutil.rmtree(directory, ignore_errors=True)
        raise Failed("left behind: %s\n%s" % (left, done))


def reason(failure, matchpoint):
    """Why a check or a script failed, in one line."""
    if not isinstance(failure, Failed):
        return shorten("%s: %s" % (type(failure).__name__, failure))
    first = str(failure).strip().split("\n")[0]
    own = "" if first.startswith(matchpoint) else shorten(first)  # else the command of a run
    return "; ".join(filter(None, (own, failure.explanation))) or "no reason given"


def place(failure):
    """The places in the scripts where it failed, innermost first."""
    frames = [frame for frame in traceback.extract_tb(failure.__traceback__)
              if frame.filename != os.path.abspath(__file__) and "/tests/" in frame.filename]
    return " in ".join("%s:%d" % (os.path.basename(frame.filename), frame.lineno)
                       for frame in frames[:-4:-1])


def report_failure(failure, tool):
    """Prints everything known; the last line is the summary."""
    if isinstance(failure, Failed):
        print(failure)
    else:
        traceback.print_exception(type(failure), failure, failure.__traceback__, file=sys.stdout)
    command = " ".join([os.path.basename(word) for word in tool.latest[:1]] + tool.latest[1:])
    where = filter(None, (place(failure), shorten(command)))
    print("%s: FAILED: %s (%s)" % (tool.name, reason(failure, tool.matchpoint), "; ".join(where)))


def main(description, body, extra=None):
    """Parses the options that all scripts share and runs body(tool, options)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--matchpoint", required=True)
    parser.add_argument("--mpicc", default="mpicc.mpich")
    if extra:
        extra(parser)
    options = parser.parse_args()
    # matchpoint would inherit the ignored signals of nohup and background jobs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    tool = Tool(options.matchpoint, options.mpicc)
    try:
        body(tool, options)
    except Exception as failure:
        report_failure(failure, tool)
        sys.exit(1)
    finally:
        tool.close()
