#!/usr/bin/env python3
"""Checks that a shim exports each MPI function of its mpi.h, and needs only the C library.

usage: check_shim.py SHIM MPI_I CALL_TABLE

MPI_I is the preprocessed mpi.h that the shim was built with.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "shim", "generate"))
import mpi_table  # noqa: E402  (found only after the line above)


def exported(shim):
    listed = subprocess.run(["nm", "-D", "--defined-only", shim], check=True,
                            capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def needed(shim):
    listed = subprocess.run(["readelf", "-d", "-W", shim], check=True, capture_output=True,
                            text=True).stdout
    return {line.split("[")[1].rstrip("]") for line in listed.splitlines() if "NEEDED" in line}


def main():
    shim, header, table = sys.argv[1:]
    calls = mpi_table.installed(mpi_table.read_table(table), header)
    names = {f"{prefix}_{call.name}" for call in calls if call.treatment != "harmless"
             for prefix in ("MPI", "PMPI")}
    missing = sorted(names - exported(shim))
    if "MPI_Send" not in names or missing:
        sys.exit(f"{len(names)} functions; not exported: {' '.join(missing)}")
    own = ("libc.", "libgcc_s.", "ld-linux")
    others = sorted(name for name in needed(shim) if not name.startswith(own))
    if others:
        sys.exit(f"the shim needs {' '.join(others)}")


if __name__ == "__main__":
    main()
