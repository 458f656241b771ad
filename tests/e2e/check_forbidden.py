"""Where a container forbids process_vm_readv, matchpoint does not watch buffers, rewind ranks in
place, or read large messages from their senders' memory, and says so. A correct program has no
finding, and everything is explored."""

import os

import forbidding
import harness
from harness import check

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def body(tool, _):
    real = tool.matchpoint
    program = tool.compile(harness.program("buffer_left_alone.c"))
    rewound = tool.compile(os.path.join(EXAMPLES, "master_worker.c"))
    large = tool.compile(harness.program("large_messages.c"), "-Wno-stringop-overflow")
    forbid = forbidding.forbidding(tool, "process_vm_readv")
    for matchpoint, noted in ((real, False), (forbid, True)):
        tool.matchpoint = matchpoint
        run = tool.run("explore", "-n", "2", "--buffering", "zero", "--not-yet", "0", "--",
                       program, report=True)
        if run.status == 99:
            print("    seccomp cannot be used here")
            return
        left = [limit["limit"] for limit in run.report["not_explored"]]
        check(run.status == 3 and left == ["polls"], "--not-yet 0 leaves answers out\n%s" % run)
        notes = [note for note in run.report["notes"] if "process_vm_readv" in note]
        check(len(notes) == noted, "notes\n%s" % run)
        run = tool.run("explore", "-n", "3", "--buffering", "zero", "--backtrack", "rewind", "--",
                       rewound, "4", report=True)
        check(run.report["complete"] and run.report["interleavings"] == 8, str(run))
        notes = "".join(note for note in run.report["notes"] if "rewound in place" in note)
        check(("process_vm_readv" in notes or "Linux" in notes) if noted
              else "process_vm_readv" not in notes, "notes\n%s" % run)
        run = tool.run("explore", "-v", "-n", "3", "--buffering", "infinite", "--", large,
                       report=True)
        check(run.report["complete"] and run.report["interleavings"] == 4, str(run))
        notes = [note for note in run.report["notes"] if "went through shared memory" in note]
        check(len(notes) == noted, "notes\n%s" % run)


if __name__ == "__main__":
    harness.main(__doc__, body)
