"""Processes of the same user that are none of the run's connect to its sockets: what they say
neither ends nor changes it."""

import glob
import os
import socket
import struct
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
HELLO = 1


def hello(version, world, rank):
    text = b"stranger"
    fields = struct.pack("<IIiiQ?", version, world, rank, os.getpid(), 0, False)
    fields += 2 * (struct.pack("<I", len(text)) + text)
    body = struct.pack("<H", HELLO) + fields
    return struct.pack("<I", len(body)) + body


def say(path, words):
    """True: somebody listened."""
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


def body(tool, _):
    program = tool.compile(tool.write("slow.c", SOURCE))
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
    check(said > 10, "nobody could say anything: %s" % words)
    check(process.returncode == 0 and b"4 interleavings" in out, words)
    tool.check_clean(process.pid, mark, words)


if __name__ == "__main__":
    harness.main(__doc__, body)
