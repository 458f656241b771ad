"""Nodes of a cluster on this machine, for a test: each has a network, a host name, /dev/shm, IPC,
processes and a boot id of its own. They are connected by a bridge. "head" is where matchpoint runs;
it sees the processes of all. Files are shared, except /dev/shm. Needs root, iproute2 and
util-linux."""

import contextlib
import os
import shutil
import signal
import subprocess
import uuid

import harness
from harness import check

PROGRAMS = ("unshare", "nsenter", "ip", "mount", "hostname", "ps")
HEAD = "10.77.0.254"

INSIDE = """hostname {name} && mount --make-rprivate / && mount -t proc proc /proc &&
mount -t tmpfs tmpfs /dev/shm && mount --bind {directory}/hosts /etc/hosts &&
mount --bind {directory}/{name}.id /proc/sys/kernel/random/boot_id &&
ip link set lo up && echo ready && exec sleep infinity
"""
# What ssh does, without ssh: options, the node, words of a line for its shell. The environment is
# not that of the caller, except for the mark of the test (harness.py).
SHELL = r"""#!/bin/sh
while :; do case $1 in -*) shift;; *) break;; esac; done
[ -f "{directory}/$1.pid" ] || {{ echo "there is no $1"; exit 255; }}
node=$(cat "{directory}/$1.pid"); shift
exec env -i PATH="$PATH" MATCHPOINT_TEST_MARK="$MATCHPOINT_TEST_MARK" \
	nsenter -t "$node" --net --uts --ipc --mount --pid --wd=/ sh -c "$*"
"""


def obstacle():
    """Why there can be none; None: there can."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        return "%s: not installed" % ", ".join(missing)
    if os.getuid() != 0:
        return "only root can make namespaces"
    done = subprocess.run(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork",
                           "sh", "-c", "mount --make-rprivate / && ip link add br0 type bridge"],
                          capture_output=True, text=True, check=False)
    return done.stderr.strip() or "no namespaces here" if done.returncode else None


class PrivateNodes:
    """They are there from its making to `end`."""

    def __init__(self, directory, nodes=2):
        self.directory = directory
        self.names = ["node%d" % number for number in range(1, nodes + 1)]
        self.processes = {}  # by name, and of "switch": what holds its namespaces
        self.inside = {}  # the same: a process within
        os.makedirs(directory)
        addresses = {name: "10.77.0.%d" % number for number, name in enumerate(self.names, 1)}
        with open(os.path.join(directory, "hosts"), "w") as file:
            file.write("127.0.0.1 localhost\n%s head\n" % HEAD)
            file.writelines("%s %s\n" % (addresses[name], name) for name in self.names)
        self.shell = self.write("shell", SHELL.format(directory=directory))
        try:
            self.hold("switch", ["--net"],
                      "ip link set lo up && ip link add br0 type bridge && "
                      "ip link set br0 up && echo ready && exec sleep infinity")
            self.add("head", HEAD, [])
            for name in self.names:
                self.add(name, addresses[name], ["--pid", "--fork", "--kill-child"])
                self.wait_for_network(name)
        except BaseException:
            self.end()
            raise

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def hold(self, name, namespaces, script):
        process = subprocess.Popen(["unshare", *namespaces, "sh", "-c", script],
                                   stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.processes[name] = process
        check(process.stdout.readline() == "ready\n", "%s does not come up" % name)
        self.inside[name] = process.pid
        if "--fork" in namespaces:
            with open("/proc/%d/task/%d/children" % (process.pid, process.pid)) as file:
                self.inside[name] = int(file.read().split()[0])

    def add(self, name, address, namespaces):
        self.write(name + ".id", "%s\n" % uuid.uuid4())
        self.hold(name, ["--net", "--uts", "--ipc", "--mount", *namespaces],
                  INSIDE.format(name=name, directory=self.directory))
        pid = self.inside[name]
        self.write(name + ".pid", "%d\n" % pid)
        self.on_network("switch", "ip link add to-%s type veth peer name eth0 netns %d && "
                        "ip link set to-%s master br0 && ip link set to-%s up" % (
                            name, pid, name, name))
        self.on_network(name, "ip addr add %s/24 dev eth0 && ip link set eth0 up" % address)

    def on_network(self, name, line):
        done = subprocess.run(["nsenter", "-t", str(self.inside[name]), "--net", "sh", "-c", line],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0, "%s: %s: %s" % (name, line, done.stderr))

    def cut(self, name, state="down"):
        """Its cable is pulled out: nothing arrives, and nobody is told. "up": it is back."""
        self.on_network("switch", "ip link set to-%s %s" % (name, state))
        if state == "up":
            self.wait_for_network(name)

    def wait_for_network(self, name):
        """The kernel takes its time to use a cable that is there."""
        def is_refused():  # so the head has answered
            done = subprocess.run(self.command(name, "bash", "-c", ": </dev/tcp/%s/9" % HEAD),
                                  capture_output=True, text=True, check=False,
                                  env=dict(os.environ, LC_ALL="C"))
            return "refused" in done.stderr

        harness.wait_until(is_refused, "%s reaches the head" % name, pause=0.05)

    def run(self, name, *words):
        """Runs a command there, which must succeed."""
        done = harness.call(self.command(name, *words))
        check(done.returncode == 0, "%s: %s: %s" % (name, " ".join(words), done.stderr))

    def pids(self, name, command):
        """The numbers, on this machine, of processes of that name that run there."""
        there = os.readlink("/proc/%d/ns/pid" % self.inside[name])
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open("/proc/%s/stat" % pid) as file:
                line = file.read()
                # The first process there does not reap: Z.
                if line[line.index("(") + 1:line.rindex(")")] == command[:15] \
                        and line.rpartition(") ")[2][0] not in "ZX" \
                        and os.readlink("/proc/%s/ns/pid" % pid) == there:
                    found.append(int(pid))
        return found

    @staticmethod
    def seconds(pid):
        """Processor time that a process has taken."""
        try:
            with open("/proc/%d/stat" % pid) as file:
                return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / 100
        except OSError:
            return 0

    def command(self, name, *words, place="/"):
        """The command line that runs a command there, in that directory."""
        flags = ["--pid"] if name in self.names else []
        return ["nsenter", "-t", str(self.inside[name]), "--net", "--uts", "--ipc", "--mount",
                *flags, "--wd=" + place, "--", *words]

    def ask(self, name, *words):
        """What a command prints there."""
        return harness.call(self.command(name, *words)).stdout

    def left(self):
        """What is there besides what was there at the beginning: processes of nodes, files in
        /dev/shm."""
        found = []
        for name in self.names:
            for line in self.ask(name, "ps", "-A", "-o", "pid=,stat=,comm=").splitlines():
                # The first process there does not reap.
                if line.split()[1][0] != "Z" and line.split()[2] not in ("sleep", "ps"):
                    found.append("%s: %s" % (name, line))
        for name in ("head", *self.names):
            found += ["%s: /dev/shm/%s" % (name, file)
                      for file in self.ask(name, "ls", "/dev/shm").split()]
        return found

    def end(self):
        for name, process in self.processes.items():
            os.kill(self.inside.get(name, process.pid), signal.SIGKILL)
            process.kill()
            process.wait()
            process.stdout.close()
        shutil.rmtree(self.directory, ignore_errors=True)
