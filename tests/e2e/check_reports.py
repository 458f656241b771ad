"""All report formats of one exploration, each read as its users read it; and again for a store
with difficult texts everywhere."""

import json
import os
import re
import shutil
import sqlite3

import harness
from harness import check
from report_formats import (check_dot, check_junit, check_mermaid, check_perfetto, check_sarif,
                            github_commands)

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")
FORMATS = ["json", "junit", "sarif", "github", "markdown", "mermaid", "dot", "perfetto"]
AWKWARD = "\"'<&>]]> \x01\x1b[31m\x07 \ufffe\uffff %0A::error::,: | ``` </pre>\\ #;\n\r\ttwo\u20ac"


def all_formats(tool, name, *arguments, formats=FORMATS, environment=None):
    """Runs matchpoint with every format at once; the run and the texts."""
    files = {f: os.path.join(tool.directory, "%s.%s" % (name, f)) for f in formats}
    options = [word for f in formats for word in ("--" + f, files[f])]
    run = tool.run(arguments[0], *options, *arguments[1:], environment=environment)
    texts = {}
    for f, file in files.items():
        check(os.path.exists(file), "no %s was written\n%s" % (f, run))
        with open(file, encoding="utf-8", newline="") as stream:
            texts[f] = stream.read()
    return run, texts


def read_all(texts):
    """Each format parsed: (json, test cases, SARIF run, workflow commands)."""
    check_mermaid(texts["mermaid"])
    check_dot(texts["dot"])
    check_perfetto(json.loads(texts["perfetto"]))
    return (json.loads(texts["json"]), check_junit(texts["junit"].encode()),
            check_sarif(json.loads(texts["sarif"])), github_commands(texts["github"]))


def check_deadlock(tool, program, store):
    run, texts = all_formats(tool, "deadlock", "explore", "-n", "3", "--store", store,
                             "--source-root", EXAMPLES, program)
    check(run.status == 1, run)
    report, cases, sarif, commands = read_all(texts)
    finding = report["findings"][0]
    text = run.out[run.out.index("  rank 0 "):]  # the finding told, without its title
    check([case.attrib["name"].rsplit(", ")[1] for case in cases]
          == ["zero buffering", "infinite buffering"], texts["junit"])
    for case in cases:
        failure = case.find("failure")
        check(failure.attrib["type"] == "deadlock" and text in failure.text, texts["junit"])
    result, = sarif["results"]
    line = finding["blame"]["line"]
    where = result["locations"][0]["physicalLocation"]
    check(where["artifactLocation"]
          == {"uri": "wildcard_deadlock.c", "uriBaseId": "%SRCROOT%"}, where)
    check(where["region"]["startLine"] == line and where["region"]["startColumn"] == 3
          and where["region"]["snippet"]["text"].startswith("MPI_Recv(&value, 1, "), where)
    check(result["ruleId"] == "deadlock" and text in result["message"]["text"], texts["sarif"])
    threads = result["codeFlows"][0]["threadFlows"]
    check([thread["id"] for thread in threads] == ["rank 0", "rank 1", "rank 2"], threads)
    essential = [step for thread in threads for step in thread["locations"]
                 if step["importance"] == "essential"]
    check(len(essential) == 1 and essential[0]["location"]["physicalLocation"] == where, essential)
    check(result["properties"]["again"] in text, result["properties"])
    check(len(commands) == 1, texts["github"])
    command, properties, message = commands[0]
    check(command == "error" and properties == {
        "file": "wildcard_deadlock.c", "line": str(line), "title": "matchpoint: deadlock #1"},
        properties)
    check(message.strip() == text.strip(), message)
    check(text in texts["markdown"] and "- 1 deadlock in " in texts["markdown"], texts["markdown"])
    check("    r1->>r0: tag 7, MPI_Send wildcard_deadlock.c" in texts["mermaid"], texts["mermaid"])
    check("    r2-xr0: tag 7, MPI_Send wildcard_deadlock.c" in texts["mermaid"], texts["mermaid"])
    check("  r1c2 -> r0c2 [color=blue, label=\"tag 7\"];" in texts["dot"], texts["dot"])
    check("  r2c2 -> r0c2 [color=red, style=dotted" in texts["dot"], texts["dot"])
    return result["partialFingerprints"]


