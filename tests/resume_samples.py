"""Fictional CVs, and files made of them."""

import io
import zipfile
from collections.abc import Sequence

import docx

JANE = """JANE DOE
Senior Data Engineer
12 Elm Street, Leeds LS1 4AB | jane.doe@example.com | +44 7700 900123 | linkedin.com/in/janedoe
Date of birth: 3 May 1988

PROFESSIONAL SUMMARY
Data engineer with 8 years of experience building pipelines in Python and SQL.

WORK EXPERIENCE

Senior Data Engineer, Northwind Ltd, Leeds                  Mar 2019 – Present
• Responsible for the nightly ETL jobs and for keeping
  them within their window
• Cut cloud cost by 30% by moving batch jobs to spot instances
• I helped with the migration to Snowflake

Contoso Labs
Data Analyst
2015 - 2018
- Built dashboards in Tableau for 40 stores
- Worked on reports

EDUCATION
BSc Computer Science, University of Leeds, 2012 - 2015

SKILLS
Languages: Python, SQL, Go
Tools: Airflow, Docker, Tableau

LANGUAGES
English (native), German (B2)

CERTIFICATIONS
AWS Certified Solutions Architect – Amazon, 2021

REFERENCES
Available on request
"""

NURSE = """# John Smith
**Registered Nurse** · Manchester, UK

## About me
Caring nurse with a passion for patients.

## Employment history
### Staff Nurse — Royal Infirmary (2016–2020)
* Cared for 12 patients per shift
* Trained new starters
### Agency Nurse — MedStaff
*Jan 2021 – now*
* Covered wards in 5 hospitals

## Education & training
- BSc Nursing, University of Salford, 2016
- A-levels, 2013

## Hobbies
Climbing
"""

ON_ONE_LINE = (
    "WORK EXPERIENCE 2018 to 2022 Sales assistant, shoe shop, Turin. Served customers, managed the till, arranged the "
    "window. 2022 to today Shift leader, same shop. Responsible for 6 people, stock and complaints. SKILLS English, "
    "Italian, cash handling EDUCATION 2016 diploma in accounting, Turin"
)

NO_HEADINGS = """Maria Rossi
maria99party@mail.example
Waitress in Rome

2019-2022 Waitress at Trattoria Da Mario
served tables
took orders
2022-now Head Waitress, Hotel Lux
trains 4 juniors
"""

PRIVATE = (
    "jane.doe@example.com",
    "7700 900123",
    "Elm Street",
    "LS1 4AB",
    "linkedin.com",
    "May 1988",
    "Jane Doe",
    "JANE DOE",
)


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF of one line of Helvetica after the other."""
    objects: list[bytes] = [
        b"",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    kids: list[int] = []
    for lines in pages:
        shown = b"".join(b"(" + _escaped(line) + b") Tj T*\n" for line in lines)
        stream = b"BT /F1 10 Tf 50 800 Td 14 TL\n" + shown + b"ET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (len(objects) + 1, table, trailer)


def _escaped(line: str) -> bytes:
    raw = line.encode("cp1252", "replace")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def word(text: str) -> bytes:
    """A Word document with its headings styled, its bullets in a list, and a table and a header besides."""
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "header@example.org"
    for row in text.split("\n"):
        if row.isupper() and len(row) > 3:
            document.add_heading(row.title(), 1 if document.paragraphs else 0)
        elif row[:1] in {"•", "-"}:
            document.add_paragraph(row[2:], style="List Bullet")
        else:
            document.add_paragraph(row)
    cells = document.add_table(1, 2).rows[0].cells
    cells[0].text, cells[1].text = "Interests", "Chess"
    return saved(document)


def saved(document) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The archive with one part put in or replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            if item.filename != name:
                new.writestr(item.filename, old.read(item.filename))
        new.writestr(name, content)
    return out.getvalue()
