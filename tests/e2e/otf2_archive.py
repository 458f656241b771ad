"""Reads an OTF2 archive with otf2-print and checks that a viewer can interpret it; raises
harness.Failed. Standard library only."""

import collections
import re
import subprocess

from harness import check

SENDS = {"MPI_SEND", "MPI_ISEND"}
RECEIVES = {"MPI_RECV", "MPI_IRECV"}
# name: (starts or ends a request)
REQUESTS = {"MPI_ISEND": "begin", "MPI_ISEND_COMPLETE": "end", "MPI_IRECV_REQUEST": "begin",
            "MPI_IRECV": "end", "MPI_REQUEST_CANCELLED": "end",
            "NON_BLOCKING_COLLECTIVE_REQUEST": "begin", "NON_BLOCKING_COLLECTIVE_COMPLETE": "end"}

Event = collections.namedtuple("Event", "name location time text attributes")


class Archive:
    """events in order of time; definitions: kind to {id: text}; properties."""

    def __init__(self, anchor):
        text = otf2_print(anchor, "-A", "-I")
        self.events = []
        self.definitions = collections.defaultdict(dict)
        self.properties = {}
        name = None
        for line in text.splitlines():
            event = re.match(r"([A-Z_]+) +(\d+) +(\d+)(?:  (\S.*))? *$", line)
            definition = re.match(r"([A-Z_]+) +(\d+)  (\S.*)$", line)
            more = re.match(r" +ADDITIONAL ATTRIBUTES: (.*)$", line)
            if line.startswith("Property name"):
                name = line.split(None, 2)[2]
            elif line.startswith("Property value"):
                self.properties[name] = line.split(None, 2)[2]
            elif event:
                self.events.append(Event(event.group(1), int(event.group(2)), int(event.group(3)),
                                         event.group(4) or "", {}))
            elif more:
                for found in re.finditer(r'\("(\w+)" <\d+>; \w+; (.*?)\)(?=, \(|$)', more.group(1)):
                    self.events[-1].attributes[found.group(1)] = found.group(2)
            elif definition:
                self.definitions[definition.group(1)][int(definition.group(2))] = \
                    definition.group(3)

    def of(self, location):
        return [event for event in self.events if event.location == location]

    def rank_of(self, location):
        """The rank whose thread it is."""
        return int(re.search(r'Group: "rank \d+" <(\d+)>',
                             self.definitions["LOCATION"][location]).group(1))

    def of_rank(self, rank):
        return [event for event in self.events if self.rank_of(event.location) == rank]

    def count(self, *names):
        return sum(event.name in names for event in self.events)


def otf2_print(anchor, *options):
    done = subprocess.run(["otf2-print", "-Werror", *options, anchor], capture_output=True,
                          text=True, check=False)
    check(done.returncode == 0 and not done.stderr, "otf2-print %s: %s%s" % (
        " ".join(options), done.stdout[-2000:], done.stderr))
    return done.stdout


def region(event):
    return re.search(r'Region: "([^"]*)"', event.text).group(1)


def number(event, key):
    return int(re.search(r"\b%s: (\d+)" % key, event.text).group(1))


def location(event, key):
    """The location in `Sender: 0 ("main thread" <2>)`."""
    found = re.search(r'\b%s: \d+ \("[^"]*" <(\d+)>' % key, event.text)
    check(found, "no location: %s" % (event,))
    return int(found.group(1))


def communicator(event):
    return re.search(r'Communicator: ("[^"]*" <\d+>)', event.text).group(1)


def check_locations(archive, ranks):
    """Regions are nested and all left; time increases; every rank is a process whose main thread
    has its number."""
    overlapping = "MATCHPOINT::OVERLAPPING_CALLS" in archive.properties
    locations = archive.definitions["LOCATION"]
    check(sorted(archive.definitions["LOCATION_GROUP"]) == list(range(ranks)),
          archive.definitions["LOCATION_GROUP"])
    check(sorted(locations) == list(range(len(locations))), locations)
    for number, text in locations.items():
        is_main = number < ranks
        check(text.startswith('Name: "main thread"' if is_main else 'Name: "thread '), text)
        check(not is_main or archive.rank_of(number) == number, text)
    for number in locations:
        events = archive.of(number)
        check("# Events: %d," % len(events) in locations[number],
              "%d events: %s" % (len(events), locations[number]))
        check([event.name.startswith("PROGRAM") for event in (events[0], events[-1])]
              == [number < ranks] * 2, events)
        inside = []
        for before, event in zip([events[0], *events], events):
            check(before.time <= event.time, "%s after %s" % (event, before))
            if event.name == "ENTER":
                check(not inside, "%s within %s" % (event, inside))
                inside.append(region(event))
            elif event.name == "LEAVE":
                check(inside and inside.pop() == region(event), "%s: inside %s" % (event, inside))
            elif not event.name.startswith("PROGRAM"):
                check(inside or overlapping, "outside of any call: %s" % (event,))
        check(not inside, "location %d never leaves %s" % (number, inside))
    for rank in range(ranks):
        requests = {}
        for event in archive.of_rank(rank):
            check_request(event, requests)


def check_request(event, requests):
    """`requests` of its rank: number to whether it is complete."""
    if event.name not in REQUESTS:
        return
    request = number(event, "Request")
    if REQUESTS[event.name] == "begin":
        check(request not in requests, "used twice: %s" % (event,))
        requests[request] = False
    else:
        check(requests.get(request) is False, "not begun, or twice: %s" % (event,))
        requests[request] = True


def check_messages(archive):
    """Each receive takes the first message on its way, which was sent earlier and has its
    length."""
    sent = collections.defaultdict(list)
    for event in archive.events:
        tag = re.search(r"Tag: (\d+), Length: (\d+)", event.text)
        if event.name in SENDS:
            key = (archive.rank_of(event.location), location(event, "Receiver"),
                   communicator(event), tag.group(1))
            sent[key].append((event.time, tag.group(2)))
        elif event.name in RECEIVES:
            key = (location(event, "Sender"), archive.rank_of(event.location),
                   communicator(event), tag.group(1))
            check(sent[key], "received, but not sent before: %s" % (event,))
            time, length = sent[key].pop(0)
            check(time < event.time, "%s: sent at %d" % (event, time))
            check(length == tag.group(2), "%s: %s bytes sent" % (event, length))
    return sum(map(len, sent.values()))


def check_collectives(archive):
    """The members of a communicator end the same collectives, in the same order."""
    calls = collections.defaultdict(list)
    for event in archive.events:
        if event.name in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
            what = re.search(r"Operation: (\w+).*Root: (.+?), Sent", event.text)
            check(what, "what collective: %s" % (event,))
            calls[communicator(event), archive.rank_of(event.location)].append(what.groups())
    return calls


def read_archive(anchor, ranks):
    """An Archive that passed all checks."""
    otf2_print(anchor, "--silent")
    archive = Archive(anchor)
    check_locations(archive, ranks)
    archive.lost = check_messages(archive)
    archive.collectives = check_collectives(archive)
    return archive
