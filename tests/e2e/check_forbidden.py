"""Where a container forbids process_vm_readv, buffers are not watched, nor ranks rewound in place,
and that is said: a program that is right has no finding, and all is explored."""

import os

import harness
from harness import check

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")

FORBID = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	(void)argc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
		return 99;
	argv[0] = MATCHPOINT;
	execv(MATCHPOINT, argv);
	return 99;
}
"""


def body(tool, _):
    source = tool.write("forbid.c", FORBID)
    real = tool.matchpoint
    program = tool.compile(os.path.join(PROGRAMS, "buffer_left_alone.c"))
    rewound = tool.compile(os.path.join(PROGRAMS, "../../../examples/master_worker.c"))
    forbid = tool.compile(source, '-DMATCHPOINT="%s"' % real)
    for matchpoint, noted in ((real, False), (forbid, True)):
        tool.matchpoint = matchpoint
        run = tool.run("explore", "-n", "2", "--buffering", "zero", "--not-yet", "0", "--",
                       program, report=True)
        if run.status == 99:
            print("    seccomp cannot be used here")
            return
        check(run.status == 0, "exit status %s\n%s" % (run.status, run))
        notes = [note for note in run.report["notes"] if "process_vm_readv" in note]
        check(len(notes) == noted, "notes\n%s" % run)
        run = tool.run("explore", "-n", "3", "--buffering", "zero", "--backtrack", "rewind", "--",
                       rewound, "4", report=True)
        check(run.report["complete"] and run.report["interleavings"] == 8, str(run))
        notes = "".join(note for note in run.report["notes"] if "rewound in place" in note)
        check(("process_vm_readv" in notes or "Linux" in notes) if noted
              else "process_vm_readv" not in notes, "notes\n%s" % run)


if __name__ == "__main__":
    harness.main(__doc__, body)
