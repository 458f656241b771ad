"""What it costs that ranks are on several nodes, which are namespaces here."""

import os

RANKS = 4


def cluster(bench):
    private_nodes = bench.borrow("private_nodes", "nodes")
    if not private_nodes:
        return
    there = private_nodes.PrivateNodes(os.path.join(bench.directory, "nodes"))
    launcher = "%s -launcher ssh -launcher-exec %s -hosts node1:2,node2:2 -n %d" % (
        bench.mpiexec, there.shell, RANKS)
    real = bench.matchpoint
    os.environ["UCX_NET_DEVICES"] = "eth0"

    def seconds(*options):
        """Of one interleaving, on the head."""
        bench.matchpoint = there.write("on-head", "#!/bin/sh\nexec %s \"$@\"\n" % " ".join(
            there.command("head", real, place='"$PWD"')))
        try:
            taken, report = bench.explore(RANKS, bench.workload, "senders",
                                          options=("-j", "1", "--backtrack", "rerun", *options))
        finally:
            bench.matchpoint = real
        return taken / report["interleavings"]

    try:
        pairs = [(seconds(), seconds("--launcher", launcher)) for _ in range(bench.repeat)]
    finally:
        there.end()
        del os.environ["UCX_NET_DEVICES"]
    ratio = sorted(two / one for one, two in pairs)[len(pairs) // 2]
    bench.row("rerun on 2 nodes / rerun on one, %d ranks" % RANKS, "<= 2", "%.2f (%.0f ms)" % (
        ratio, 1000 * min(two for _, two in pairs)), ratio <= 2)
