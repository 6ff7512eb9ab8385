"""Job feeds as rows: JSON lines, JSON and CSV in any common encoding, one row at a time.

A row that cannot be read is a value with its line and reason, never an exception: a feed of a million rows
does not stop at one of them. What a row means is ``posting``'s business.
"""

import codecs
import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from signalbox.errors import ConfigurationError, said_by_check

_CHUNK = 1 << 20
# A line or array element longer than this is damage, and would have to be held in memory whole.
MAX_ROW_CHARS = 4_000_000
_LISTS = re.compile(r'"(?:jobs|postings|results|items|data|records)"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))

# Names that feeds commonly give our fields. A mapping file overrides them.
_COMMON_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("job_id", "external_id", "uid", "guid", "reference"),
    "title": ("job_title", "position", "name", "role"),
    "company": ("company_name", "organization", "organisation", "employer", "agency"),
    "location": ("city", "job_location", "work_location"),
    "description": ("job_description", "summary", "body"),
    "requirements": ("qualifications", "minimum_qualifications"),
    "category": ("job_category", "department", "industry"),
    "employment_type": ("job_type", "contract_type", "schedule"),
    "seniority": ("level", "experience_level"),
    "salary_min": ("min_salary", "salary_from", "salary_range_from"),
    "salary_max": ("max_salary", "salary_to", "salary_range_to"),
    "salary_period": ("pay_period", "salary_frequency"),
    "currency": ("salary_currency",),
    "date_posted": ("posted_at", "posted_date", "posting_date", "publication_date", "published_at"),
    "date_closes": ("closes_at", "closing_date", "post_until", "expires_at"),
    "url": ("link", "apply_url", "job_url"),
    "skills": ("tags", "technologies"),
}


