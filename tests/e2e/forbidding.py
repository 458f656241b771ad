"""Runs matchpoint where the kernel forbids it and its children a system call, as containers do."""

SOURCE = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FORBIDDEN, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(steps) / sizeof(steps[0]), steps};

	(void)argc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	    || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 99;
	argv[0] = MATCHPOINT;
	execv(MATCHPOINT, argv);
	return 98;
}
"""


def forbidding(tool, call):
    """The path of a program that runs matchpoint with its arguments, where `call` fails with
    EPERM. It exits with 99 if seccomp cannot be used."""
    return tool.compile(tool.write("forbids_%s.c" % call, SOURCE),
                        '-DMATCHPOINT="%s"' % tool.matchpoint, "-DFORBIDDEN=SYS_%s" % call)
