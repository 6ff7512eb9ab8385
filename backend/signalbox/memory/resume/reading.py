"""From what a user sends to a CV: decides what kind of file it is, has it parsed, and says what to do if it cannot be.

Office formats are opened in a process of their own (``resume_child``); text is read in a thread.
"""

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

import structlog
from pydantic_core import from_json

from signalbox.encoding import clean_text
from signalbox.errors import BadRequest, PayloadTooLarge, SignalboxError
from signalbox.memory.resume.contact import file_name_of
from signalbox.memory.resume.json_resume import is_json_resume, read_json
from signalbox.memory.resume.lines import MAX_CHARS, Line, lines_of
from signalbox.memory.resume.model import PASTED
from signalbox.memory.resume.text import ResumeReading, read_lines, read_text

logger = structlog.get_logger(__name__)

MAX_BYTES: Final = 5_000_000
MAX_PAGES: Final = 30
PARSE_S: Final = 15.0
QUEUE_S: Final = 30.0
LEAST_WORDS: Final = 15

Kind = Literal["pdf", "docx", "json", "text"]
_SECRETS: Final = ("SIGNALBOX_", "GROQ_")
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_REFUSED: Final[tuple[tuple[tuple[bytes, ...], str], ...]] = (
    (
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"RIFF"),
        "This is a picture. Send the CV as PDF or .docx, or paste its text.",
    ),
    ((b"{\\rtf",), "This is an RTF file. Save it as .docx or PDF."),
    ((b"<",), "This is HTML or XML. Save the page as PDF, or paste its text."),
    ((_OLE,), "This is an old Word file (.doc). Save it as .docx or PDF."),
)


class UnsupportedResume(BadRequest):
    """The kind of file is not one we read."""

    code = "unsupported_resume"
    status = 415
    public = "I can read PDF, Word (.docx), Markdown, plain text and JSON Resume files. Save your CV as one of these."


class UnreadableResume(BadRequest):
    """The kind is right, but there is nothing to read in it."""

    code = "unreadable_resume"
    status = 422
    public = "The file is damaged and cannot be read. Open it, save it anew as PDF or .docx, and send that."


class EncryptedResume(UnreadableResume):
    code = "encrypted_resume"
    public = "The file is protected with a password. Save a copy without protection and send that, or paste the text."


class ScannedResume(UnreadableResume):
    code = "scanned_resume"
    public = (
        "The file holds only pictures of text, as a scan does, so there is nothing to read. Export the CV from the "
        "program it was written in, run text recognition (OCR) over it, or paste the text."
    )


class EmptyResume(UnreadableResume):
    code = "empty_resume"
    public = "There is too little text to be a CV. Send the whole CV: its sections, jobs and skills."


class NotAResume(UnreadableResume):
    code = "not_a_resume"
    public = (
        "I find nothing of a CV in this: no job, education or skills, and nobody's name. A CV that you gave before is "
        "kept as it is. If this is yours, give its parts headings such as “Experience”, “Education” and “Skills”, and "
        "send it again."
    )


class SlowResume(UnreadableResume):
    code = "slow_resume"
    public = "The file took too long to read. Save it anew as a plain PDF without drawings, or paste the text."


class UnsafeResume(UnreadableResume):
    code = "unsafe_resume"
    public = (
        "The file unpacks to far more than it should, so it was not opened. Save it anew as PDF, or paste the text."
    )


class ResumeReaderBusy(SignalboxError):
    code = "busy"
    status = 503
    retry = True
    public = "Many CVs are being read just now. Please send yours again in a moment, or paste its text."


class ResumeTooLarge(PayloadTooLarge):
    code = "resume_too_large"
    public = f"The CV is larger than {MAX_BYTES // 1_000_000} MB or {MAX_PAGES} pages. Send a shorter one."


# Links stand in any document.
_SOMEBODYS: Final = frozenset({"name", "email", "odd_email", "phone", "street", "private", "photo"})
_FAULTS: Final[dict[str, type[BadRequest | PayloadTooLarge]]] = {
    "encrypted": EncryptedResume,
    "scanned": ScannedResume,
    "empty": EmptyResume,
    "bomb": UnsafeResume,
    "too_many_pages": ResumeTooLarge,
}