def check_fingerprint(tool, before, store):
    """The same program with lines inserted above: the same finding for those who count them."""
    moved = os.path.join(tool.directory, "wildcard_deadlock.c")
    with open(os.path.join(EXAMPLES, "wildcard_deadlock.c")) as file:
        text = file.read()
    with open(moved, "w") as file:
        file.write("/* moved */\n\n\n" + text)
    program = tool.compile(moved)
    _, texts = all_formats(tool, "moved", "explore", "-n", "3", "--store", store, program)
    after = check_sarif(json.loads(texts["sarif"]))["results"][0]
    check(after["partialFingerprints"] == before, "the fingerprint changed with the lines")


def check_github(tool, program, store):
    summary = os.path.join(tool.directory, "summary")
    with open(summary, "w") as file:
        file.write("before\n")
    step = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary,
            "GITHUB_WORKSPACE": os.path.normpath(EXAMPLES)}
    run = tool.run("explore", "-n", "3", "--store", store, program, environment=step)
    lines = [line for line in run.err.splitlines() if line.startswith("::")]
    command, properties, _ = github_commands("\n".join(lines))[0]
    check(command == "error" and properties["file"] == "wildcard_deadlock.c", run)
    with open(summary) as file:
        text = file.read()
    check(text.startswith("before\n### matchpoint: findings\n"), text)
    run = tool.run("explore", "-n", "3", "--store", store, program,
                   environment={"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": summary})
    check("::error" not in run.err + run.out, run)
    with open(summary) as file:
        check(file.read() == text, "a summary was written outside of GitHub Actions")


def check_cut_short(tool, program, store):
    run, texts = all_formats(tool, "short", "explore", "-n", "4", "--max-interleavings", "1",
                             "--store", store, program)
    check(run.status == 3, run)
    _, cases, sarif, commands = read_all(texts)
    check(all(case.find("skipped") is not None for case in cases), texts["junit"])
    check(sarif["results"] == [], texts["sarif"])
    check(sarif["invocations"][0]["toolExecutionNotifications"][0]["level"] == "warning",
          texts["sarif"])
    check(commands[0][0] == "warning", texts["github"])


def check_standard_output(tool, store):
    run = tool.run("report", store, "--sarif", "-")
    check(run.status == 0, run)
    check_sarif(json.loads(run.out))
    run = tool.run("report", store, "--mermaid", "-", "--execution", "3")
    check(run.status == 0 and "the calls of interleaving 3 were not kept" in run.out, run)
    check_mermaid(run.out)
    run = tool.run("report", store, "--dot", "-", "--execution", "99")
    check(run.status == 4 and "there is no interleaving 99; there are 4" in run.err, run)
    run = tool.run("report", store, "--execution", "-1")
    check(run.status == 2 and "--execution" in run.err, run)


def check_outcomes(tool, store):
    """Of two outcomes both are drawn, though that they differ is known in the end alone."""
    program = tool.compile(os.path.join(EXAMPLES, "sum_by_arrival.c"))
    options = ["--store", store, "--json", "-", program]
    run = tool.run("explore", "-n", "4", "--max-interleavings", "8", "--order", "depth",
                   *options)
    first = json.loads(run.out)["findings"][0]["path"]
    for more in ([], ["--resume"]):  # what the first session has kept is there already
        run, texts = all_formats(tool, "outcomes", "explore", "-n", "4", "--html", "page.html",
                                 *more, "--store", store, program)
        check(run.status == 1, run)
        check("    r1->>r0: tag 0, MPI_Send sum_by_arrival.c:27" in texts["mermaid"],
              texts["mermaid"])
        result = json.loads(texts["sarif"])["runs"][0]["results"][0]
        check(len(result["codeFlows"][0]["threadFlows"]) == 4, texts["sarif"])
        with open(os.path.join(tool.directory, "page.html"), encoding="utf-8") as file:
            check('class="graph" data-graph="2" data-other="0"' in file.read(),
                  "no graph beside that of another outcome")
        check(json.loads(texts["json"])["findings"][0]["path"].endswith(first.split(":")[-1]),
              texts["json"])
    run = tool.run("replay", "1", "--store", store)
    check(run.status == 0 and "this path leads to outcome 2; the path to outcome 1 is mp1:n4:zero"
          in run.err, run)


