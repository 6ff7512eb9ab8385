"""Files of every kind, and what is said of those that cannot be read."""

import asyncio
import io
import json
import time
import zipfile

import docx
import pytest

from resume_samples import JANE, NURSE, PRIVATE, pdf, saved, with_part, word
from signalbox.errors import BadRequest, PayloadTooLarge
from signalbox.memory.resume.reading import ResumeReader


@pytest.fixture(scope="module")
def reader():
    return ResumeReader(parse_s=60)


async def fault(reader, data: bytes) -> str:
    with pytest.raises((BadRequest, PayloadTooLarge)) as caught:
        await reader.file(data, "cv")
    assert len(caught.value.public) > 30
    return caught.value.code


@pytest.mark.parametrize(
    "make", [lambda: pdf(JANE.split("\n")), lambda: word(JANE), JANE.encode, lambda: JANE.encode("utf-16")]
)
async def test_a_cv_reads_the_same_from_pdf_word_and_text(reader, make):
    read = await reader.file(make(), "jane.bin")
    resume = read.resume
    assert [(job.title, job.company, len(job.highlights)) for job in resume.work] == [
        ("Senior Data Engineer", "Northwind Ltd", 3),
        ("Data Analyst", "Contoso Labs", 2),
    ]
    assert read.name == "Jane Doe"
    assert resume.source == "jane.bin"
    assert {"Python", "Tableau"} <= set(resume.skills)
    assert [private for private in PRIVATE if private in resume.model_dump_json()] == []


async def test_word_headers_and_tables_are_read_too(reader):
    read = await reader.file(word(JANE), "cv.docx")
    assert "header@example.org" not in read.resume.text
    assert [part.lines for part in read.resume.other if part.section == "interests"] == [("Chess",)]


async def test_text_in_windows_encoding_is_read(reader):
    read = await reader.file(NURSE.replace("John Smith", "Zoë Brontë").encode("cp1252", "replace"), "cv.txt")
    assert read.name == "Zoë Brontë"


async def test_pages_are_counted_and_too_many_refused(reader):
    lines = JANE.split("\n")
    assert (await reader.file(pdf(lines[:20], lines[20:]), "cv.pdf")).resume.pages == 2
    assert await fault(reader, pdf(*[["hello"]] * 31)) == "resume_too_large"


async def test_each_unreadable_file_says_what_to_do(reader):
    plain = word(JANE)
    assert await fault(reader, b"") == "empty_resume"
    assert await fault(reader, b"Hello there") == "empty_resume"
    assert await fault(reader, pdf([""])) == "scanned_resume"
    assert await fault(reader, b"%PDF-1.4 xxxx") == "unreadable_resume"
    assert await fault(reader, plain[: len(plain) // 2]) == "unreadable_resume"
    assert await fault(reader, saved(docx.Document())) == "empty_resume"
    assert await fault(reader, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)) == "unsupported_resume"
    encrypted = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    assert await fault(reader, encrypted) == "encrypted_resume"
    for start in (b"\x89PNG\r\n", b"\xff\xd8\xff\xe0", b"{\\rtf1", b"<html>", b"MZ\x00\x01"):
        assert await fault(reader, start + b"x" * 100) == "unsupported_resume"
    assert await fault(reader, b'{"a": 1}') == "unreadable_resume"
    assert await fault(reader, b'{"basics": ') == "unreadable_resume"


async def test_an_encrypted_pdf_is_named_as_such(reader):
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(JANE.split("\n")))))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    assert await fault(reader, out.getvalue()) == "encrypted_resume"


async def test_bombs_are_not_opened(reader):
    plain = word(JANE)
    zeros = io.BytesIO()
    with zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 80_000_000)
    assert await fault(reader, zeros.getvalue()) == "unsafe_resume"
    laughs = b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w>&b;</w>'
    assert await fault(reader, with_part(plain, "word/document.xml", laughs)) == "unsafe_resume"
    sixteen = laughs.decode().replace('"1.0"', '"1.0" encoding="utf-16"').encode("utf-16")
    assert await fault(reader, with_part(plain, "word/document.xml", sixteen)) == "unsafe_resume"


async def test_a_file_that_takes_too_long_is_given_up_and_its_process_ended():
    hasty = ResumeReader(parse_s=0.001)
    started = time.monotonic()
    assert await fault(hasty, pdf(JANE.split("\n"))) == "slow_resume"
    assert time.monotonic() - started < 30


async def test_a_cancelled_reading_leaves_its_place_to_others():
    reader = ResumeReader(at_once=1)
    task = asyncio.create_task(reader.file(pdf(JANE.split("\n")), "cv.pdf"))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await reader.file(pdf(JANE.split("\n")), "cv.pdf")).name == "Jane Doe"


async def test_json_resumes_of_the_format_are_read(reader, shared):
    folder = shared / "data" / "jsonresume"
    for path in sorted(folder.glob("*resume*.json")):
        value = json.loads(path.read_text())
        read = await reader.file(path.read_bytes(), path.name)
        assert read.name == value["basics"]["name"]
        assert [job.title for job in read.resume.work] == [job["position"] for job in value["work"]]
        assert value["basics"]["email"] not in read.resume.model_dump_json()
        assert value["basics"]["phone"] not in read.resume.model_dump_json()
        assert {"email", "phone"} <= set(read.resume.contact)


async def test_json_that_is_not_quite_to_the_format_is_read_as_far_as_it_goes(reader):
    value = {
        "basics": {"name": "Ann Poe", "label": None, "location": "Cork", "summary": "Mail me: ann@poe.example"},
        "work": {"company": "Acme", "title": "Cook", "startDate": "2020-13-45", "highlights": "Fed 300 guests a night"},
        "skills": ["Cooking", {"name": "Baking"}, 7, None, {"keywords": [["x"]]}],
        "languages": ["Irish"],
        "education": "none",
        "certificates": [{"name": 3}, {}],
    }
    resume = (await reader.text(json.dumps(value))).resume
    assert resume.work[0].highlights == ("Fed 300 guests a night",)
    assert (resume.work[0].company, resume.work[0].start) == ("Acme", "2020")
    assert resume.skills == ("Cooking", "Baking", "7")
    assert "ann@poe.example" not in resume.model_dump_json()


MANUAL = """# Widget

A small tool that turns lists into tables, for anybody who has many lists and no time at all.

## Install

Run the installer and answer its questions; see https://example.com/widget for more of it.

## Troubleshooting

If nothing happens, run it again.
"""


async def test_a_document_that_is_nobodys_cv_is_refused_and_told_how_a_cv_would_be_understood(reader):
    assert await fault(reader, MANUAL.encode()) == "not_a_resume"


@pytest.mark.parametrize(
    "text",
    [
        MANUAL.replace("# Widget", "# Jane Doe"),
        MANUAL.replace("Troubleshooting", "Skills"),
        MANUAL.replace("A small tool", "Call +44 7700 900123. A small tool"),
        MANUAL.replace("# ", "").replace("#", ""),
        "I have worked for eight years on wards, first in Leeds and then in Bradford, and like children best.",
    ],
)
async def test_what_may_be_somebodys_cv_is_taken_however_little_of_it_is_understood(reader, text):
    assert (await reader.text(text)).resume.words >= 15
