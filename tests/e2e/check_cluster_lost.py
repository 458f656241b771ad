"""Ranks on several nodes, of which one is lost or cannot be used: everything ends everywhere within
5 s, the exit status is 4, the message names the node, and there is no finding. Nothing is left
behind on any node. Needs root, for nodes that are namespaces."""

import contextlib
import os
import re
import shutil
import signal
import time

import harness
import private_nodes
from check_cluster import on_cluster
from harness import check, check_soon, told

LOST = 5  # seconds


def outpost(cluster, node):
    """Its number on this machine."""
    lines = cluster.nodes.pids(node, "mp-outpost")
    check(len(lines) == 1, "outposts of %s: %s" % (node, lines))
    return lines[0]


def check_no_secret():
    """The secret of an outpost (64 digits) is where no other user can read it."""
    processes = harness.marked_processes("lost")
    check(any("__outpost" in one for one in processes), processes)
    for pid in [one.split()[0] for one in processes]:
        for file in ("cmdline", "environ"):
            with contextlib.suppress(OSError), open("/proc/%s/%s" % (pid, file), "rb") as text:
                check(not re.search(rb"[0-9a-f]{64}", text.read()), "%s of %s" % (file, pid))


def while_it_runs(cluster, act):
    """Does something to an exploration in which a rank of node2 computes for ever. Returns its
    exit status and output, and how long it took."""
    process = cluster.start_long("lost")
    name = os.path.basename(cluster.program)
    harness.wait_for(lambda: len(cluster.nodes.pids("node2", name)) == 2 and cluster.computing(),
                     process, "a rank computes", pause=0.05)
    check_no_secret()
    begun = time.monotonic()
    act(process)
    out, err = harness.communicate(process, 30)
    taken = time.monotonic() - begun
    cluster.check_nothing_left(err)
    return process.returncode, out.decode() + err.decode(), taken


def check_lost(cluster, act, *words):
    status, text, taken = while_it_runs(cluster, act)
    check(status == 4 and all(word in text for word in ("node2 is lost", *words)), text)
    check("#1" not in text and "nothing wrong" not in text, text)
    check_soon(taken, LOST + 1, text)


def check_losses(cluster):
    check_lost(cluster, lambda _: os.kill(outpost(cluster, "node2"), signal.SIGKILL))
    check_lost(cluster, lambda _: cluster.nodes.cut("node2"), "timed out")
    cluster.nodes.cut("node2", "up")
    status, text, taken = while_it_runs(cluster, lambda process: process.kill())
    check(status == -signal.SIGKILL, "%d: %s" % (status, text))
    check_soon(taken, LOST, text)
    status, text, taken = while_it_runs(cluster,
                                        lambda process: process.send_signal(signal.SIGINT))
    check(status == 3 and "interrupted" in text, "%d: %s" % (status, text))


def check_resumed(cluster):
    """A node is lost when a part was explored. Going on finds what is found in one go."""
    file = os.path.join(cluster.tool.directory, "file")
    words = ["until", file]
    process = cluster.start_long("resumed", *words)
    harness.wait_for(cluster.computing, process, "a rank computes", pause=0.05)
    os.kill(outpost(cluster, "node2"), signal.SIGKILL)
    out, err = harness.communicate(process, 30)
    check(process.returncode == 4 and b"node2 is lost" in err, out + err)
    cluster.check_nothing_left(err)
    done = cluster.tool.run("report", "--store", "resumed", report=True)
    check(0 < done.report["interleavings"] < 12 and not done.report["complete"], done)
    open(file, "w").close()
    whole = cluster.explore(*words)
    resumed = cluster.explore(*words, options=("--store", "resumed", "--resume"))
    check(whole.report["interleavings"] == 12 and whole.report["complete"], whole)
    check(told(resumed.report) == told(whole.report), "%s\n%s" % (whole, resumed))


def check_struck(cluster):
    """A part of the job launcher is killed: the interleaving begins again, and is no finding."""
    process = cluster.start_long("struck")
    first = harness.wait_for(cluster.computing, process, "a rank computes", pause=0.05)
    os.kill(cluster.nodes.pids("node2", "hydra_pmi_proxy")[0], signal.SIGKILL)
    harness.wait_for(lambda: set(cluster.computing()) - set(first), process, "it computes again",
                     pause=0.05)
    process.send_signal(signal.SIGINT)
    out, err = harness.communicate(process, 30)
    text = out.decode() + err.decode()
    check(process.returncode == 3 and "#1" not in text, text)
    check("explored again" in text, text)
    cluster.check_nothing_left(text)


def refused(cluster, *words, options=(), launcher=None, status=4):
    run = cluster.tool.run("explore", "-n", "4", "-j", "1", *options, "--launcher",
                           launcher or cluster.launcher, cluster.program)
    check(run.status == status and all(word in run.err for word in words), run)
    cluster.check_nothing_left(run)


def check_refusals(cluster):
    nodes = cluster.nodes
    refused(cluster, "node9", "status 255", "there is no node9",
            launcher=cluster.launcher_on("node1:2,node9:2"))
    missing = os.path.join(cluster.tool.directory, "missing")
    refused(cluster, "could not be started on node", missing,
            launcher=cluster.launcher_on("node1:2,node2:2", missing))
    refused(cluster, "--backtrack", "several machines", options=("--backtrack", "snapshot"),
            status=2)
    refused(cluster, "-launcher slurm", status=2,
            launcher=cluster.mpiexec + " -launcher slurm -hosts node1,node2 -n 4")
    place = os.path.dirname(cluster.real)
    other = os.path.join(cluster.tool.directory, "other")
    os.makedirs(other)
    nodes.run("node2", "mount", "--bind", other, place)
    refused(cluster, "node2", "not found", "status 127")
    nodes.run("node2", "umount", place)
    # A matchpoint of another version there.
    script = os.path.join(other, "matchpoint")
    copy = os.path.join(other, "real")
    shutil.copy(cluster.real, copy)
    with open(script, "w") as file:
        file.write("#!/bin/sh\nsed 's/^version=.*/version=0.0/' | exec %s \"$@\"\n" % copy)
    os.chmod(script, 0o755)
    nodes.run("node2", "mount", "--bind", script, cluster.real)
    refused(cluster, "node2", "another version", "0.0", "same on all machines")
    nodes.run("node2", "umount", cluster.real)
    nodes.run("node2", "ip", "route", "add", "prohibit", private_nodes.HEAD)
    refused(cluster, "node2", "cannot connect back to port", "firewall")
    nodes.run("node2", "ip", "route", "del", "prohibit", private_nodes.HEAD)


def body(tool, _options):
    on_cluster(tool, private_nodes.obstacle(), check_refusals, check_losses, check_resumed,
               check_struck)


if __name__ == "__main__":
    harness.main(__doc__, body)
