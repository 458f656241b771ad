"""check_style.py on small trees of its own: the arrows between the folders of shim/. Standard
library only."""

import os
import tempfile
import unittest

import check_style


def check(files):
    """What is wrong with the includes and the place of these files, by name."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        problems = check_style.Problems(root)
        for folder, path in check_style.sources(root, ["shim"], (".c", ".h")):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            check_style.check_includes(problems, root, folder, path, text)
            if path.endswith(".c"):
                check_style.check_shim_declarations(problems, path, text)
        check_style.check_shim_top(problems, root)
        return problems.lines


class Shim(unittest.TestCase):
    def finds(self, files, *wanted):
        """Just one problem, which says all that is wanted."""
        lines = check(files)
        self.assertEqual(len(lines), 1, lines)
        for text in wanted:
            self.assertIn(text, lines[0])

    def test_down_and_beside(self):
        self.assertEqual(check({
            "shim/README.md": "# shim/\n",
            "shim/gate/gate.h": "",
            "shim/gate/channel.h": "",
            "shim/gate/gate.c": '#include "gate.h"\n#include "channel.h"\n',
            "shim/calls/wait.c": '#include "shim/gate/gate.h"\n',
        }), [])

    def test_up(self):
        self.finds({"shim/calls/wait.h": "",
                    "shim/gate/gate.c": '\n#include "shim/calls/wait.h"\n'},
                   "gate.c:2", "shim/calls/wait.h", "no folder below")

    def test_up_by_another_way(self):
        self.finds({"shim/calls/wait.h": "",
                    "shim/gate/gate.c": '#include "../calls/wait.h"\n'}, "no folder below")

    def test_folder_that_is_not_in_the_order(self):
        self.finds({"shim/walks/walk.h": "",
                    "shim/calls/wait.c": '#include "shim/walks/walk.h"\n'}, "no folder below")

    def test_declaration(self):
        self.finds({"shim/gate/gate.c": "extern int wait(void);\n"}, "gate.c:1", "include")
        self.assertEqual(check({"shim/gate/gate.c": "extern void __libc_free(void *block);\n"}), [])

    def test_top(self):
        self.finds({"shim/MPI_CALLS.md": ""}, "shim/MPI_CALLS.md:1", "folder of shim/")

    def test_order(self):
        """Each folder stands in it once."""
        self.assertEqual(len(set(check_style.SHIM)), len(check_style.SHIM))
        self.assertNotIn(check_style.SHIM_SCRIPTS, check_style.SHIM)


if __name__ == "__main__":
    unittest.main()
