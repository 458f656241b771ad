"""Tests of the table of MPI calls (shim/generate/mpi_calls.txt): an error in a row names its line,
and the head of the table explains each property that the reader knows. Standard library only."""
import os
import re
import sys
import tempfile
import unittest

SHIM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shim",
                    "generate")
sys.path.insert(0, SHIM)

import call_objects  # noqa: E402
import call_table  # noqa: E402
import mpi_table  # noqa: E402

TABLE = os.path.join(SHIM, "mpi_calls.txt")

SEND = """[Messages]
controlled counts - int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest)
    send=standard
"""
BCAST = """[Collectives]
controlled counts root_first int MPI_Bcast(void *buffer, int count, int root, MPI_Comm comm)
    collective=bcast
controlled counts root_first int MPI_Ibcast(int root, MPI_Comm comm, MPI_Request *request)
    collective=bcast
"""
WAIT = """[Requests]
controlled counts - int MPI_Wait(MPI_Request *request, MPI_Status *status)
    completes=one makes=nothing
"""
PUT = """[Windows]
passed - - int MPI_Put(const void *origin_addr, int origin_count, int target_rank, MPI_Win win)
    access=put waits
"""
FLUSH = """[Windows]
passed - - int MPI_Win_flush(int rank, MPI_Win win)
    sync=flush waits
"""
LOCK = """[Windows]
controlled counts - int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
    lock=takes waits_for_target
"""
FREE = """[Objects]
harmless - - int MPI_Group_free(MPI_Group *group)
    frees
"""
SIZE = """[Files]
bracketed counts all int MPI_File_set_size(MPI_File fh, MPI_Offset size)
    agree=size
"""
INIT = """[Environment]
controlled counts - int MPI_Init(int *argc, char ***argv)
    begins_mpi any_time always
"""


def parse(text):
    return mpi_table.parse(text.splitlines(keepends=True))


class Rows(unittest.TestCase):
    def problems(self, text):
        return parse(text)[1]

    def one_problem(self, text, line, words):
        found = self.problems(text)
        self.assertEqual([number for number, _ in found], [line], found)
        self.assertIn(words, found[0][1])

    def test_what_is_right(self):
        for text in (SEND, BCAST, WAIT, PUT, FLUSH, LOCK, FREE, SIZE, INIT):
            calls, problems = parse(text)
            self.assertEqual(problems, [])
            self.assertTrue(calls)

    def test_properties_are_read(self):
        calls, _ = parse(SEND + "  deferrable\n")
        self.assertEqual(calls[0].get("send"), "standard")
        self.assertIs(calls[0].get("deferrable"), True)
        self.assertIsNone(calls[0].get("lock"))
        self.assertEqual(calls[0].chapter, "Messages")
        with self.assertRaises(AssertionError):
            calls[0].get("sends")

    def test_unknown_property(self):
        self.one_problem(SEND + "    quick\n", 4, "MPI_Send: unknown property: quick")
        self.one_problem(SEND + "    colour=red\n", 4, "MPI_Send: unknown property: colour=red")

    def test_values(self):
        self.one_problem(SEND.replace("standard", "slow"), 3,
                         "send is one of standard, synchronous, buffered, ready, not: slow")
        self.one_problem(SEND.replace("send=standard", "send=standard deferrable=yes"), 3,
                         "deferrable takes no value")
        self.one_problem(SEND + "    leaves\n", 4, "leaves needs a value")
        self.one_problem(SEND + "    leaves=\n", 4, "leaves needs a value")
        self.one_problem(SEND + "    send=ready\n", 4, "more than once: send")

    def test_arguments(self):
        right = SEND + "    leaves=known data=buf,count,datatype\n"
        self.assertEqual(self.problems(right), [])
        self.one_problem(right.replace("=buf", "=buffer"), 4, "no argument of it: buffer")
        self.one_problem(SIZE.replace("=size", "=length>0"), 3, "no argument of it: length>0")
        self.one_problem(right.replace("buf,count,", "buf,"), 2, "a buffer, its count and its type")
        self.one_problem(right.replace("leaves=known ", ""), 2, "data= needs leaves=known")

    def test_rows(self):
        self.one_problem("[A]\ncontrolled counts int MPI_Send(void)\n", 2, "no row of the table")
        self.one_problem("[A]\nsteered counts - int MPI_X(void)\n", 2, "unknown treatment: steered")
        self.one_problem("[A]\npassed maybe - int MPI_X(void)\n", 2, "second column")
        self.one_problem("[A]\npassed - first int MPI_X(void)\n", 2, "unknown order: first")
        self.one_problem("passed - - int MPI_X(void)\n", 1, "before the first [chapter]")
        self.one_problem("[A]\n    frees\n", 2, "properties of no call")
        self.one_problem(SEND + FREE + SEND.split("\n")[1] + "\n    send=ready\n", 7,
                         "also in line 2")

    def test_a_wrong_row_is_told_once(self):
        self.one_problem(SEND.replace("controlled", "steered"), 2, "unknown treatment")

    def test_all_problems_are_told(self):
        found = self.problems(SEND + "    quick\n" + FREE.replace("frees", "fees"))
        self.assertEqual([number for number, _ in found], [4, 7])

    def test_columns(self):
        self.one_problem(FREE.replace("harmless -", "harmless counts"), 2, "it cannot count")
        self.one_problem(SIZE.replace(" all ", " - "), 2, "its order is all")
        self.one_problem(FREE.replace("- - int", "- all int"), 2, "so it has no order")
        self.one_problem(BCAST.replace("int root", "int from", 1).replace("=bcast", "=create", 1)
                         .replace("MPI_Comm comm", "MPI_Comm *comm", 1), 2, "no argument root")

    def test_collectives(self):
        self.one_problem(BCAST.replace("    collective=bcast\ncont", "cont"), 2,
                         "it needs collective=")
        self.one_problem(BCAST.replace("bcast\n", "gather\n", 1), 2, "not what its name says")
        self.one_problem(BCAST.replace("root_first", "all", 1), 2, "has a root just if")
        self.one_problem(BCAST.replace("=bcast\n", "=create\n", 1), 2, "by reference")
        self.one_problem(SEND + "    whole\n", 2, "whole is for collectives")

    def test_messages(self):
        self.one_problem(SEND.replace("    send=standard\n", ""), 2, "it needs send=")
        self.one_problem(WAIT + "    send=ready\n", 2, "send= needs an argument dest")
        self.one_problem(SEND + "    completes=all\n", 2, "completes needs an argument request")
        self.one_problem(WAIT.replace("=one", "=any"), 2, "completes=one just if")
        self.one_problem(WAIT.replace(" makes=nothing", ""), 2, "its request is no new one")
        self.one_problem("[A]\ncontrolled counts - int MPI_X(int n, MPI_Request "
                         "array_of_requests[])\n", 2, "it needs completes= or starts")

    def test_windows(self):
        self.one_problem(PUT.replace("access=put ", ""), 2, "access= is for a call with")
        self.one_problem(SEND + "    access=put\n", 2, "access= is for a call with")
        self.one_problem(FLUSH.replace("sync=flush ", ""), 2, "sync= is for a call on a window")
        self.one_problem(LOCK.replace(" waits_for_target", ""), 2, "needs waits_for_target")
        self.one_problem(SEND + "    lock=gives_back\n", 2, "lock needs an argument win")

    def test_objects(self):
        self.one_problem(SEND + "    makes=nothing\n", 2, "makes needs a handle by reference")
        self.one_problem(FREE + "    makes=nothing\n", 2, "exclude each other")

    def test_control(self):
        self.one_problem(FREE + "    deferrable\n", 2, "is harmless, so it cannot have deferrable")
        self.one_problem(PUT.replace("waits", "waits computes"), 2, "computes is for harmless")
        self.one_problem(SEND + "    agree=dest\n", 2, "agree= is for bracketed calls")
        self.one_problem(SEND + "    agree_on=tag\n", 2, "agree_on= is for collectives")
        self.one_problem(INIT.replace("any_time ", ""), 2, "always needs any_time")
        self.one_problem(INIT.replace(" always", ""), 2, "begins_mpi needs always")

    def test_variants(self):
        large = SEND + SEND.split("\n", 1)[1].replace("Send(", "Send_c(").replace("int c", "long c")
        self.assertEqual(self.problems(large), [])
        self.one_problem(large + "    deferrable\n", 4, "deferrable is not as in MPI_Send")
        self.one_problem(large[:-len("standard\n")] + "ready\n", 4, "send is not as in MPI_Send")
        self.one_problem(large.replace("Send(", "Ssend("), 4, "there is no MPI_Send")
        self.assertEqual(self.problems(large.replace("standard\nc", "standard leaves=known\nc")),
                         [])


