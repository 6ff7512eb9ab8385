"""Refuses code that lets "could not look" pass for "nothing found". Prints what it found, the count, and each exception
that was made with its reason: a comment ``# truth: why this is no absence`` on the line.

returned-nothing    a handler returns None, zero, an empty literal, a name for one, Empty(...) or Ok of nothing
assigned-nothing    a handler assigns None or an empty collection
swallowed-lookup    a handler does nothing about it (but log), and what is returned behind it is nothing, or a default
dropped-in-loop     a handler skips one of several sources whose findings are being collected
dropped-exceptions  a comprehension keeps what is no exception, no Err or of a type, and forgets what failed
suppressed-lookup   contextlib.suppress around a look-up whose default then escapes
failed-as-nothing   an Err, or an answer with the wrong status, is taken for nothing
empty-beside-error  {"results": [], "error": ...}, or the same as a call

What it does not see: nothing that goes through a variable of another function, False (which often is the answer), and a
default that an argument brings along.
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
LOGS = re.compile(
    r"(?:\w*log(?:ger|ging)?|structlog|warnings)(?:\.\w+(?:\([^()]*\))?)*|print|print_exc|traceback\.\w+", re.IGNORECASE
)
STATUS = re.compile(r"\.(?:status_code|is_error|is_success)\b|\.status\b.*\b[1-5]\d\d\b")
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
    _name_the_empty(tree)
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
                yield from _swallowed(node)
                yield from _failed(node)
                yield from _gathered(node)
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
            if isinstance(node, ast.Return) and not (gives_nothing or tells) and _gives_nothing(node.value):
                yield node, "returned-nothing"
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _is_nothing(node.value):
                yield node, "assigned-nothing"


def _swallowed(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    """Handlers that say nothing of the failure: behind them it looks as if there were nothing."""
    defaults = _defaults(function)
    returned = {ast.unparse(each.value) for each in _below(function) if isinstance(each, ast.Return) and each.value}
    for attempt in (each for each in _below(function) if isinstance(each, ast.Try)):
        tried = _within(attempt.body)
        told = any(isinstance(each, ast.Return) and each.value is not None for each in tried)
        asked = {
            ast.unparse(target)
            for each in tried if isinstance(each, ast.Assign) and _asks(each.value) for target in each.targets
        }  # fmt: skip
        escapes = any(defaults.get(name, attempt.lineno) < attempt.lineno and name in returned for name in asked)
        for handler in attempt.handlers:
            if _is_silent(handler) and (escapes or (told and _ends_with_nothing(function, attempt))):
                yield handler.body[0], "swallowed-lookup"


def _is_silent(handler: ast.ExceptHandler) -> bool:
    """Nothing but logging and going on."""
    return all(
        isinstance(each, ast.Pass | ast.Continue)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or (
            isinstance(each, ast.Expr)
            and isinstance(each.value, ast.Call)
            and LOGS.fullmatch(ast.unparse(each.value.func)) is not None
        )
        for each in handler.body
    )


def _failed(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    """Branches for what failed that return nothing."""
    if isinstance(function.returns, ast.Constant) and function.returns.value is None:
        return
    for node in _below(function):
        bodies: list[list[ast.stmt]] = []
        if isinstance(node, ast.match_case) and _matches_err(node.pattern):
            bodies.append(node.body)
        if isinstance(node, ast.If) and (_tests_err(node.test) or STATUS.search(ast.unparse(node.test))):
            bodies.append(node.body)
        for each in (each for body in bodies for each in _within(body)):
            if isinstance(each, ast.Return) and _gives_nothing(each.value):
                yield each, "failed-as-nothing"


def _matches_err(pattern: ast.pattern) -> bool:
    return any(
        isinstance(each, ast.MatchClass) and ast.unparse(each.cls).rpartition(".")[2] == "Err"
        for each in ast.walk(pattern)
    )


def _tests_err(test: ast.expr) -> bool:
    """``isinstance(x, Err)``, alone or with more; ``not`` turns it round."""
    if isinstance(test, ast.BoolOp):
        return any(_tests_err(each) for each in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_instance_of(test.operand, r"Ok")
    return _is_instance_of(test, r"Err")


def _is_instance_of(test: ast.expr, kind: str) -> bool:
    if not (isinstance(test, ast.Call) and ast.unparse(test.func) == "isinstance" and len(test.args) == 2):
        return False
    return re.search(rf"\b{kind}\b", ast.unparse(test.args[1])) is not None


def _gathered(function: Function) -> Iterator[tuple[ast.expr, str]]:
    """Of ``gather(..., return_exceptions=True)`` only what has a type is kept."""
    names = {
        ast.unparse(target)
        for each in _below(function)
        if isinstance(each, ast.Assign) and "return_exceptions=True" in ast.unparse(each.value)
        for target in each.targets
    }
    for node in _below(function):
        if not isinstance(node, Comprehension):
            continue
        for part in node.generators:
            asked = {ast.unparse(each) for each in ast.walk(part.iter) if isinstance(each, ast.Name)}
            if asked & names and any("isinstance(" in ast.unparse(test) for test in part.ifs):
                yield node, "dropped-exceptions"


def _defaults(function: Function) -> dict[str, int]:
    """Names that stand for nothing at first, and since which line."""
    defaults: dict[str, int] = {}
    for node in _below(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _is_nothing(node.value, texts=True):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                defaults.setdefault(ast.unparse(target), node.lineno)
    return defaults


def _suppressed(function: Function) -> Iterator[tuple[ast.stmt, str]]:
    defaults = _defaults(function)
    for node in _below(function):
        if not isinstance(node, ast.With | ast.AsyncWith) or not any(_suppresses(item) for item in node.items):
            continue
        inner = _within(node.body)
        told = [each for each in inner if isinstance(each, ast.Return) and each.value is not None]
        if told and _ends_with_nothing(function, node):
            yield node, "suppressed-lookup"
        for each in inner:
            if isinstance(each, ast.Assign) and _asks(each.value):
                names = [ast.unparse(target) for target in each.targets]
                if any(defaults.get(name, node.lineno) < node.lineno for name in names):
                    yield node, "suppressed-lookup"


def _ends_with_nothing(function: Function, attempt: ast.stmt) -> bool:
    """What is returned where the look-up was suppressed: nothing, or what stands behind it."""
    behind = [each for each in _below(function) if isinstance(each, ast.Return) and each.lineno > _end(attempt)]
    if isinstance(function.returns, ast.Constant) and function.returns.value is None:
        return False
    goes_on = [each for each in function.body if each.lineno > _end(attempt)]
    return all(_is_nothing(each.value, texts=True) for each in behind) if behind else not goes_on


def _dropped(loop: ast.For | ast.AsyncFor | ast.While) -> Iterator[tuple[ast.stmt, str]]:
    """A source that fails is passed over while what the others say is collected: in the same attempt, or behind it."""
    for attempt in _within(loop.body):
        if not isinstance(attempt, ast.Try):
            continue
        behind = [each for each in _within(loop.body) if getattr(each, "lineno", 0) > _end(attempt)]
        if any(map(_collects, [*_within(attempt.body), *_within(attempt.orelse), *behind])):
            for handler in filter(_is_silent, attempt.handlers):
                yield handler.body[0], "dropped-in-loop"


def _collects(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in COLLECTS
    return isinstance(node, ast.AugAssign | ast.Yield)


def _keeps_no_exception(test: ast.expr) -> bool:
    """``not isinstance(x, Exception)``, or ``isinstance(x, Ok)``, alone or with more."""
    if isinstance(test, ast.BoolOp):
        return any(_keeps_no_exception(each) for each in test.values)
    if _is_instance_of(test, "Ok"):
        return True
    if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Call)):
        return False
    call = test.operand
    named = ast.unparse(call.args[1]) if len(call.args) == 2 else ""
    return ast.unparse(call.func) == "isinstance" and re.search(r"(?:Exception|Error|\bErr)\b", named) is not None


def _is_empty_beside_error(values: dict[str | None, ast.expr]) -> bool:
    wrong = [value for name, value in values.items() if name in ERROR_NAMES and not _is_nothing(value, texts=True)]
    empty = [value for name, value in values.items() if name not in ERROR_NAMES and _is_collection(value)]
    return bool(wrong and empty)


def _asks(value: ast.expr) -> bool:
    return any(isinstance(each, ast.Await | ast.Call) for each in ast.walk(value))


def _suppresses(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "suppress"


def _gives_nothing(value: ast.expr | None) -> bool:
    """What a failure must not be told as, in one case or in all. Zero is a count like others."""
    if isinstance(value, ast.IfExp):
        return _gives_nothing(value.body) or _gives_nothing(value.orelse)
    zero = isinstance(value, ast.Constant) and value.value == 0 and not isinstance(value.value, bool)
    return zero or _is_nothing(value, texts=True)


def _name_the_empty(tree: ast.Module) -> None:
    """Mark each use of a name that the module gives to nothing: ``NOTHING = ()`` says no more than ``()``."""
    names = {
        ast.unparse(target)
        for each in tree.body
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value and _is_nothing(each.value, texts=True)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.empty = True  # type: ignore[attr-defined]


def _is_nothing(value: ast.expr | None, *, texts: bool = False) -> bool:
    if value is None or getattr(value, "empty", False):
        return True
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in {"Empty", "Ok"}:
        return ast.unparse(value.func).endswith("Empty") or _is_nothing(next(iter(value.args), None), texts=texts)
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


def _within(body: list[ast.stmt]) -> list[ast.AST]:
    return [each for statement in body for each in (statement, *_below(statement))]


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
