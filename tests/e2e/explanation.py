"""Describes in one line what a check expected and what it got. Standard library only.

The text comes from the source of the check: for a condition `a and b`, the part that is false.
Values are evaluated again for that. A call is repeated only if it certainly changes nothing: a
builtin or a method that reads, or a function that gets only data."""

import ast
import functools

LENGTH = 160  # for a value or a condition, in characters
DATA = (str, bytes, int, float, type(None), list, tuple, dict, set)
READING = {"len", "sorted", "set", "str", "int", "sum", "min", "max", "any", "all", "list", "tuple",
           "dict", "bool", "round", "startswith", "endswith", "get", "split", "splitlines", "strip",
           "count", "items", "keys", "values", "lower", "join", "index"}
OPERATORS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
             ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}


def shorten(text, length=LENGTH):
    """In one line; a text that is too long loses its middle."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    return text[:length * 2 // 3] + " ... " + text[-length // 3:]


@functools.lru_cache(maxsize=None)
def calls_of_check(file):
    """All calls of check(...) in a source file."""
    with open(file, encoding="utf-8") as text:
        tree = ast.parse(text.read())
    return [node for node in ast.walk(tree)
            if isinstance(node, ast.Call) and node.args
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "check"]


def condition_at(frame):
    """The condition of the check that a frame is in. None: unknown."""
    try:
        calls = [call for call in calls_of_check(frame.f_code.co_filename)
                 if call.lineno <= frame.f_lineno <= call.end_lineno]
    except (OSError, SyntaxError):
        return None
    return min(calls, key=lambda call: call.end_lineno - call.lineno).args[0] if calls else None


def may_be_repeated(node, scope):
    """Whether it can be evaluated again without side effects."""
    for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in READING:
            continue
        names = [one.id for argument in call.args for one in ast.walk(argument)
                 if isinstance(one, ast.Name)]
        if not isinstance(call.func, ast.Name) or call.keywords or not all(
                isinstance(scope.get(name), DATA) or getattr(scope.get(name), "is_data", False)
                for name in names):
            return False
    return True


class Scope:
    """The scope in which the names of a condition have their values."""

    def __init__(self, frame):
        self.names = {**frame.f_globals, **frame.f_locals}

    def value(self, node):
        return eval(compile(ast.Expression(node), "check", "eval"), self.names)

    def shown(self, node):
        """A value as text; the source of the expression if it cannot be evaluated."""
        if not may_be_repeated(node, self.names):
            return shorten(ast.unparse(node))
        return shorten(repr(self.value(node)))


def failed_part(condition, scope):
    """The first false part of `a and b`. None: unknown."""
    if not isinstance(condition, ast.BoolOp) or not isinstance(condition.op, ast.And):
        return condition
    for part in condition.values:
        if not may_be_repeated(part, scope.names):
            return None
        if not scope.value(part):
            return failed_part(part, scope)
    return None


def words_for(part, scope):
    source = shorten(ast.unparse(part))
    if isinstance(part, ast.Compare) and len(part.ops) == 1:
        left, right = part.left, part.comparators[0]
        word = OPERATORS[type(part.ops[0])]
        if word in ("in", "not in"):
            return "expected %s %s %s, got %s" % (
                scope.shown(left), word, shorten(ast.unparse(right)), scope.shown(right))
        known = may_be_repeated(left, scope.names)
        return "expected %s %s %s" % (shorten(ast.unparse(left)), word, scope.shown(right)) + (
            ", got " + scope.shown(left) if known else ", which is not so")
    if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
        return "expected %s, got %s" % (source, scope.shown(part.operand)) if may_be_repeated(
            part, scope.names) else "expected " + source
    return "expected " + source


def explain(frame):
    """What the check that a frame is in expected and got; "" if unknown."""
    condition = condition_at(frame)
    if condition is None:
        return ""
    scope = Scope(frame)
    try:
        part = failed_part(condition, scope)
        return words_for(condition if part is None else part, scope)
    except Exception:  # an earlier value no longer exists
        return "expected " + shorten(ast.unparse(condition))
