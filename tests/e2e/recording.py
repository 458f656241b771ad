"""A recorded run, and replays of its ranks alone."""

import collections
import contextlib
import glob
import os
import shutil
import signal
import struct
import subprocess

import harness
from harness import check


def ranks_of(folder):
    """Process ids of all ranks, from the tails."""
    pids = []
    for name in glob.glob(os.path.join(folder, "rank.*.tail")):
        with open(name, "rb") as tail:
            pids.append(int.from_bytes(tail.read(16)[12:16], "little"))
    return pids


Place = collections.namedtuple("Place", "call is_inside has_ended")


def place_of(folder, rank):
    """The number of the rank's MPI call, and whether it stands in it (struct recording_place)."""
    with open(os.path.join(folder, "rank.%d.tail" % rank), "rb") as tail:
        call, _, _, inside, _, _, _, ended = struct.unpack("<QQIIiiII", tail.read(56)[16:])
    return Place(call, inside == 1, ended == 1)


def wait_until_gone(folder):
    for pid in ranks_of(folder):
        harness.wait_until(lambda exe="/proc/%d/exe" % pid: not os.path.exists(exe),
                           "the end of rank process %d" % pid)


def shared_memory(pid):
    """Files in /dev/shm that the process has open or mapped."""
    files = []
    for link in glob.glob("/proc/%d/fd/*" % pid) + glob.glob("/proc/%d/map_files/*" % pid):
        with contextlib.suppress(OSError):
            files.append(os.readlink(link))
    return [file for file in files if os.path.dirname(file) == "/dev/shm"]


def stop(pid):
    """Returns when the process stands still, or is gone."""
    def stands():
        with open("/proc/%d/stat" % pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] in "TtZX"

    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
        harness.wait_until(stands, "process %d stands still" % pid)


@contextlib.contextmanager
def killing(folder):
    """For ranks that are killed meanwhile: as they run freely, what MPI has put into /dev/shm is
    left, and is removed here. They stand still, so that they add nothing. Gives their process
    ids."""
    pids = ranks_of(folder)
    for pid in pids:
        stop(pid)
    files = {file for pid in pids for file in shared_memory(pid)}
    yield pids
    for file in files:
        with contextlib.suppress(OSError):
            os.unlink(file)


def start_recording(tool, folder, ranks, *command, output=subprocess.DEVNULL):
    """Begins a recording that is to be killed. Returns the process."""
    return subprocess.Popen([tool.matchpoint, "record", "-n", str(ranks), "--to", folder, "--",
                             *command], cwd=tool.directory, stdin=subprocess.DEVNULL,
                            stdout=output, stderr=subprocess.DEVNULL, start_new_session=True)


def wait_until_recorded(folder, ranks, process):
    """Waits until each rank's recording has begun."""
    harness.wait_for(lambda: all(os.path.exists(os.path.join(folder, "rank.%d.start" % rank))
                                 for rank in range(ranks)), process, "a recording of all ranks")


def kill_ranks(folder, process):
    """Kills all ranks of a recording, and waits for its process."""
    with killing(folder) as pids:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        harness.communicate(process, 60)


class Recording:
    """One run, recorded in a folder of its own. Each rank's output goes to a file, because mpiexec
    mixes what ranks print. `preload`: one more library for the ranks."""

    def __init__(self, tool, name, ranks, *command, status=0, environment=None, preload=None):
        self.tool, self.ranks = tool, ranks
        self.folder = os.path.join(tool.directory, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.run = tool.run("record", "-n", str(ranks), "--to", self.folder, "--", "sh", "-c",
                            ('LD_PRELOAD="$LD_PRELOAD:%s" ' % preload if preload else "")
                            + 'exec "$0" "$@" >out.$PMI_RANK', *command, cwd=tool.directory,
                            environment=environment or {})
        check(self.run.status == status, str(self.run))

    def file(self, rank, what):
        return os.path.join(self.folder, "rank.%d.%s" % (rank, what))

    def printed(self, rank):
        with open(os.path.join(self.tool.directory, "out.%d" % rank)) as file:
            return file.read()

    def replay(self, rank):
        return self.tool.run("replay", self.folder, "--rank", str(rank), cwd=self.tool.directory)

    def check_in_step(self):
        """All ranks beside each other print what they printed, and none goes on without another."""
        run = self.tool.run("replay", self.folder, "--in-step", cwd=self.tool.directory)
        printed = "".join(self.printed(rank) for rank in range(self.ranks))
        check(run.status == 0 and run.err == "", str(run))
        check(sorted(run.out.splitlines()) == sorted(printed.splitlines()),
              "recorded:\n%s\nreplayed: %s" % (printed, run))

    def report(self):
        return self.tool.run("report", self.folder)

    def check_replays(self):
        for rank in range(self.ranks):
            run = self.replay(rank)
            check(run.status == 0 and run.err == "", str(run))
            check(run.out == self.printed(rank),
                  "recorded:\n%s\nreplayed: %s" % (self.printed(rank), run))
