"""Tests of check_glossary.py with small trees: it accepts a good one and finds each problem.
Standard library only."""

import os
import tempfile
import unittest

import check_glossary

ROOMS = [{"commands"}, {"run", "verdict"}]
SHIM = [{"calls"}, {"gate"}]
RETIRED = [("module", "spare", "held_ranks"), ("jargon", "strays", "off_tree_outcomes")]

ARCHITECTURE = """# Architecture

## Glossary

| term | meaning | in the code |
| --- | --- | --- |
| held rank | one that waits | `held_ranks.h` |
| plan source | who has plans | `run.h` |

## Rooms

| folder | what it is |
| --- | --- |
| scheduler/ | the process |
| shim/, tests/ | in the rank; tests |

### The folders of shim/

| folder | what it holds |
| --- | --- |
| calls/ | calls |
| gate/ | the gate |

### The rooms of scheduler/

| room | what it does |
| --- | --- |
| commands/ | options |
| run/, verdict/ | one execution |

```
commands/  main command*
run/       run
           held_ranks
verdict/   verdict
```

## More

See [the search](docs/internals/search.md#nodes-and-plans), and `scheduler/run/run.h`.
"""

GOOD = {
    "ARCHITECTURE.md": ARCHITECTURE,
    "docs/internals/search.md":
        "# Search\n\n## Nodes and plans\n\n`run_begin` of `tests/test_NAME.c`\n"
        "makes a `struct plan_source`; a spare part may strand.\n",
    "scheduler/commands/main.c": "int main(void);\n",
    "scheduler/commands/command_run.c": "/* strays in a comment */\nint spare_time;\n",
    "scheduler/run/run.h": "struct plan_source;\nvoid run_begin(struct plan_source *source);\n",
    "scheduler/run/held_ranks.h": "/* A held rank. */\n",
    "scheduler/verdict/verdict.c": "static void spare_me(void) {}\n",
    "shim/calls/send.c": "",
    "shim/gate/gate.c": "",
    "tests/test_run.c": 'char *text = "strays";\n',
}


def check(changes):
    """The problems of the good tree with these changes. None: the file is removed."""
    files = {**GOOD, **changes}
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            if text is None:
                continue
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return check_glossary.check(root, ROOMS, SHIM, RETIRED)


def architecture(old, new):
    assert old in ARCHITECTURE
    return {"ARCHITECTURE.md": ARCHITECTURE.replace(old, new)}


def page(text):
    return {"docs/internals/search.md": GOOD["docs/internals/search.md"] + text}