def check_answers(tool, store):
    """What MPI_Waitany could report was begun by its own rank, and no message goes to it."""
    program = tool.compile(os.path.join(EXAMPLES, "first_answer.c"))
    run, texts = all_formats(tool, "answers", "explore", "-n", "3", "--html", "page.html",
                             "--store", store, program)
    check(run.status == 1 and "could be taken" not in texts["dot"], texts["dot"])
    with open(os.path.join(tool.directory, "page.html"), encoding="utf-8") as file:
        page = json.loads(re.search(r'(?m)^.*(\{"strings":.*\})', file.read()).group(1))
    answers = [(choice[0], option[0]) for graph in page["graphs"] for choice in graph["choices"]
               for option in choice[3:] if "request of call" in option[2]]
    check(answers and all(own == rank for own, rank in answers), answers)


def spoil(store, spoilt, value):
    """A copy of the store with all texts awkward, but for those that numbers stand in."""
    os.mkdir(spoilt)
    file = os.path.join(spoilt, "matchpoint.db")
    shutil.copy(os.path.join(store, "matchpoint.db"), file)
    database = sqlite3.connect(file)
    for table, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"
                                   ).fetchall():
        for column in database.execute("PRAGMA table_info(%s)" % table).fetchall():
            if column[2] in ("TEXT", "BLOB") and column[1] not in ("waits_for", "directory"):
                database.execute("UPDATE %s SET %s = ? WHERE %s IS NOT NULL"
                                 % (table, column[1], column[1]), (value,))
    database.execute("UPDATE exploration SET seconds = 9e999, incomplete_reason = NULL,"
                     " command = 'explore', complete = 0")
    database.commit()
    database.close()


def check_awkward(tool, store):
    for number, value in enumerate((AWKWARD, AWKWARD.encode() + b"\xff\xc3", "", "x" * 100000,
                                    None)):
        spoilt = "%s-spoilt%d" % (store, number)
        if value is None:
            spoil(store, spoilt, "")
            with sqlite3.connect(os.path.join(spoilt, "matchpoint.db")) as database:
                database.execute("UPDATE place SET file = NULL, function = NULL")
        else:
            spoil(store, spoilt, value)
        run, texts = all_formats(tool, "spoilt%d" % number, "report", spoilt)
        check(run.status == 0, run)
        read_all(texts)


def check_rules(tool, store):
    """A rule explains its kind."""
    spoilt = store + "-kinds"
    os.mkdir(spoilt)
    file = shutil.copy(os.path.join(store, "matchpoint.db"), spoilt)
    kinds = {kind["name"]: kind for kind in json.loads(tool.run("--describe").out)["findings"]}
    found = list(kinds)
    check("deadlock" in found and len(found) > 8, found)
    with sqlite3.connect(file) as database:
        for number, kind in enumerate(["no-such-kind", *found], 2):
            database.execute("INSERT INTO finding SELECT ?, ?, count, bufferings, path, message,"
                             " replayed, reproduced, struck FROM finding WHERE id = 1",
                             (number, kind))
        database.commit()
    run = tool.run("report", spoilt, "--sarif", "-")
    check(run.status == 0, run)
    rules = check_sarif(json.loads(run.out))["tool"]["driver"]["rules"]
    helps = {rule["id"]: rule["help"]["text"] for rule in rules}
    for kind in found:
        check(helps[kind] == kinds[kind]["help"] != helps["unknown"],
              "%s is explained by: %s" % (kind, helps[kind]))


def check_two_parts(tool, store):
    """A header and a body of two ranks are named in one sentence, and what the rank that failed has
    printed last is shown."""
    source = harness.program("two_parts.c")
    with open(source) as file:
        header = 1 + next(number for number, line in enumerate(file) if "/* header */" in line)
    run = tool.run("explore", "-n", "3", "--store", store, tool.compile(source))
    told = ("rank 0 receives from rank 1 at two_parts.c:%d, then from rank 2 at two_parts.c:%d: "
            % (header, header + 1))
    check(run.out.count(told) == 1, run)
    check(run.out.count("  rank 0's last line of output: rank 0 is ready\n") == 1, run)


def body(tool, _options):
    store = os.path.join(tool.directory, "store")
    program = tool.compile(os.path.join(EXAMPLES, "wildcard_deadlock.c"))
    fingerprint = check_deadlock(tool, program, store)
    check_standard_output(tool, store)
    check_awkward(tool, store)
    check_rules(tool, store)
    check_github(tool, program, store)
    check_fingerprint(tool, fingerprint, store + "-moved")
    senders = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    check_cut_short(tool, senders, store + "-short")
    check_outcomes(tool, store + "-outcomes")
    check_answers(tool, store + "-answers")
    check_two_parts(tool, store + "-parts")


if __name__ == "__main__":
    harness.main(__doc__, body)