class ResumeReader:
    """Reads CVs, at most ``at_once`` office files at a time. Safe to share.

    Every method raises the errors above and leaves nothing behind when it is cancelled.
    """

    _modules: ClassVar[dict[Kind, str]] = {
        "pdf": "signalbox.memory.resume.pdf",
        "docx": "signalbox.memory.resume.docx",
    }

    def __init__(self, *, at_once: int = 2, parse_s: float = PARSE_S) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._parse_s = parse_s

    async def file(self, data: bytes, name: str) -> ResumeReading:
        """A CV from the bytes of a file; ``name`` is only shown, never trusted, and kept without contact data."""
        kind, name = kind_of(data), file_name_of(name)
        if kind in self._modules:
            answer = await self._parsed(kind, data)
            return _checked(await asyncio.to_thread(_of_answer, answer, name))
        text = _decoded(data)
        if kind == "json":
            return await self.json(await asyncio.to_thread(json_of, text), name)
        return await self.text(text, source=name)

    async def text(self, text: str, *, source: str = PASTED) -> ResumeReading:
        """A CV from pasted text or Markdown; JSON Resume is recognised."""
        if len(text) > MAX_CHARS:
            raise ResumeTooLarge(f"The text has {len(text):,} characters; a CV may have {MAX_CHARS:,}.")
        if text.lstrip().startswith("{") and is_json_resume(value := await asyncio.to_thread(json_of, text)):
            return await self.json(value, source)
        return _checked(await asyncio.to_thread(read_text, text, source=source))

    async def json(self, value: Any, source: str) -> ResumeReading:
        """A CV from a JSON Resume object."""
        if not is_json_resume(value):
            raise UnreadableResume(
                "This JSON is no JSON Resume: I look for 'basics', 'work', 'education' and 'skills' in one object."
            )
        return _checked(await asyncio.to_thread(read_json, value, source=source))

    async def _parsed(self, kind: Kind, data: bytes) -> dict[str, Any]:
        try:
            async with asyncio.timeout(QUEUE_S):
                await self._slots.acquire()
        except TimeoutError as exc:
            raise ResumeReaderBusy from exc
        try:
            code, out, err = await self._run(kind, data)
        finally:
            self._slots.release()
        if code:
            reason = err.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
            logger.info("a CV could not be parsed", kind=kind, exit=code, reason=reason)
            raise UnreadableResume if code > 0 else SlowResume
        answer: dict[str, Any] = json.loads(out)
        if fault := answer.get("fault"):
            raise _FAULTS[fault]
        return answer

    async def _run(self, kind: Kind, data: bytes) -> tuple[int | None, bytes, bytes]:
        """The exit code of the parser's process, and what it wrote. However this ends, the process has ended, too."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self._modules[kind],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_harmless_environment(),
        )
        try:
            async with asyncio.timeout(self._parse_s):
                out, err = await process.communicate(data)
        except TimeoutError as exc:
            raise SlowResume from exc
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        return process.returncode, out, err


def _harmless_environment() -> dict[str, str]:
    """Without our settings: a process that opens strangers' files has no need of keys."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(_SECRETS)}


def kind_of(data: bytes) -> Kind:
    """What the bytes are, whatever their name says. Raises ``UnsupportedResume``."""
    start = data[:1_024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise EmptyResume("The file is empty. Send the file of your CV again.")
    if b"%PDF-" in start:
        return "pdf"
    if start.startswith(b"PK\x03\x04"):
        if b"word/" in data:
            return "docx"
        raise UnsupportedResume("This is an archive or another office format. Save your CV as PDF or .docx.")
    if start.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        raise EncryptedResume
    for starts, what_to_do in _REFUSED:
        if start.startswith(starts):
            raise UnsupportedResume(what_to_do)
    if b"\x00" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnsupportedResume
    return "json" if start.startswith(b"{") else "text"


def json_of(text: str) -> Any:
    try:
        return from_json(text)
    except ValueError as exc:
        raise UnreadableResume(f"The JSON is not valid: {exc}.") from exc


def _decoded(data: bytes) -> str:
    """Text in UTF-8 or UTF-16, else as Windows wrote it."""
    encodings = ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1" if len(encodings) > 1 else "utf-16", "replace")


def _of_answer(answer: dict[str, Any], name: str) -> ResumeReading:
    pages, photo = answer["pages"], answer["photo"]
    if "text" in answer:
        return read_lines(lines_of(answer["text"]), source=name, pages=pages, photo=photo)
    lines: list[Line] = []
    blank = True
    for row in answer["rows"]:
        found = lines_of(row["text"])
        for number, line in enumerate(found):
            bullet = line.bullet or row["bullet"]
            level = row["level"] if row["level"] > 0 else line.level
            lines.append(replace(line, level=level, bullet=bullet, after_blank=blank and number == 0))
        blank = not found
    return read_lines(lines, source=name, pages=pages, photo=photo)


def _is_another_document(read: ResumeReading) -> bool:
    """It has headings, none of which a CV has, and is nobody's: a manual, say. A CV may be plain prose."""
    resume = read.resume
    somebodys = read.name or resume.headline or not _SOMEBODYS.isdisjoint(resume.contact)
    return bool(resume.sections) and set(resume.sections) == {"other"} and not somebodys


def _checked(read: ResumeReading) -> ResumeReading:
    """Raises ``EmptyResume`` and ``NotAResume`` for what is no CV."""
    if read.resume.words < LEAST_WORDS:
        raise EmptyResume
    if _is_another_document(read):
        raise NotAResume
    return replace(read, resume=read.resume.model_copy(update={"text": clean_text(read.resume.text)}))