class Rule(BaseModel):
    """Where one of our fields comes from.

    ``field`` is a column, a dotted path into nested objects allowed; ``fields`` are joined with ``join``;
    ``split`` makes a list of a text; ``value`` is the same for every row.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: str | None = None
    fields: tuple[str, ...] = ()
    join: str = ", "
    split: str | None = None
    value: str | bool | float | None = None

    def read(self, row: Mapping[str, Any]) -> Any:
        if self.value is not None:
            return self.value
        if self.fields:
            return self.join.join(str(part) for name in self.fields if (part := _at(row, name)) not in (None, ""))
        found = _at(row, self.field or "")
        return found.split(self.split) if self.split and isinstance(found, str) else found


FieldMapping = Mapping[str, Rule]
_MAPPING = TypeAdapter(dict[str, str | Rule])


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unreadable:
    line: int
    reason: str


def load_mapping(path: Path) -> dict[str, Rule]:
    """A mapping file: ``{"title": "Business Title", "skills": {"field": "tags", "split": ";"}}``."""
    try:
        rules = _MAPPING.validate_json(path.read_bytes())
    except OSError as exc:
        raise ConfigurationError(f"The mapping file {path} cannot be read: {exc.strerror}.") from exc
    except ValidationError as exc:
        first = exc.errors()[0]
        where = ".".join(map(str, first["loc"][:2])) or "the file"
        why = said_by_check(first["msg"])
        raise ConfigurationError(f"The mapping file {path} is not valid at {where}: {why}.") from exc
    return {name: Rule(field=rule) if isinstance(rule, str) else rule for name, rule in rules.items()}


def encoding_of(path: Path) -> tuple[str, str | None]:
    """The encoding of a file, and a note where it had to be guessed. Reads the file once, in pieces."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        head = file.read(_CHUNK)
        for bom, name in _BOMS:
            if head.startswith(bom):
                return name, None
        try:
            while head:
                decoder.decode(head)
                head = file.read(_CHUNK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as exc:
            return "latin-1", f"{path.name} is not UTF-8 ({exc.reason}); it was read as Latin-1"
    return "utf-8", None


def read_rows(path: Path, encoding: str, mapping: FieldMapping | None = None) -> Iterator[Row | Unreadable]:
    """The rows of a file under our field names, with the line (of JSON arrays: the position) each came from."""
    with path.open(encoding=encoding, newline="", errors="replace") as file:
        for row in _reader(path, file):
            yield Row(row.line, _renamed(row.values, mapping)) if isinstance(row, Row) else row


def _reader(path: Path, file: TextIOWrapper) -> Iterator[Row | Unreadable]:
    suffix = path.suffix.casefold()
    if suffix in {".csv", ".tsv"}:
        return _csv_rows(file)
    if suffix in {".jsonl", ".ndjson"}:
        return _json_lines(file)
    head = file.read(4096).lstrip()
    file.seek(0)
    if suffix == ".json" or head.startswith("["):
        return _json_elements(file)
    return _json_lines(file) if head.startswith("{") else _csv_rows(file)


def _json_lines(file: TextIO) -> Iterator[Row | Unreadable]:
    number = 0
    while line := file.readline(MAX_ROW_CHARS):
        number += 1
        if not line.endswith("\n") and len(line) == MAX_ROW_CHARS:
            while (rest := file.readline(MAX_ROW_CHARS)) and not rest.endswith("\n"):
                continue
            yield Unreadable(number, "the line is too long")
        elif line.strip():
            yield _parsed(line, number)


def _parsed(text: str, number: int) -> Row | Unreadable:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as exc:
        return Unreadable(number, f"not valid JSON: {exc}"[:200])
    return _as_row(values, number)


def _as_row(values: Any, number: int) -> Row | Unreadable:
    return Row(number, values) if isinstance(values, dict) else Unreadable(number, "not a JSON object")


def _json_elements(file: TextIO) -> Iterator[Row | Unreadable]:
    """The elements of a JSON array, or of the list inside ``{"jobs": [...]}``, without holding the file."""
    buffer = file.read(_CHUNK)
    opening = re.match(r"\s*\[", buffer) or _LISTS.search(buffer)
    if opening is None:
        yield _parsed(buffer + file.read(MAX_ROW_CHARS), 1)
        return
    buffer = buffer[opening.end() :]
    decoder, at, number = json.JSONDecoder(), 0, 0
    while True:
        at = _GAP.match(buffer, at).end()  # type: ignore[union-attr]
        if buffer.startswith("]", at):
            return
        try:
            values, at = decoder.raw_decode(buffer, at)
        except (ValueError, RecursionError) as exc:
            more = file.read(_CHUNK)
            if more and len(buffer) - at < MAX_ROW_CHARS:
                buffer, at = buffer[at:] + more, 0
                continue
            yield Unreadable(number + 1, f"the array breaks off here, the rest was not read: {exc}"[:200])
            return
        number += 1
        yield _as_row(values, number)


def _csv_rows(file: TextIO) -> Iterator[Row | Unreadable]:
    header = file.readline(MAX_ROW_CHARS)
    file.seek(0)
    delimiter = max(",;\t|", key=header.count)
    rows = csv.DictReader(file, delimiter=delimiter, restkey="")
    while True:
        try:
            values = next(rows)
        except StopIteration:
            return  # truth: the end of the file
        except csv.Error as exc:
            yield Unreadable(rows.line_num, f"not valid CSV: {exc}")
            continue
        if "" in values and any(values[""]):
            yield Unreadable(rows.line_num, "more cells than the header has columns")
        else:
            yield Row(rows.line_num, {name: cell for name, cell in values.items() if name})


def _renamed(row: Mapping[str, Any], mapping: FieldMapping | None) -> dict[str, Any]:
    folded = {re.sub(r"[\s-]+", "_", str(name).strip().casefold()): value for name, value in row.items()}
    for ours, names in _COMMON_NAMES.items():
        if folded.get(ours) in (None, ""):
            found = next((folded[name] for name in names if folded.get(name) not in (None, "")), None)
            if found is not None:
                folded[ours] = found
    for ours, rule in (mapping or {}).items():
        folded[ours] = rule.read(row)
    return folded


def _at(row: Mapping[str, Any], path: str) -> Any:
    if path in row:
        return row[path]
    found: Any = row
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found
