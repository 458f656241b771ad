"""Checks the conventions of this code base that a program can check. Standard library only.

python3 check_style.py [--report] [ROOT]

Prints file:line: what is wrong, and how it should be. Exits with 1 if there was a problem.
--report prints sizes and fan-in for each room instead, for judgement."""

import argparse
import os
import sys

from environment import check_environment
from formatting import check_format
from headers import check_error_domains, check_headers
from includes import check_declarations, check_includes, check_shim_top
from lines import check_banned, check_lines, check_truth
from sizes import check_openness, check_sizes, report
from source_tree import Tree

CHECKS = (check_lines, check_truth, check_banned, check_includes, check_declarations,
          check_shim_top, check_headers, check_error_domains, check_sizes, check_openness,
          check_environment, check_format)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--report", action="store_true", help="print sizes and fan-in")
    parser.add_argument("root", nargs="?", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../.."))
    options = parser.parse_args()
    tree = Tree(options.root)
    if options.report:
        report(tree)
        return
    for check in CHECKS:
        check(tree)
    for line in tree.problems:
        print(line)
    print("%d files, %d problems" % (len(tree.files), len(tree.problems)))
    sys.exit(1 if tree.problems else 0)


if __name__ == "__main__":
    main()
