"""Programs that are built with AddressSanitizer or its kin, by GCC or Clang.
Their reports are crashes, with the kind of error and its place. MPI's own leaks are none."""

import os
import shutil
import subprocess

import harness
from harness import check

ADDRESS = "-fsanitize=address"
UNDEFINED = "-fsanitize=undefined"
LEAK = "-fsanitize=leak"

# mistake: (what the message says, whether its place is on a line that the mistake names)
MISTAKES = {
    "overflow": ("AddressSanitizer: heap-buffer-overflow (WRITE of size 1)", True),
    "freed": ("AddressSanitizer: heap-use-after-free (READ of size 4)", True),
    "local": ("AddressSanitizer: stack-buffer-overflow (WRITE of size 4)", True),
    "stack": ("AddressSanitizer: stack-overflow", False),
    "received": ("AddressSanitizer: heap-buffer-overflow (WRITE of size 8)", True),
    "leak": ("LeakSanitizer: 123 byte(s) leaked in 1 allocation(s)", True),
    "undefined": ("UndefinedBehaviorSanitizer: signed integer overflow", True),
    "abort": ("killed by SIGABRT", True),
}


def line_of(source, mark):
    with open(source) as file:
        return next(number for number, line in enumerate(file, 1)
                    if "/* %s */" % mark in line or line.endswith("! %s\n" % mark))


def explore(tool, program, *words, environment=None, options=()):
    run = tool.run("explore", "-n", "3", "--buffering", "zero", *options, "--", program, *words,
                   report=True, environment=environment)
    check(run.report and run.report["complete"], str(run))
    check(run.report["interleavings"] == 2, str(run))
    return run


def check_right(run):
    check(run.status == 0 and not run.report["findings"], str(run))


def check_found(run, source, mistake, error, has_line):
    check(run.status == 1 and len(run.report["findings"]) == 1, str(run))
    finding = run.report["findings"][0]
    check(finding["kind"] == "crash" and finding["count"] == 1 and finding["reproduced"], str(run))
    check(error in finding["message"], str(run))
    rank = finding["ranks"][0]
    check(rank["file"] == os.path.basename(source), str(run))
    check(not has_line or rank["line"] == line_of(source, mistake), str(run))
    check(finding["blame"]["line"] == line_of(source, "first"), str(run))


def check_mistakes(tool, source, program):
    check_right(explore(tool, program, "none"))
    for mistake, (error, has_line) in MISTAKES.items():
        run = explore(tool, program, mistake)
        check_found(run, source, mistake, error, has_line)
        check(run.report["backtrack"] == "rerun" and "AddressSanitizer" in run.out, str(run))
    run = explore(tool, program, "exit")
    check(run.report["findings"][0]["kind"] == "exit", str(run))


def check_options(tool, source, program):
    """The user's options count."""
    check_right(explore(tool, program, "leak", environment={"ASAN_OPTIONS": "detect_leaks=0"}))
    error, _ = MISTAKES["overflow"]
    for option in ("abort_on_error=0", "abort_on_error=0:exitcode=77"):
        run = explore(tool, program, "overflow", environment={"ASAN_OPTIONS": option})
        check_found(run, source, "overflow", error, True)
    run = explore(tool, program, "overflow", options=("--search", "states", "-j", "1"))
    check_found(run, source, "overflow", error, True)


def check_undefined(tool, source):
    """Without AddressSanitizer, snapshots work as ever."""
    error, _ = MISTAKES["undefined"]
    program = tool.compile(source, UNDEFINED, "-fno-sanitize-recover")
    run = explore(tool, program, "undefined")
    check_found(run, source, "undefined", error, True)
    check(run.report["backtrack"] == "snapshot", str(run))
    check_found(explore(tool, program, "overflow"), source, "overflow",
                "UndefinedBehaviorSanitizer: "
                "store to address with insufficient space for an object of type", True)
    program = tool.compile(source, UNDEFINED)
    check_right(explore(tool, program, "none"))
    run = explore(tool, program, "undefined")
    check_right(run)
    told = "rank 0: sanitized.cc:%d: signed integer overflow" % line_of(source, "undefined")
    check(any(told in note for note in run.report["notes"]), str(run))


def check_leak(tool, source):
    """What MPI, the dynamic linker and matchpoint keep is no leak of the program's."""
    program = tool.compile(source, LEAK)
    check_right(explore(tool, program, "none"))
    run = explore(tool, program, "leaks")
    check_found(run, source, "leaks", "LeakSanitizer: ", True)
    check(run.report["backtrack"] == "snapshot", str(run))


def check_fortran(tool):
    source = harness.program("sanitized_f.f90")
    program = tool.compile(source, ADDRESS)
    check_right(explore(tool, program, "right"))
    check_found(explore(tool, program, "wrong"), source, "overflow",
                "AddressSanitizer: heap-buffer-overflow (WRITE of size 4)", True)


def body(tool, _):
    source = harness.program("sanitized.cc")
    both = [ADDRESS, "-fsanitize=signed-integer-overflow", "-fno-sanitize-recover"]
    program = tool.compile(source, *both)
    check_mistakes(tool, source, program)
    check_options(tool, source, program)
    if shutil.which("clang++"):
        os.environ["MPICH_CXX"] = "clang++"
        check_mistakes(tool, source, tool.compile(source, *both))
        library = subprocess.run(["clang++", "-print-file-name=libclang_rt.asan-x86_64.so"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        if os.path.exists(library):
            shared = tool.compile(source, ADDRESS, "-shared-libasan",
                                  "-Wl,-rpath," + os.path.dirname(library))
            check_found(explore(tool, shared, "freed"), source, "freed", MISTAKES["freed"][0], True)
        del os.environ["MPICH_CXX"]
    check_undefined(tool, source)
    check_leak(tool, source)
    check_fortran(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
