"""Checkers of the report formats that other tools read: JUnit XML, SARIF, and graphs.

The rules are written here, from the documents named. The checkers raise harness.Failed. Standard
library only."""

import re
import xml.etree.ElementTree

from harness import check

# --- JUnit: what Jenkins' junit-10.xsd (of its xunit plugin, which refuses what is not in it) and
# GitLab's parser have in common ---
# Element: (attributes that must be there, others that may be, children in any number).
JUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "time", "skipped"}, set(),
                  {"properties", "testcase"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name", "classname", "time"}, set(),
                 {"failure", "skipped", "system-out", "system-err"}),
    "failure": ({"message", "type"}, set(), set()),
    "skipped": ({"message"}, set(), set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}


def check_junit_element(element):
    check(element.tag in JUNIT, "JUnit knows no <%s>" % element.tag)
    needed, possible, children = JUNIT[element.tag]
    names = set(element.attrib)
    check(needed <= names <= needed | possible, "<%s> has %s" % (element.tag, sorted(names)))
    for name in names & {"tests", "failures", "errors", "skipped"}:
        check(element.attrib[name].isdigit(), "%s=%r" % (name, element.attrib[name]))
    if "time" in names:
        check(re.fullmatch(r"\d+\.\d{3}", element.attrib["time"]), element.attrib["time"])
    for child in element:
        check(child.tag in children, "<%s> in <%s>" % (child.tag, element.tag))
        check_junit_element(child)


def check_junit(text):
    """Checks a report and returns its test cases."""
    root = xml.etree.ElementTree.fromstring(text)
    check(root.tag == "testsuites", root.tag)
    check_junit_element(root)
    cases = list(root.iter("testcase"))
    names = [(case.attrib["classname"], case.attrib["name"]) for case in cases]
    check(len(set(names)) == len(names), "test cases of one name: %s" % names)
    for case in cases:
        check(len(case.findall("failure")) + len(case.findall("skipped")) <= 1,
              "GitLab reads one <failure> of a test case")
    for element in root.iter():
        if element.tag.startswith("testsuite"):
            for attribute, tag in (("tests", "testcase"), ("failures", "failure"),
                                   ("skipped", "skipped")):
                if attribute in element.attrib:
                    check(int(element.attrib[attribute]) == len(list(element.iter(tag))),
                          "%s does not count <%s>" % (attribute, tag))
    return cases


# --- SARIF 2.1.0 (OASIS Standard, 27 March 2020) ---
# Object: {property: type}; a "!" marks a required one, and no other property may be there. Types:
# text, uri, int (>= 0), bool, bag (a property bag), texts (an object of texts), [x] an array of x,
# a name of an object, or a set of words. The sections of the standard are given.
LEVEL = {"none", "note", "warning", "error"}
SARIF = {
    "sarifLog": {"$schema": "uri", "version!": {"2.1.0"}, "runs!": ["run"]},  # 3.13
    "run": {"tool!": "tool", "invocations": ["invocation"], "results": ["result"],
            "automationDetails": "runAutomationDetails", "originalUriBaseIds": "bases",
            "columnKind": {"unicodeCodePoints"}},  # 3.14
    "runAutomationDetails": {"id": "text"},  # 3.17
    "tool": {"driver!": "toolComponent"},  # 3.18
    "toolComponent": {"name!": "text", "version": "text", "rules": ["reportingDescriptor"]},  # 3.19
    "invocation": {"commandLine": "text", "workingDirectory": "artifactLocation",
                   "executionSuccessful!": "bool",
                   "toolExecutionNotifications": ["notification"]},  # 3.20
    "notification": {"level": LEVEL, "message!": "message"},  # 3.58
    "artifactLocation": {"uri": "uri", "uriBaseId": "text"},  # 3.4
    "reportingDescriptor": {"id!": "text", "shortDescription": "message",
                            "fullDescription": "message", "help": "markdown",
                            "defaultConfiguration": "reportingConfiguration",
                            "properties": "bag"},  # 3.49
    "reportingConfiguration": {"level": LEVEL},  # 3.50
    "message": {"text!": "text"},  # 3.11
    "markdown": {"text!": "text", "markdown": "text"},  # 3.12
    "result": {"ruleId": "text", "ruleIndex": "int", "level": LEVEL, "message!": "message",
               "locations": ["location"], "relatedLocations": ["location"],
               "codeFlows": ["codeFlow"], "stacks": ["stack"], "partialFingerprints": "texts",
               "occurrenceCount": "int", "properties": "bag"},  # 3.27
    "location": {"id": "int", "physicalLocation": "physicalLocation",
                 "logicalLocations": ["logicalLocation"], "message": "message"},  # 3.28
    "physicalLocation": {"artifactLocation!": "artifactLocation", "region": "region"},  # 3.29
    "region": {"startLine": "int", "startColumn": "int", "endLine": "int", "endColumn": "int",
               "snippet": "message"},  # 3.30
    "logicalLocation": {"fullyQualifiedName": "text", "kind": "text"},  # 3.33
    "stack": {"message": "message", "frames!": ["stackFrame"]},  # 3.44
    "stackFrame": {"location": "location"},  # 3.45
    "codeFlow": {"message": "message", "threadFlows!": ["threadFlow"]},  # 3.36
    "threadFlow": {"id": "text", "message": "message",
                   "locations!": ["threadFlowLocation"]},  # 3.37
    "threadFlowLocation": {"location": "location", "executionOrder": "int",
                           "importance": {"important", "essential", "unimportant"}},  # 3.38
}
URI = re.compile(r"([a-z][a-z0-9+.-]*:)?[A-Za-z0-9._~!$&'()*+,;=:@/%#-]*")