class Glossary(unittest.TestCase):
    def finds(self, changes, *wanted):
        """There must be exactly one problem, with all of `wanted` in it."""
        lines = check(changes)
        self.assertEqual(len(lines), 1, lines)
        for text in wanted:
            self.assertIn(text, lines[0])

    def test_good(self):
        self.assertEqual(check({}), [])

    def test_no_document(self):
        self.finds({"ARCHITECTURE.md": None, "docs/internals/search.md": None}, "it is not there")

    # --- names ---

    def test_path(self):
        self.finds(page("\nIn `scheduler/run/walk.c`.\n"), "search.md:8", "no scheduler/run/walk.c")

    def test_bare_file(self):
        self.finds(page("\nIn walk.c of old.\n"), "no walk.c")

    def test_folder(self):
        self.finds(page("\nSee `scheduler/walks`.\n"), "no scheduler/walks")

    def test_glob(self):
        self.assertEqual(check(page("\n`scheduler/*/held*.h`, `scheduler/run/NAME.h`\n")), [])
        self.finds(page("\n`scheduler/*/walk*.h`\n"), "no scheduler/*/walk*.h")

    def test_elsewhere(self):
        self.assertEqual(check(page("\n`/dev/shm/walk`, `MPI_COMM/x`, `mpi.h`\n")), [])

    def test_fence(self):
        self.assertEqual(check(page("\n```\nwalk.c `no_such_thing`\n```\n")), [])

    def test_identifier(self):
        self.finds(page("\n`run_end(one, other)`\n"), "no source has run_end")
        self.finds(page("\n`struct walk`\n"), "no source has walk")

    def test_links(self):
        self.finds(page("\n[x](walks.md)\n"), "links to walks.md")
        self.finds(page("\n[x](#walks)\n"), "no heading #walks")
        self.assertEqual(check(page("\n[x](../../ARCHITECTURE.md#glossary) [y](https://x.org/y)\n")),
                         [])

    # --- rooms ---

    def test_top_folder(self):
        self.finds({"walks/walk.c": ""}, "walks/ is in the table")
        self.finds({"tests/test_run.c": None, "docs/internals/search.md":
                    "## Nodes and plans\nplan source\n"}, "tests/ is in the table")

    def test_shim_folder(self):
        self.finds({"shim/types/type.c": ""}, "shim/types/ is in the table")
        self.finds({"shim/gate/gate.c": None}, "shim/gate/ is in the table")

    def test_order_of_shim_folders(self):
        rows = ["| calls/ | calls |", "| gate/ | the gate |"]
        self.finds(architecture("\n".join(rows), "\n".join(reversed(rows))),
                   "folders of shim/ are, from above: calls; gate")

    def test_readme_of_shim(self):
        page = ("# shim/\n\n## Folders\n\n| folder | what |\n| --- | --- |\n"
                "| %s/ | x |\n| %s/ | y |\n")
        self.assertEqual(check({"shim/README.md": page % ("calls", "gate")}), [])
        self.finds({"shim/README.md": page % ("gate", "calls")},
                   "shim/README.md:1", "from above: calls; gate")

    def test_module_not_listed(self):
        self.finds({"scheduler/run/walk.c": ""}, "scheduler/run/walk is in no list")

    def test_module_not_there(self):
        self.finds(architecture("main command*", "main command* walk"), "has no walk")
        self.finds({"scheduler/commands/command_run.c": None}, "has no command*")

    def test_order_of_rooms(self):
        self.finds(architecture("| run/, verdict/ | one execution |",
                                "| run/ | one execution |\n| verdict/ | the end |"),
                   "from above: commands; run, verdict")

    # --- the glossary ---

    def test_sorted(self):
        rows = ["| held rank | one that waits | `held_ranks.h` |",
                "| plan source | who has plans | `run.h` |"]
        self.finds(architecture("\n".join(rows), "\n".join(reversed(rows))),
                   "held rank comes before plan source")

    def test_twice(self):
        row = "| plan source | who has plans | `run.h` |"
        self.finds(architecture(row, row + "\n" + row), "plan source twice")

    def test_no_meaning(self):
        self.finds(architecture("| who has plans |", "| |"), "a row of the glossary is")

    def test_unused(self):
        self.finds(architecture("| plan source |", "| plan sauce |"), "speaks of a plan sauce")

    def test_no_glossary(self):
        self.finds(architecture("## Glossary", "## Words"), "there is no glossary")

    # --- retired words ---

    def test_retired_file(self):
        self.finds({"tests/test_spare.c": ""}, "tests/test_spare.c:1", "say held_ranks")
        self.finds({"tests/all_strays_found.py": ""}, "say off_tree_outcomes")

    def test_retired_type(self):
        self.finds({"shim/gate/gate.c": "int x;\nstruct spare_rank;\n"}, "gate.c:2", "held_ranks")
        self.finds({"shim/gate/gate.c": "enum spare { A };\n"}, "held_ranks")

    def test_retired_function(self):
        self.finds({"shim/gate/gate.h": "void spare_keep(void);\n"}, "held_ranks")
        self.assertEqual(check({"shim/gate/gate.c": "static void spare_keep(void) {}\n"}), [])

    def test_retired_part(self):
        self.finds({"shim/gate/gate.c": "int add_strays;\n"}, "off_tree_outcomes")
        self.finds({"shim/gate/gate.c": "#define STRAYS_MOST 3\n"}, "off_tree_outcomes")
        self.assertEqual(check({"shim/gate/gate.c": "int ashtrays, strayship;\n"}), [])

    def test_retired_in_document(self):
        self.finds({"README.md": "Of\nstrays.\n"}, "README.md:2", "off_tree_outcomes")

    def test_data(self):
        for kind, word, instead in check_glossary.retired_words(check_glossary.DATA):
            self.assertIn(kind, ("module", "jargon"))
            self.assertNotEqual(word, instead)

    # --- measures ---

    def test_too_long(self):
        self.finds(page("\n" * 200), "longer than 200 lines")
        self.finds(page("x" * 121 + "\n"), "longer than 120 columns")


if __name__ == "__main__":
    unittest.main()
