"""Refuses code that lets "could not look" pass for "nothing found". Prints what it found, the count, and each exception
that was made with its reason: a comment ``# truth: why this is no absence`` on the line.

returned-nothing    a handler returns None or an empty literal
assigned-nothing    a handler assigns None or an empty collection
dropped-in-loop     a handler skips one of several sources whose findings are being collected
dropped-exceptions  a comprehension keeps what is no exception, and forgets the rest
suppressed-lookup   contextlib.suppress around a look-up whose default then escapes
empty-beside-error  {"results": [], "error": ...}, or the same as a call
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCANNED = ("backend/signalbox",)
REASON = re.compile(r"#\s*truth:\s*(?P<reason>[A-Za-z]\S*\s\S.*)")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
COLLECTIONS = {"list", "dict", "set", "tuple", "frozenset", "deque", "Counter", "defaultdict", "OrderedDict"}
COLLECTS = {"append", "extend", "add", "update", "setdefault", "insert"}
ERROR_NAMES = {"error", "errors", "err", "exception", "failure"}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    code: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.code}"


def findings_of(source: str, path: str = "") -> list[Finding]:
    """All of one file, in order of lines; those with a reason too."""
    tree = ast.parse(source)
    reasons = dict(_reasons(source))
    found: dict[tuple[int, str], Finding] = {}
    for node, rule in _suspects(tree):
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        reason = next((reasons[line] for line in lines if line in reasons), "")
        code = ast.unparse(node).splitlines()[0][:100]
        found.setdefault((node.lineno, rule), Finding(path, node.lineno, rule, code, reason))
    return sorted(found.values())


def _reasons(source: str) -> Iterator[tuple[int, str]]:
    if not REASON.search(source):
        return  # reading tokens costs ten times the rest
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and (match := REASON.search(token.string)):
            yield token.start[0], match["reason"].strip()


def _suspects(tree: ast.AST) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _in_handlers(node)
                yield from _suppressed(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                yield from _dropped(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                if any(_keeps_no_exception(test) for part in node.generators for test in part.ifs):
                    yield node, "dropped-exceptions"
            case ast.Dict():
                names = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
                if _is_empty_beside_error(dict(zip(names, node.values, strict=True))):
                    yield node, "empty-beside-error"
            case ast.Call():
                if _is_empty_beside_error({each.arg: each.value for each in node.keywords}):
                    yield node, "empty-beside-error"
            case _:
                pass


def _in_handlers(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    gives_nothing = isinstance(function.returns, ast.Constant) and function.returns.value is None
    for handler in _handlers(function):
        tells = any(isinstance(each, ast.Yield) for each in _below(handler))  # a generator that says why it ends
        for node in (each for statement in handler.body for each in (statement, *_below(statement))):
            if isinstance(node, ast.Return) and not (gives_nothing or tells) and _is_nothing(node.value, texts=True):
                yield node, "returned-nothing"
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _is_nothing(node.value):
                yield node, "assigned-nothing"


def _suppressed(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    defaults: dict[str, int] = {}
    for node in _below(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _is_nothing(node.value, texts=True):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                defaults.setdefault(ast.unparse(target), node.lineno)
    for node in _below(function):
        if not isinstance(node, ast.With | ast.AsyncWith) or not any(_suppresses(item) for item in node.items):
            continue
        inner = [each for statement in node.body for each in (statement, *_below(statement))]
        told = [each for each in inner if isinstance(each, ast.Return) and each.value is not None]
        if told and _ends_with_nothing(function, node):
            yield node, "suppressed-lookup"
        for each in inner:
            if isinstance(each, ast.Assign) and _asks(each.value):
                names = [ast.unparse(target) for target in each.targets]
                if any(defaults.get(name, node.lineno) < node.lineno for name in names):
                    yield node, "suppressed-lookup"


def _ends_with_nothing(function: Function, suppress: ast.With | ast.AsyncWith) -> bool:
    """What is returned where the look-up was suppressed: nothing, or what stands behind it."""
    behind = [each for each in _below(function) if isinstance(each, ast.Return) and each.lineno > _end(suppress)]
    if isinstance(function.returns, ast.Constant) and function.returns.value is None:
        return False
    goes_on = [each for each in function.body if each.lineno > _end(suppress)]
    return all(_is_nothing(each.value, texts=True) for each in behind) if behind else not goes_on


def _dropped(loop: ast.For | ast.AsyncFor | ast.While) -> Iterator[tuple[ast.stmt, str]]:
    for attempt in (each for statement in loop.body for each in (statement, *_below(statement))):
        if not isinstance(attempt, ast.Try):
            continue
        tried = [each for statement in attempt.body for each in (statement, *_below(statement))]
        collects = any(
            isinstance(each, ast.AugAssign | ast.Yield)
            or (isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in COLLECTS)
            for each in tried
        )
        for handler in attempt.handlers:
            if collects and all(isinstance(each, ast.Pass | ast.Continue) for each in handler.body):
                yield handler.body[0], "dropped-in-loop"


def _keeps_no_exception(test: ast.expr) -> bool:
    """``not isinstance(x, Exception)``, alone or with more."""
    if isinstance(test, ast.BoolOp):
        return any(_keeps_no_exception(each) for each in test.values)
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Call)):
        return False
    call = test.operand
    named = ast.unparse(call.args[1]) if len(call.args) == 2 else ""
    return ast.unparse(call.func) == "isinstance" and re.search(r"(?:Exception|Error)\b", named) is not None


def _is_empty_beside_error(values: dict[str | None, ast.expr]) -> bool:
    wrong = [value for name, value in values.items() if name in ERROR_NAMES and not _is_nothing(value, texts=True)]
    empty = [value for name, value in values.items() if name not in ERROR_NAMES and _is_collection(value)]
    return bool(wrong and empty)


def _asks(value: ast.expr) -> bool:
    return any(isinstance(each, ast.Await | ast.Call) for each in ast.walk(value))


def _suppresses(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "suppress"


def _is_nothing(value: ast.expr | None, *, texts: bool = False) -> bool:
    if value is None:
        return True
    if isinstance(value, ast.Constant):
        return value.value is None or (texts and value.value in {"", b""} and isinstance(value.value, str | bytes))
    if isinstance(value, ast.Tuple) and value.elts:
        return all(_is_nothing(each, texts=texts) for each in value.elts)
    return _is_collection(value)


def _is_collection(value: ast.expr) -> bool:
    """An empty literal, or a call that makes one."""
    match value:
        case ast.List() | ast.Tuple() | ast.Set():
            return not value.elts
        case ast.Dict():
            return not value.keys
        case ast.Call():
            return ast.unparse(value.func) in COLLECTIONS and not value.args and not value.keywords
        case _:
            return False


def _handlers(function: Function) -> Iterator[ast.ExceptHandler]:
    return (each for each in _below(function) if isinstance(each, ast.ExceptHandler))


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, but not those of functions defined there: they are looked at on their own."""
    rest = list(ast.iter_child_nodes(node))[::-1]
    while rest:
        child = rest.pop()
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            rest += list(ast.iter_child_nodes(child))[::-1]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def main(folders: list[str]) -> int:
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    found = [
        each for path in files for each in findings_of(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    ]
    refused = [each for each in found if not each.reason]
    excused = [each for each in found if each.reason]
    for each in refused:
        print(each)
    for each in excused:
        print(f"{each.path}:{each.line}: allowed, {each.rule}: {each.reason}")
    print(f"{len(refused)} findings in {len(files)} files, {len(excused)} exceptions with a reason")
    return bool(refused)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(SCANNED)))