def check_sarif_value(value, kind, where):
    if isinstance(kind, list):
        check(isinstance(value, list), "%s is no array" % where)
        for number, element in enumerate(value):
            check_sarif_value(element, kind[0], "%s[%d]" % (where, number))
    elif isinstance(kind, set):
        check(value in kind, "%s is %r" % (where, value))
    elif kind in SARIF:
        check_sarif_object(value, kind, where)
    elif kind == "text":
        check(isinstance(value, str), "%s is no text" % where)
    elif kind == "uri":
        check(isinstance(value, str) and URI.fullmatch(value), "%s is no URI: %r" % (where, value))
    elif kind == "int":
        check(isinstance(value, int) and value >= 0, "%s is %r" % (where, value))
    elif kind == "bool":
        check(isinstance(value, bool), "%s is %r" % (where, value))
    else:
        check(isinstance(value, dict), "%s is no object" % where)
        for name, element in value.items():
            if kind == "texts":
                check_sarif_value(element, "text", where + "." + name)
            elif kind == "bases":
                check_sarif_object(element, "artifactLocation", where + "." + name)
                check(element["uri"].endswith("/"), "a base must end with /")


def check_sarif_object(value, kind, where):
    check(isinstance(value, dict), "%s is no object" % where)
    properties = {name.rstrip("!"): element for name, element in SARIF[kind].items()}
    for name in SARIF[kind]:
        check(not name.endswith("!") or name[:-1] in value, "%s has no %s" % (where, name[:-1]))
    for name, element in value.items():
        check(name in properties, "%s has %s" % (where, name))
        check_sarif_value(element, properties[name], where + "." + name)


def check_sarif(log):
    """Checks a report and returns its only run."""
    check_sarif_object(log, "sarifLog", "log")
    check(len(log["runs"]) == 1, "one run")
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    check(len(set(rules)) == len(rules), "a rule twice: %s" % rules)
    for result in run["results"]:
        check(rules[result["ruleIndex"]] == result["ruleId"], "ruleIndex names another rule")
        check(result["occurrenceCount"] > 0 and result["message"]["text"], "an empty result")
        related = [location["id"] for location in result["relatedLocations"]]
        check(len(set(related)) == len(related), "related locations share an id")
        for flow in result.get("codeFlows", []):
            check(flow["threadFlows"], "a code flow has at least one thread flow")
            names = [thread["id"] for thread in flow["threadFlows"]]
            check(len(set(names)) == len(names), "thread flows share an id: %s" % names)
            check(all(thread["locations"] for thread in flow["threadFlows"]),
                  "a thread flow has at least one location")
    return run


