"""Shows pickles, the bytes that mpi4py's send, bcast, ... make of Python's objects, as text.

Nothing is loaded: pickletools.genops reads the opcodes, and this program keeps what they would
make as text. Where Python would import and call something, the name and the arguments are shown.

matchpoint runs this program and keeps it (scheduler/debug/pickles.c). A request on standard input
is a line "LENGTH MOST CUT" and LENGTH bytes. MOST is how many bytes of text are wanted, and CUT is
1 if the bytes are only the beginning of a message, else 0. The answer is the text and a NUL. An
empty text means that the bytes are no pickle. Time and memory are bounded by LENGTH and MOST,
whatever the bytes are. Standard library only."""

import codecs
import io
import pickletools
import sys

PROTOCOL_MOST = 5
DEPTH_MOST = 50  # nesting of shown values
DIGITS_MOST = 16  # bytes of an integer of more than 64 bits
OPCODES = 200  # limit: so many, and more for each byte of text
OPCODES_A_BYTE = 10
BATCH = 1000  # parts per batch; after a full one more may follow, but a smaller one is written once
MEMORY_MOST = 512 << 20
REQUEST_MOST = 64  # bytes of a request's line

# How each kind of value begins and ends.
BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}"),
            "frozenset": ("frozenset({", "})"), "call": ("(", ")")}


class Value:
    """An object that the opcodes would make. `text` is a string, bytes, or what is shown as it is:
    a number, a name, what is called. `parts` are the values in it, a dictionary's keys and values
    in turns. The kind "unknown" stands where the bytes end, behind its part if it has one."""

    __slots__ = ("kind", "text", "parts", "built")

    def __init__(self, kind, text="", parts=()):
        self.kind = kind
        self.text = text
        self.parts = list(parts)
        self.built = False  # complete: takes no more parts

    def is_open(self):
        """Whether it may take the next value."""
        return self.kind in ("name", "call", "list", "dict", "set") and not self.built


# --- text ---------------------------------------------------------------------------------------


def escape(character):
    code = ord(character)
    if character == "\n":
        return "\\n"
    return "\\x%02x" % code if code < 256 else "\\u%04x" % code if code < 65536 else (
        "\\U%08x" % code)


def printable(text, escaped=""):
    return "".join("\\" + one if one in escaped else one if one.isprintable() else escape(one)
                   for one in text)


def quote(value, most):
    """The repr of a string or bytes, of at most `most` characters."""
    if value.kind == "string":
        return "'%s'" % printable(value.text[:most], "\\'")
    known = value.text[:most].decode("latin-1")
    return "b'%s'" % "".join(one if one < "\x7f" else escape(one)
                             for one in printable(known, "\\'"))


def integer(number):
    if -1 << 63 <= number < 1 << 63:
        return repr(number)
    length = number.bit_length() // 8 + 1
    digits = number.to_bytes(length, "big", signed=True)
    return "0x" + digits[:DIGITS_MOST].hex() + ("..." if length > DIGITS_MOST else "")


def pieces(value, most, within):
    """The text, piece by piece; None where it is not known any further. `within` are the values
    that this one is in."""
    if value.kind == "unknown":
        for part in value.parts:
            yield from pieces(part, most, within)
        yield None
    elif value.kind in ("string", "bytes"):
        yield quote(value, most)
    elif value.kind == "set" and not value.parts:
        yield "set()"
    elif value.kind not in BRACKETS:
        yield value.text
    elif value in within or len(within) > DEPTH_MOST:
        yield value.text + "..."
    else:
        first, last = BRACKETS[value.kind]
        yield value.text + first
        for index, part in enumerate(value.parts):
            if index:
                yield ": " if value.kind == "dict" and index % 2 else ", "
            yield from pieces(part, most, within + [value])
        yield ("," if value.kind == "tuple" and len(value.parts) == 1 else "") + last


def write(value, most):
    """The text of a value: `most` bytes, and "..." if that is not all."""
    text = b""
    for piece in pieces(value, most, []):
        text += (piece or "").encode()
        if piece is None or len(text) > most:
            return text[:most].decode(errors="ignore") + "..."
    return text.decode()


# --- opcodes ------------------------------------------------------------------------------------


