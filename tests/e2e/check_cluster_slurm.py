"""Ranks on the nodes of an allocation of Slurm's, started by srun: from salloc on the head, and
from sbatch on the first node. All interleavings are found. Nothing is left behind on any node,
also after scancel. Needs root, for nodes that are namespaces and a private Slurm."""

import json
import os

import harness
import private_nodes
import private_slurm
from check_cluster import on_cluster
from harness import check

SRUN = "srun --mpi=pmi2 -n 4"
TWO = ("-N", "2", "--ntasks-per-node=2")


def nothing_left(cluster, text):
    """Besides Slurm's own."""
    def left():
        return [one for one in cluster.nodes.left()
                if "slurm" not in one and "munge" not in one]

    harness.wait_until(lambda: not left(), lambda: "nothing is left: %s\n%s" % (left(), text), 20)


def check_report(report, text):
    check(report and report["interleavings"] == 12 and report["complete"], text)
    check(report["backtrack_reason"] == "ranks are on several machines", text)
    for one in report["executions"]:
        for rank, output in enumerate(one["output"]):
            check("rank %d is on node%d" % (rank, 1 + rank // 2) in output, text)


def check_salloc(cluster, slurm):
    """matchpoint on the head, which is not in the allocation."""
    file = os.path.join(cluster.tool.directory, "salloc.json")
    done = harness.call(
        slurm.places.command("head", "salloc", "-Q", *TWO, cluster.real, "explore",
                             "-n", "4", "-j", "1", "--json", file, "--json-all", "--launcher",
                             SRUN, cluster.program, place=cluster.tool.directory),
        env=dict(os.environ, UCX_NET_DEVICES="eth0", **slurm.environment))
    check(done.returncode == 1 and os.path.exists(file), "%s%s" % (done.stdout, done.stderr))
    with open(file) as text:
        check_report(json.load(text), done.stdout + done.stderr)
    nothing_left(cluster, done.stdout)


def submit(cluster, slurm, options, *words):
    """A batch job. Returns what sbatch printed."""
    script = cluster.tool.write("job.sh", "#!/bin/sh\nexec '%s' explore -n 4 -j 1 %s "
                                "--launcher '%s' %s\n" % (cluster.real, options, SRUN,
                                                          " ".join((cluster.program, *words))))
    slurm.environment["UCX_NET_DEVICES"] = "eth0"
    return script


def check_sbatch(cluster, slurm):
    """matchpoint on the first node of the allocation, where ranks are as well."""
    place = cluster.tool.directory
    script = submit(cluster, slurm, "--store batch --json batch.json --json-all")
    slurm.ask("sbatch", "--wait", *TWO, "-D", place, "-o", "batch.txt", script)
    with open(os.path.join(place, "batch.txt")) as file:
        text = file.read()
    check(os.path.exists(os.path.join(place, "batch.json")), text)
    with open(os.path.join(place, "batch.json")) as file:
        check_report(json.load(file), text)
    nothing_left(cluster, text)


def check_scancel(cluster, slurm):
    place = cluster.tool.directory
    script = submit(cluster, slurm, "--store cancelled", "long")
    job = slurm.ask("sbatch", "--parsable", *TWO, "-D", place, "-o",
                    "cancelled.txt", script).strip()
    slurm.wait_until(cluster.computing, "no rank of node2 computes")
    slurm.ask("scancel", job)
    slurm.wait_for_job(job)
    with open(os.path.join(place, "cancelled.txt")) as file:
        text = file.read()
    check("interrupted" in text and "is lost" not in text, text)
    nothing_left(cluster, text)


def check_under_slurm(cluster):
    slurm = private_slurm.PrivateSlurm(os.path.join(cluster.tool.directory, "slurm"), mpi="pmi2",
                                       places=cluster.nodes)
    try:
        check_salloc(cluster, slurm)
        check_sbatch(cluster, slurm)
        check_scancel(cluster, slurm)
    finally:
        slurm.end()


def body(tool, _options):
    on_cluster(tool, private_nodes.obstacle() or private_slurm.obstacle(), check_under_slurm)


if __name__ == "__main__":
    harness.main(__doc__, body)