# --- GitHub: workflow commands, unescaped as the runner does ---
def github_commands(text):
    """[(command, properties, message)]; every line must be one."""
    commands = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        check(match, "no workflow command: %r" % line)
        properties = dict(part.split("=", 1) for part in match.group(2).split(","))
        for name, value in properties.items():
            properties[name] = unescape(value, "%3A:", "%2C,")
        commands.append((match.group(1), properties, unescape(match.group(3))))
    return commands


def unescape(text, *more):
    for pair in ("%0D\r", "%0A\n", *more, "%25%"):
        text = text.replace(pair[:3], pair[3:])
    return text


# --- Mermaid and DOT: the statements used, line by line ---
MERMAID = re.compile(
    r"sequenceDiagram|    participant r\d+ as rank \d+|    loop \d+ times|    end"
    r"|    (Note over r\d+(,r\d+)?|r\d+(->>|--\)|-x)r\d+):( ([^#;<>{}%\x00-\x1f]|#\d+;)*)?")
QUOTED = r'"([^"\\]|\\.)*"'
VERTEX = r"(r\d+|r\d+c\d+|m\d+)"
ATTRIBUTES = r"\[\w+=(%s|\w+)(, \w+=(%s|\w+))*\]" % (QUOTED, QUOTED)
DOT = re.compile(
    r"digraph interleaving \{|\}|  label=%s;|  labelloc=t;|  (node|edge) %s;"
    r"|  \{ rank=same;( %s %s;)* \}|  %s( -> %s)? %s;"
    r"|  subgraph cluster_\d+ \{|  label=\"\d+ times\";|  style=dashed;|  \}"
    % (QUOTED, ATTRIBUTES, VERTEX, ATTRIBUTES, VERTEX, VERTEX, ATTRIBUTES))


def check_lines(text, statement):
    """Checks that every line is a statement."""
    for line in text.split("\n")[:-1]:
        check(statement.fullmatch(line), "no statement: %r" % line[:300])


def check_mermaid(text):
    check_lines(text, MERMAID)
    check(text.count("\n    loop ") == text.count("\n    end\n"), "a loop without its end")
    check(len(text) < 50000, "Mermaid draws no more than 50,000 characters")


def check_dot(text):
    check_lines(text, DOT)
    check(text.count("\n  subgraph ") == text.count("\n  }\n"), "a box without its end")
    vertices = set(re.findall(r"^  %s \[" % VERTEX, text, flags=re.M))
    vertices |= set(re.findall(r"(r\d+) \[label=\"rank", text))
    for edge in re.finditer(r"^  %s -> %s \[" % (VERTEX, VERTEX), text, flags=re.M):
        check(set(edge.groups()) <= vertices, "an edge of no vertex: %s" % edge.group(0))


def check_perfetto(trace):
    """Slices of a track follow one another; both ends of an arrow lie in a slice."""
    events = trace["traceEvents"]
    slices, ends = {}, {}
    for event in events:
        if event["ph"] == "X":
            slices.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "sf":
            ends.setdefault(event["id"], {})[event["ph"]] = event
    tracks = {event["tid"] for event in events if event["name"] == "thread_name"}
    check(slices and set(slices) <= tracks, "tracks without a name: %s of %s" % (slices, tracks))
    for event in events:
        arguments = event.get("args", {})
        if event["name"] == "MPI_Recv" and arguments["returns"]:
            check(arguments["peer"] >= 0 and arguments["tag"] >= 0, event)
    for track in slices.values():
        track.sort()
        check(all(left[1] <= right[0] for left, right in zip(track, track[1:])), track)
    for number, arrow in ends.items():
        check(set(arrow) == {"s", "f"}, "message %s has one end" % number)
        check(arrow["s"]["ts"] < arrow["f"]["ts"], arrow)
        for end in arrow.values():
            check(any(first <= end["ts"] < last for first, last in slices[end["tid"]]), end)
