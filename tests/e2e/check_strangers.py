"""Other processes of the same user connect to the sockets of a run: what they send neither ends
nor changes it. The run does not touch files of other jobs in /dev/shm."""

import contextlib
import ctypes
import glob
import os
import socket
import stat
import struct
import subprocess
import tempfile
import time
import uuid

import harness
from harness import check

SOURCE = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, value;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < 3; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(200000);
	}
	MPI_Finalize();
	return 0;
}
"""
# Rank 0 is killed where MPICH unlinks a file that its ranks share.
KILLED = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
int unlink(const char *path)
{
	if (strstr(path, "/mpich_")) {
		FILE *file = fopen(NAMES, "a");
		fprintf(file, "%s\n", path);
		fclose(file);
		kill(getpid(), SIGKILL);
	}
	return (int)syscall(SYS_unlinkat, -100, path, 0);
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
"""
HELLO = 1


def hello(version, world, rank):
    text = b"stranger"
    fields = struct.pack("<IIiiQ?", version, world, rank, os.getpid(), 0, False)
    fields += 2 * (struct.pack("<I", len(text)) + text)
    body = struct.pack("<H", HELLO) + fields
    return struct.pack("<I", len(body)) + body


def say(path, words):
    """True: the connection was accepted."""
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(path)
            one.sendall(words)
            one.settimeout(0.05)
            one.recv(1)
        except TimeoutError:
            return True
        except OSError:
            return False
    return True


def live_alone():
    """Makes a private /dev/shm, where permitted: other programs of the machine are not tested."""
    new_mounts = 0x20000 # CLONE_NEWNS
    if ctypes.CDLL(None).unshare(new_mounts) == 0:
        subprocess.run("mount --make-rprivate / && mount -t tmpfs tmpfs /dev/shm", shell=True,
                       check=False)


def check_shared_memory(tool, program):
    """A job that is just starting has a file there that is not mapped yet. matchpoint must not
    remove it; it must remove the files of its own killed jobs."""
    descriptor, other = tempfile.mkstemp(prefix="mpich_shar_tmp", dir="/dev/shm")
    os.close(descriptor)
    os.utime(other, (0, 0))
    starting = tempfile.mkdtemp(prefix="matchpoint-1073741823-", dir="/dev/shm")
    process = tool.start(["explore", "-n", "3", "--", program], uuid.uuid4().hex)
    time.sleep(0.1)
    descriptor, later = tempfile.mkstemp(prefix="mpich_shar_tmp", dir="/dev/shm")
    os.close(descriptor)
    process.communicate()
    left = [os.path.exists(path) for path in (other, later, starting)]
    for path in (other, later):
        if os.path.exists(path):
            os.unlink(path)
    if os.path.exists(starting):
        os.rmdir(starting)
    check(all(left), "what others have just made was removed: %s" % left)

    names = os.path.join(tool.directory, "names")
    killed = tool.compile(tool.write("killed.c", KILLED), '-DNAMES="%s"' % names)
    run = tool.run("run", "-n", "2", "--", killed)
    with open(names) as file:
        made = file.read().split()
    check(made, "nothing was made: %s" % run)
    check(not any(os.path.exists(name) for name in made), "left behind: %s\n%s" % (made, run))


def files_of(pid):
    """The directory of a run, and the files and directories in it."""
    found = []
    for path in glob.glob("/dev/shm/matchpoint-%d-*/**" % pid, recursive=True):
        try:
            if stat.S_IFMT(os.lstat(path).st_mode) in (stat.S_IFREG, stat.S_IFDIR):
                found.append(path)
        except FileNotFoundError:
            continue
    return found


def check_who_looks(tool, program):
    """A process that reads in the directory of a killed run (another start that checks whether it
    lives; a user who reads the ranks' output) is none of its processes, and survives."""
    process = tool.start(["explore", "-n", "3", "--", program], uuid.uuid4().hex)
    files, patience = [], harness.Patience(60)
    while len(files) <= 3 and not patience.has_ended():
        files = files_of(process.pid)
    check(len(files) > 3, "it has made too few files: %s" % files)
    directory = files[0].rstrip("/")
    opened = []
    for path in files:
        with contextlib.suppress(FileNotFoundError):
            opened.append(os.open(path, os.O_RDONLY))
    check(len(opened) > 3, "too few files are left: %s" % files)
    looks = subprocess.Popen(["sleep", "100"], pass_fds=opened)
    for descriptor in opened:
        os.close(descriptor)
    process.kill()
    process.communicate()
    while os.path.exists(directory) and not patience.has_ended():
        time.sleep(0.01)
    gone, looked = not os.path.exists(directory), looks.poll() is None
    looks.kill()
    looks.wait()
    check(gone, "still there: %s" % files)
    check(looked, "the process that read %s was killed" % files)


def body(tool, _):
    live_alone()
    program = tool.compile(tool.write("slow.c", SOURCE))
    check_shared_memory(tool, program)
    check_who_looks(tool, program)
    mark = uuid.uuid4().hex
    process = tool.start(["explore", "-n", "3", "--", program], mark)
    said = 0
    while process.poll() is None:
        for directory in glob.glob("/dev/shm/matchpoint-%d-*" % process.pid):
            for world in range(4):
                for words in (hello(0, world, 0), hello(99, world, 0), hello(99, world, 77)):
                    said += say(directory + "/socket", words)
                said += say(directory + "/pmi",
                            b"matchpoint world=%d rank=0\ncmd=abort exitcode=3\n" % world)
        time.sleep(0.01)
    out, err = process.communicate()
    words = "%d times: %s%s" % (said, out.decode(), err.decode())
    check(said > 10, "no connection was accepted: %s" % words)
    check(process.returncode == 0 and b"4 interleavings" in out, words)
    tool.check_clean(process.pid, mark, words)


if __name__ == "__main__":
    harness.main(__doc__, body)
