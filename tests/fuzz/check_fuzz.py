"""Builds every fuzz_NAME.c here with clang's libFuzzer and sanitizers, and runs each for a while.
Exits with 77 (skipped) if there is no clang. To add a target, add a file."""

import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path.insert(0, os.path.join(ROOT, "tests/e2e"))

import harness  # noqa: E402
from harness import check  # noqa: E402

SOURCES = ["explorer/*.c", "reports/*.c", "common/wire.c", "scheduler/page/page_read.c",
           "scheduler/world/contents.c", "scheduler/world/types.c",
           *["scheduler/store/" + name for name in ("record.c", "finding_kind.c", "tables.c",
                                                    "row.c", "reader*.c",
                                                    "schema.c", "variants.c",
                                                    "choice_coverage.c")]]
PACKAGES = ["glib-2.0", "json-glib-1.0", "sqlite3"]
OTF2 = "otf2"  # if installed
SECONDS = 4
SKIPPED = 77


def has_otf2():
    return subprocess.run(["pkg-config", "--atleast-version=3.0", OTF2], check=False,
                          capture_output=True).returncode == 0


def flags(option):
    packages = [*PACKAGES, *[OTF2] * has_otf2()]
    return subprocess.run(["pkg-config", option, *packages], capture_output=True, text=True,
                          check=True).stdout.split()


def is_built(source):
    """Whether to compile it: either the sources with OTF2 or the one without."""
    name = os.path.basename(source)
    return not name.startswith("otf2") or has_otf2() != (name == "otf2_without.c")


def build(tool, clang):
    """Builds the targets' programs. Sources that they share are compiled once."""
    options = ["-std=gnu11", "-g", "-O1", "-fsanitize=address,undefined", "-I" + ROOT,
               "-I" + os.path.join(ROOT, "reports"), '-DMATCHPOINT_OTF2="fuzzed"',
               *flags("--cflags")]
    objects = os.path.join(tool.directory, "objects")
    os.mkdir(objects)
    sources = [s for pattern in SOURCES for s in glob.glob(os.path.join(ROOT, pattern))
               if is_built(s)]
    sources.append(os.path.join(tool.directory, "html_page.c"))
    subprocess.run([sys.executable, os.path.join(ROOT, "reports/page/build.py"), sources[-1]],
                   check=True)
    subprocess.run([clang, *options, "-fsanitize=fuzzer-no-link", "-c", *sources], cwd=objects,
                   check=True)
    programs = []
    for source in sorted(glob.glob(os.path.join(HERE, "fuzz_*.c"))):
        program = os.path.join(tool.directory, os.path.basename(source)[:-2])
        subprocess.run([clang, *options, "-fsanitize=fuzzer", source,
                        *glob.glob(objects + "/*.o"), "-o", program, *flags("--libs")],
                       check=True)
        programs.append(program)
    return programs


def seeds(tool):
    """Seeds from a real run: its store, and the paths in its report."""
    directory = os.path.join(tool.directory, "seeds")
    program = tool.compile(os.path.join(ROOT, "examples/wildcard_deadlock.c"))
    run = tool.run("explore", "-n", "3", "--store", directory, program, report=True)
    for execution in run.report["executions"]:
        with open(os.path.join(directory, "path%d" % execution["id"]), "w") as file:
            file.write(execution["path"])
    return directory


def body(tool, options):
    clang = shutil.which("clang")
    if not clang:
        print("clang is not installed")
        sys.exit(SKIPPED)
    directory = seeds(tool)
    for program in build(tool, clang):
        corpus = program + "-corpus"
        os.mkdir(corpus)
        done = subprocess.run([program, "-max_total_time=%d" % options.seconds, "-max_len=100000",
                               "-close_fd_mask=1", corpus, directory], capture_output=True,
                              text=True, cwd=tool.directory, check=False)
        print("%s: %s" % (os.path.basename(program), done.stderr.strip().split("\n")[-1]))
        check(done.returncode == 0, done.stderr[-3000:])


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument(
        "--seconds", type=int, default=SECONDS))
