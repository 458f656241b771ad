"""Checks the format by clang-format, in the version used for this code; other versions format
differently."""

import os
import re
import shutil
import subprocess


def clang_format():
    """The program's path. None: it is not installed."""
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not program:
        return None
    version = subprocess.run([program, "--version"], capture_output=True, text=True,
                             check=True).stdout
    return program if " version 14." in version else None


def check_format(tree):
    program = clang_format()
    paths = [file.path for file in tree.files if file.is_c]
    if not program or not paths:
        return
    output = subprocess.run([program, "--dry-run", *paths], capture_output=True, text=True,
                            check=True).stderr
    for path, line in sorted(set(re.findall(r"^(\S+?):(\d+):\d+: warning", output, flags=re.M))):
        tree.problem(os.path.relpath(path, tree.root), int(line),
                     "not as clang-format has it: clang-format -i")