class Table(unittest.TestCase):
    def setUp(self):
        self.calls = mpi_table.read_table(TABLE)
        self.by_name = {call.name: call for call in self.calls}

    def test_problems_end_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "calls.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SEND + "    quick\n")
            with self.assertRaises(SystemExit) as ended:
                mpi_table.read_table(path)
        self.assertEqual(str(ended.exception), path + ":4: MPI_Send: unknown property: quick")

    def test_the_head_explains_all_properties(self):
        with open(TABLE, encoding="utf-8") as table:
            head = table.read().partition("\n[")[0]
        explained = re.findall(r"^#   (\w+=?) +\S", head, flags=re.M)
        known = [name + ("" if kind == mpi_table.WORD else "=")
                 for name, kind in mpi_table.PROPERTIES.items()]
        self.assertEqual(explained, known)

    def test_every_property_and_value_is_used(self):
        for name, kind in mpi_table.PROPERTIES.items():
            values = {str(call.get(name)) for call in self.calls if call.get(name)}
            self.assertTrue(values, name)
            if isinstance(kind, tuple):
                self.assertEqual(values, set(kind), name)

    def test_what_prototypes_tell(self):
        for name, kind in (("Comm_dup_with_info", "COMMUNICATOR"), ("Comm_idup", "COMMUNICATOR"),
                           ("Isend", "REQUEST"), ("Send_init", "REQUEST"), ("Mprobe", "MESSAGE"),
                           ("Win_create_keyval", "KEYVAL"), ("Win_allocate", "WINDOW"),
                           ("Type_commit", None), ("Comm_free", None), ("Wait", None)):
            self.assertEqual(call_objects.main_kind(self.by_name[name]), kind, name)
        for name, subject in (("Put", "WINDOW"), ("Win_fence", "WINDOW"), ("File_open", "FILE"),
                              ("Waitall", "REQUEST"), ("Mrecv", "REQUEST"), ("Isend", None),
                              ("Comm_idup", None), ("Ibarrier", None)):
            self.assertEqual(call_table.subject(self.by_name[name]), subject, name)
        looking = {call.name for call in self.calls if call_table.only_looks(call)}
        self.assertIn("Get_c", looking)
        self.assertIn("Fetch_and_op", looking)
        self.assertIn("Win_sync", looking)
        self.assertFalse(looking & {"Put", "Rput", "Accumulate", "Raccumulate", "Win_lock"})


if __name__ == "__main__":
    unittest.main()