class Machine:
    """The state that opcodes act on: a stack with marks, and a memory."""

    def __init__(self):
        self.stack = []  # values above the last mark
        self.below = []  # the stacks below the marks
        self.memory = {}

    def push(self, value):
        self.stack.append(value)

    def pop_to_mark(self):
        items = self.stack
        self.stack = self.below.pop()
        return items

    def make(self, kind, count=None):
        """Makes a value of so many values, or of all above the mark."""
        parts = self.pop_to_mark() if count is None else [self.stack.pop() for _ in range(count)]
        self.push(Value(kind, "", parts if count is None else parts[::-1]))

    def add(self, kind, parts):
        """To the container that is uppermost; what a call makes may be one."""
        top = self.stack[-1]
        if top.kind not in (kind, "call"):
            raise ValueError("no %s" % kind)
        top.parts += parts
        top.built = top.kind == kind and len(parts) != BATCH

    def call(self, called, arguments):
        self.push(Value("call", called.text if called.kind == "name" else write(called, 256),
                        arguments.parts if arguments.kind == "tuple" else [arguments]))

    # --- a method for each opcode, or for those that are alike; `argument` is the opcode's ------

    def protocol(self, argument):
        if argument > PROTOCOL_MOST:
            raise ValueError("protocol %d" % argument)

    def name(self, argument):
        """`argument` as pickletools returns it, "module name"."""
        module, _, name = argument.partition(" ")
        whole = name if module in ("builtins", "__builtin__") else "%s.%s" % (module, name)
        self.push(Value("name", printable(whole)))

    def name_of_stack(self, _):
        name, module = self.stack.pop(), self.stack.pop()
        if name.kind != "string" or module.kind != "string":
            raise ValueError("no name")
        self.name("%s %s" % (module.text, name.text))

    def reduce(self, _):
        arguments = self.stack.pop()
        self.call(self.stack.pop(), arguments)

    def reduce_with_names(self, _):
        named, arguments = self.stack.pop(), self.stack.pop()
        self.call(self.stack.pop(), arguments)
        self.stack[-1].parts += [named] if named.parts else []

    def instance(self, argument):
        parts = self.pop_to_mark()
        self.name(argument)
        self.call(self.stack.pop(), Value("tuple", "", parts))

    def object(self, _):
        called, *parts = self.pop_to_mark()
        self.call(called, Value("tuple", "", parts))

    def build(self, _):
        state = self.stack.pop()
        if self.stack[-1].kind == "call":
            self.stack[-1].parts.append(state)
            self.stack[-1].built = True

    def mark(self, _):
        self.below.append(self.stack)
        self.stack = []

    def drop(self, _):
        if self.stack:
            self.stack.pop()
        else:
            self.pop_to_mark()

    def duplicate(self, _):
        self.push(self.stack[-1])

    def memorize(self, argument):
        self.memory[len(self.memory) if argument is None else argument] = self.stack[-1]

    def recall(self, argument):
        self.push(self.memory[argument])

    def add_one(self, _):
        self.add("list", [self.stack.pop()])

    def add_all(self, _):
        self.add("list", self.pop_to_mark())

    def set_one(self, _):
        value, key = self.stack.pop(), self.stack.pop()
        self.add("dict", [key, value])

    def set_all(self, _):
        self.add("dict", self.pop_to_mark())

    def add_members(self, _):
        self.add("set", self.pop_to_mark())

    def persistent(self, argument):
        what = self.stack.pop() if argument is None else Value("string", argument)
        self.push(Value("call", "persistent_load", [what]))

    def nothing(self, _):
        pass

    # --- the end --------------------------------------------------------------------------------

    def result(self):
        value = self.stack.pop()
        if self.stack or self.below:
            raise ValueError("more than one value")
        return value

    def fold(self, items):
        """What is above a mark goes into what it most likely belongs to, as the bytes end here."""
        top = self.stack[-1] if self.stack else Value("none")
        if top.kind in ("list", "dict", "set") and top.is_open():
            top.parts += items
        elif top.kind == "name":
            self.stack[-1] = Value("call", top.text, items)
        else:
            self.push(Value("tuple", "", items))
        # An object's attributes follow it directly.
        if len(self.stack) > 1 and self.stack[-2].kind == "call" and self.stack[-2].is_open():
            state = self.stack.pop()
            self.stack[-1].parts.append(state)

    def nest(self):
        """One value of what is on the stack: without marks, what is complete goes into the value
        below it at once, so each is a part of what is open there."""
        value = self.stack.pop()
        made = None  # a tuple that may have more parts before
        while self.stack:
            below = self.stack.pop()
            if below.kind == "name":
                value = Value("call", below.text, [value])
            elif below.is_open():
                below.parts.append(value)
                value = below
            elif self.stack and self.stack[-1].kind == "dict" and self.stack[-1].is_open():
                self.stack[-1].parts += [below, value]
                value = self.stack.pop()
            elif value is made:
                made.parts.insert(0, below)
            else:
                value = made = Value("tuple", "", [below, value])
        return value

    def unfinished(self, unknown):
        """One value of all that there is, with `unknown` where it would go on."""
        self.push(unknown)
        while self.below:
            self.fold(self.pop_to_mark())
        if len(self.stack) == 2 and not self.stack[0].is_open() and not unknown.parts:
            return Value("unknown", "", self.stack[:1])
        return self.nest()


def constant(text):
    return lambda machine, _: machine.push(Value("number", text))


def making(kind, count=None):
    return lambda machine, _: machine.make(kind, count)


def leaf(kind, text=lambda argument: argument):
    return lambda machine, argument: machine.push(Value(kind, text(argument)))


