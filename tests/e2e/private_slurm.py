"""A private Slurm on this machine, for a test: its own munged, slurmctld, and a slurmd for each of
some nodes that are all this machine. It lives in one directory, and nothing else reaches it. Needs
root, and Debian's slurmctld, slurmd, slurm-client and munge; no systemd and no cgroups. Or its
nodes are those of private_nodes.py."""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import time

import harness
import private_nodes
from harness import check

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scancel", "squeue",
            "sinfo")
SECONDS = 30  # for it to come up, or to end

CONFIGURATION = """ClusterName=private
SlurmctldHost={host}
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge/socket
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool/%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=100000,bf_interval=1
SwitchType=switch/none
MpiDefault={mpi}
ReturnToService=2
KillWait=60
MessageTimeout=100
BatchStartTimeout=100
InactiveLimit=0
SlurmdParameters=config_overrides
{nodes}
PartitionName=all Nodes={names} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""
ON_NODE = "NodeName={name} NodeAddr={name} Port={port} CPUs=4 RealMemory=1000"
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=1000"


def obstacle():
    """Why there can be none; None: there can."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        return "%s: not installed" % ", ".join(missing)
    return None if os.getuid() == 0 else "only root can start Slurm's daemons"


def free_ports(count):
    """Ports of 127.0.0.1 that nobody listens to now. None is of those that the system gives to
    whoever asks for any."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first, last = map(int, file.read().split())
    others = [port for port in range(10000, 65536) if not first <= port <= last]
    ports = []
    for port in random.sample(others or range(10000, 65536), min(len(others) or 1000, 1000)):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            ports.append(port)
        if len(ports) == count:
            break
    check(len(ports) == count, "there are no free ports")
    return ports


class PrivateSlurm:
    """Runs from its making to `end`. `environment` is for its commands. `places`: PrivateNodes; its
    commands are then called on their head."""

    def __init__(self, directory, nodes=2, mpi="none", places=None):
        self.directory = directory
        self.places = places
        self.processes = []
        self.environment = {"SLURM_CONF": os.path.join(directory, "slurm.conf")}
        for name in ("state", "spool", "munge"):
            os.makedirs(os.path.join(directory, name))
        os.chmod(directory, 0o755)
        os.chmod(os.path.join(directory, "munge"), 0o711)
        try:
            self.configure(nodes, mpi)
            self.start_munge()
            self.start("slurmctld", "-D", "-c")
            for node in self.nodes:
                self.start("slurmd", "-D", "-c", "-N", node, place=node)
            self.wait_until(self.is_up, "Slurm does not come up")
        except BaseException:
            self.end()
            raise

    def configure(self, nodes, mpi):
        host = socket.gethostname().split(".")[0]
        ports = free_ports(nodes + 1)
        self.nodes = ["node%d" % number for number in range(1, nodes + 1)]
        control = host + "(127.0.0.1)"
        if self.places:
            self.nodes = self.places.names
            control = "head(%s)" % private_nodes.HEAD
        line = ON_NODE if self.places else NODE
        lines = [line.format(name=name, host=host, port=port)
                 for name, port in zip(self.nodes, ports[1:])]
        text = CONFIGURATION.format(host=control, port=ports[0], directory=self.directory, mpi=mpi,
                                    nodes="\n".join(lines), names=",".join(self.nodes))
        with open(self.environment["SLURM_CONF"], "w") as file:
            file.write(text)

    def start_munge(self):
        place = os.path.join(self.directory, "munge")
        key = os.path.join(place, "key")
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o400)
        self.start("munged", "--foreground", "--force", "--num-threads=2", "--key-file=" + key,
                   *("--%s=%s" % (what, os.path.join(place, file)) for what, file in (
                       ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"),
                       ("seed-file", "seed"))))
        self.wait_until(lambda: os.path.exists(os.path.join(place, "socket")), "munged is silent")

    def start(self, program, *arguments, place="head"):
        command = [program, *arguments]
        if self.places and program != "munged":
            command = self.places.command(place, *command)
        name = os.path.join(self.directory, "%s-%d.out" % (program, len(self.processes)))
        with open(name, "w") as output:
            self.processes.append(subprocess.Popen(
                command, env=dict(os.environ, **self.environment), stdout=output,
                stderr=output, stdin=subprocess.DEVNULL, start_new_session=True))

    def wait_until(self, condition, text):
        patience = harness.Patience(SECONDS)
        while not condition():
            ended = [process.args[0] for process in self.processes if process.poll() is not None]
            check(not ended and not patience.has_ended(), "%s; ended: %s\n%s" % (
                text, ended, self.logs()))
            time.sleep(0.05)

    def logs(self):
        texts = []
        for name in sorted(os.listdir(self.directory)):
            if name.endswith((".log", ".out")):
                with open(os.path.join(self.directory, name), errors="replace") as file:
                    texts.append("-- %s\n%s" % (name, file.read()[-2000:]))
        return "\n".join(texts)

    def is_up(self):
        states = self.ask("sinfo", "-h", "-N", "-o", "%t").split()
        return len(states) == len(self.nodes) and set(states) == {"idle"}

    def ask(self, *command):
        """What one of its commands prints."""
        command = self.places.command("head", *command) if self.places else command
        return harness.call(command, SECONDS * 4,
                            env=dict(os.environ, **self.environment)).stdout

    def wait_for_job(self, job):
        self.wait_until(lambda: not self.ask("squeue", "-h", "-j", job),
                        "job %s does not end" % job)

    def end(self):
        self.ask("scancel", "--user=root")
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
