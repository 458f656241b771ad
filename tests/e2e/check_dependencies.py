"""Configuring the build: all libraries that are missing are named at once, with the packages of
Debian. Without cmocka there are no tests, which is said, unless they are asked for."""

import glob
import os
import shutil
import subprocess

import harness
from harness import check

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def known_libraries():
    """The files that describe libraries to pkg-config."""
    folders = subprocess.run(["pkg-config", "--variable", "pc_path", "pkg-config"],
                             capture_output=True, text=True, check=True).stdout.strip()
    return [file for folder in folders.split(":") for file in glob.glob(folder + "/*.pc")]


def configure(tool, without, *options):
    """The exit status of cmake, and what it prints, as on a machine without these libraries."""
    libraries = os.path.join(tool.directory, "pkgconfig")
    build = os.path.join(tool.directory, "configured")
    os.mkdir(libraries)
    for file in known_libraries():
        if os.path.basename(file)[:-3] not in without:
            shutil.copy(file, libraries)
    done = subprocess.run(["cmake", "-B", build, *options, ROOT], capture_output=True, text=True,
                          check=False, env=dict(os.environ, PKG_CONFIG_LIBDIR=libraries))
    shutil.rmtree(libraries)
    shutil.rmtree(build)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def body(tool, _options):
    status, printed = configure(tool, ("libuv", "libdw", "libwebsockets"))
    check(status != 0 and "libuv>=1.40 (Debian: libuv1-dev)" in printed
          and "libdw (Debian: libdw-dev)" in printed
          and "On Debian: apt-get install libuv1-dev libdw-dev" in printed, printed)
    status, printed = configure(tool, ("cmocka", "libwebsockets"))
    check(status == 0 and "without tests: cmocka is missing (Debian: libcmocka-dev)" in printed
          and "without the live page (debug --web): libwebsockets>=4.1 is missing" in printed,
          printed)
    status, printed = configure(tool, ("cmocka",), "-DBUILD_TESTING=ON")
    check(status != 0 and "The tests need cmocka. On Debian: apt-get install libcmocka-dev"
          in printed, printed)
    status, printed = configure(tool, ())
    check(status == 0 and "without" not in printed.replace("without traces", ""), printed)


if __name__ == "__main__":
    harness.main(__doc__, body)