def actions():
    """The action of each opcode, by its name in pickletools."""
    table = {
        "PROTO": Machine.protocol, "GLOBAL": Machine.name, "STACK_GLOBAL": Machine.name_of_stack,
        "REDUCE": Machine.reduce, "NEWOBJ": Machine.reduce, "OBJ": Machine.object,
        "NEWOBJ_EX": Machine.reduce_with_names, "INST": Machine.instance, "BUILD": Machine.build,
        "MARK": Machine.mark, "POP": Machine.drop, "DUP": Machine.duplicate,
        "POP_MARK": lambda machine, _: machine.pop_to_mark(),
        "APPEND": Machine.add_one, "APPENDS": Machine.add_all, "SETITEM": Machine.set_one,
        "SETITEMS": Machine.set_all, "ADDITEMS": Machine.add_members,
        "PERSID": Machine.persistent, "BINPERSID": Machine.persistent,
        "FRAME": Machine.nothing, "READONLY_BUFFER": Machine.nothing,
        "NONE": constant("None"), "NEWTRUE": constant("True"), "NEWFALSE": constant("False"),
        "NEXT_BUFFER": constant("<buffer>"),
        "EMPTY_TUPLE": making("tuple", 0), "TUPLE1": making("tuple", 1),
        "TUPLE2": making("tuple", 2), "TUPLE3": making("tuple", 3), "TUPLE": making("tuple"),
        "EMPTY_LIST": making("list", 0), "LIST": making("list"), "EMPTY_DICT": making("dict", 0),
        "DICT": making("dict"), "EMPTY_SET": making("set", 0), "FROZENSET": making("frozenset"),
    }
    for names, action in (
            ("MEMOIZE PUT BINPUT LONG_BINPUT", Machine.memorize),
            ("GET BINGET LONG_BINGET", Machine.recall),
            ("INT BININT BININT1 BININT2 LONG LONG1 LONG4", leaf("number", integer)),
            ("FLOAT BINFLOAT", leaf("number", repr)),
            ("STRING BINSTRING SHORT_BINSTRING UNICODE", leaf("string")),
            ("SHORT_BINUNICODE BINUNICODE BINUNICODE8", leaf("string")),
            ("SHORT_BINBYTES BINBYTES BINBYTES8", leaf("bytes")),
            ("BYTEARRAY8", lambda machine, argument: machine.push(
                Value("call", "bytearray", [Value("bytes", bytes(argument))]))),
            ("EXT1 EXT2 EXT4", leaf("number", "<extension {}>".format))):
        table.update(dict.fromkeys(names.split(), action))
    return table


ACTIONS = actions()


def known_part(rest):
    """Of an opcode that the bytes end in: what is there of its string or its bytes."""
    opcode = pickletools.code2op.get(rest[:1].decode("latin-1"))
    if rest and not opcode:
        raise ValueError("no opcode")
    width = {pickletools.TAKEN_FROM_ARGUMENT1: 1, pickletools.TAKEN_FROM_ARGUMENT4: 4,
             pickletools.TAKEN_FROM_ARGUMENT4U: 4, pickletools.TAKEN_FROM_ARGUMENT8U: 8}.get(
                 opcode.arg.n if rest and opcode.arg else 0, len(rest))
    known = rest[1 + width:]
    if known and "UNICODE" in opcode.name:
        begun, _ = codecs.utf_8_decode(known, "surrogatepass", False)
        return Value("unknown", "", [Value("string", begun)])
    if known and "BYTES" in opcode.name:
        return Value("unknown", "", [Value("bytes", known)])
    return Value("unknown")


def opcodes(data, cut):
    """The name and the argument of each; at the end of bytes that are cut, "" and what is known of
    the next one. ValueError: they are no opcodes."""
    stream = io.BytesIO(data)
    end = 0
    try:
        for opcode, argument, _ in pickletools.genops(stream):
            end = stream.tell()
            yield opcode.name, argument
    except ValueError:
        if not cut or stream.tell() < len(data):
            raise
        yield "", known_part(data[end:])
    else:
        if cut or end < len(data):
            raise ValueError("more behind the pickle")


def read(data, most, cut):
    """The value of a pickle; raises ValueError or LookupError for other bytes."""
    machine = Machine()
    left = OPCODES + OPCODES_A_BYTE * most
    for name, argument in opcodes(data, cut):
        left -= 1
        if not name:
            return machine.unfinished(argument)
        if left < 0:
            return machine.unfinished(Value("unknown"))
        if name != "STOP":
            ACTIONS[name](machine, argument)
    return machine.result()


def show(data, most, cut=False):
    """The text of a pickle, at most so many bytes of it; "" if the bytes are none."""
    try:
        return write(read(data, most, cut), most)
    except (ValueError, LookupError):
        return ""


def bound_memory():
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MOST, MEMORY_MOST))
    except (ImportError, ValueError, OSError):
        pass  # a second limit, as there are few bytes


def serve(requests, answers):
    for line in iter(lambda: requests.readline(REQUEST_MOST), b""):
        length, most, cut = (int(word) for word in line.split())
        answers.write(show(requests.read(length), most, cut == 1).encode() + b"\0")
        answers.flush()


if __name__ == "__main__":
    bound_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)
