import pytest

from resume_samples import JANE, NO_HEADINGS, NURSE, ON_ONE_LINE, PRIVATE
from signalbox.memory.resume.contact import file_name_of, redacted, town_of
from signalbox.memory.resume.json_resume import read_json
from signalbox.memory.resume.lines import lines_of, section_named
from signalbox.memory.resume.text import read_text


def test_a_plain_cv_is_read_into_its_parts():
    read = read_text(JANE)
    resume = read.resume
    assert read.name == "Jane Doe"
    assert (resume.headline, resume.location) == ("Senior Data Engineer", "Leeds")
    assert [(job.title, job.company, job.start, job.end, job.current) for job in resume.work] == [
        ("Senior Data Engineer", "Northwind Ltd", "2019-03", None, True),
        ("Data Analyst", "Contoso Labs", "2015", "2018", False),
    ]
    assert resume.work[0].highlights[0] == (
        "Responsible for the nightly ETL jobs and for keeping them within their window"
    )
    assert [(e.degree, e.institution, e.end) for e in resume.education] == [
        ("BSc Computer Science", "University of Leeds", "2015")
    ]
    assert set(resume.skills) == {"Python", "SQL", "Go", "Airflow", "Docker", "Tableau"}
    assert [(each.language, each.level) for each in resume.languages] == [("English", "native"), ("German", "B2")]
    assert [(each.name, each.date) for each in resume.certificates] == [("AWS Certified Solutions Architect", "2021")]
    assert resume.sections == (
        "summary", "work", "education", "skills", "languages", "certificates", "references",
    )  # fmt: skip


def test_no_contact_data_is_kept_only_that_there_was_some():
    read = read_text(JANE)
    kept = read.resume.model_dump_json()
    assert [private for private in PRIVATE if private in kept] == []
    assert set(read.resume.contact) == {"name", "email", "link", "phone", "street", "private"}


def test_markdown_headings_and_italic_dates_are_read():
    read = read_text(NURSE)
    assert read.name == "John Smith"
    assert [(job.title, job.company, job.start) for job in read.resume.work] == [
        ("Staff Nurse", "Royal Infirmary", "2016"),
        ("Agency Nurse", "MedStaff", "2021-01"),
    ]
    assert read.resume.location == "Manchester, UK"
    assert [part.section for part in read.resume.other] == ["interests"]


def test_a_cv_pasted_onto_one_line_falls_apart_at_its_headings_and_dates():
    resume = read_text(ON_ONE_LINE).resume
    assert [(job.title, job.company, job.current) for job in resume.work] == [
        ("Sales assistant", "shoe shop", False),
        ("Shift leader", "same shop", True),
    ]
    assert resume.skills == ("English", "Italian", "cash handling")
    assert resume.education[0].degree == "diploma in accounting"


def test_without_headings_jobs_begin_at_their_dates():
    read = read_text(NO_HEADINGS)
    assert read.resume.location == "Rome"
    assert [(job.title, len(job.highlights)) for job in read.resume.work] == [("Waitress", 2), ("Head Waitress", 1)]
    assert "odd_email" in read.resume.contact


def test_two_columns_side_by_side_are_read_one_after_the_other():
    left = ["SKILLS", "Python", "SQL", "Docker", "Kafka", "Airflow", "LANGUAGES", "English"]
    right = [
        "WORK EXPERIENCE", "Data Engineer, Acme Ltd", "2019 - 2021", "- Built 12 pipelines", "- Led 3 people",
        "Data Analyst, Initech", "2017 - 2019", "- Wrote 40 reports",
    ]  # fmt: skip
    text = "\n".join(f"{one:<30}{two}" for one, two in zip(left, right, strict=True))
    resume = read_text(text).resume
    assert resume.skills == ("Python", "SQL", "Docker", "Kafka", "Airflow")
    assert [(job.title, job.start) for job in resume.work] == [("Data Engineer", "2019"), ("Data Analyst", "2017")]


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Call +49 (0)30 1234567 or write a.b@c.example", "Call or write"),
        ("2018 - 2022", "2018 - 2022"),
        ("Managed a budget of 1 200 000", "Managed a budget of 1 200 000"),
        ("Raised sales from 1000000 to 2000000 in 2019-2021", "Raised sales from 1000000 to 2000000 in 2019-2021"),
        ("Code at https://github.com/jd and more", "Code at and more"),
        ("a 54-year-old engineer", "a engineer"),
        ("Version 10.2.14.7", "Version 10.2.14.7"),
        ("jz (at) ex (dot) org", ""),
        ("Write to jz at ex dot org", "Write to"),
        ("Skype: janez | Leeds", "Leeds"),
        ("Find me on t.me/janez", "Find me on"),
        ("Discord: bots for 300 people", "Discord: bots for 300 people"),
        ("ASP.net/C#, CI/CD and Node.js/React", "ASP.net/C#, CI/CD and Node.js/React"),
        ("born 1 May 1990", ""),
        ("geb. 01.05.1990 in Köln", ""),
        ("Geburtsdatum 1.5.1990", ""),
        ("Née le 1er mai 1990", ""),
        ("*01.05.1990 in Köln", ""),
        ("Leeds | Date of birth: 3 May 1988", "Leeds"),
        ("I was born on 1 May 1990 and grew up in Leeds.", "I was born and grew up in Leeds."),
        ("Née Dupont; worked for Nato in 2019", "Née Dupont; worked for Nato in 2019"),
        ("Released on 2021-11-05", "Released on 2021-11-05"),
    ],
)
def test_contact_data_goes_and_figures_stay(line, kept):
    assert redacted(line, {}) == kept


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("janez.dev", ""),
        ("Leeds | janez.dev | @janez | GitHub: janez", "Leeds"),
        ("Senior Engineer | Booking.com", "Senior Engineer | Booking.com"),
        ("Node.js", "Node.js"),
        ("python, socket.io, nginx.conf", "python, socket.io, nginx.conf"),
        ("jz@ex.org, janez.dev, Leeds", "Leeds"),
        ("12 Rosenweg, 10115 Berlin", "Berlin"),
        ("Rosenhof 12, 10115 Berlin", "Berlin"),
        ("12 The Oaks, Leeds LS1 4AB", "Leeds"),
    ],
)
def test_on_a_line_of_contact_data_bare_sites_handles_and_streets_go(line, kept):
    assert redacted(line, {}, in_head=True) == kept


@pytest.mark.parametrize(
    "head",
    ["12 Rosenweg, 10115 Berlin\nData Engineer", "Data Engineer | 12 Rosenweg, 10115 Berlin | geb. 01.05.1990 in Köln"],
)
def test_of_an_address_only_the_town_is_kept(head):
    body = "\n\nEXPERIENCE\nData Engineer, Acme, 2019 - 2021\n\nCONTACT\njanez.dev\n\nSKILLS\nPython, Node.js\n"
    resume = read_text(f"Jana Zeman\n{head}{body}").resume
    assert resume.location == "Berlin"
    assert [
        part for part in ("Rosenweg", "10115", "1990", "Köln", "janez.dev") if part in resume.model_dump_json()
    ] == []
    assert "street" in resume.contact
    assert "Node.js" in resume.skills


@pytest.mark.parametrize(
    ("place", "town"),
    [
        ("12 Rosenweg, Berlin", "Berlin"),
        ("Rosenweg, Berlin, Germany", "Berlin, Germany"),
        ("New York, NY 10001", "New York, NY"),
        ("St. Gallen, CH", "St. Gallen, CH"),
        ("12 Rosenweg", ""),
    ],
)
def test_a_place_is_town_region_and_country(place, town):
    assert town_of(place) == town


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("jane.zzyzx@example.org.pdf", "CV.pdf"),
        ("CV +49 30 9876543.pdf", "CV.pdf"),
        ("CV_+49_30_9876543.pdf", "CV.pdf"),
        ("CV Jane geb. 01.05.1990.pdf", "CV Jane.pdf"),
        ("Jane_Doe_CV.pdf", "Jane_Doe_CV.pdf"),
        ("cv-2023-11-05.final.docx", "cv-2023-11-05.final.docx"),
        ("CV", "CV"),
    ],
)
def test_the_name_of_a_file_is_kept_without_contact_data(sent, shown):
    assert file_name_of(sent) == shown


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("W O R K  E X P E R I E N C E".replace("  ", " "), "work"),
        ("Skills & Tools", "skills"),
        ("Berufserfahrung", "work"),
        ("Formation", "education"),
        ("Licences and certificates", "certificates"),
        ("Northwind", None),
    ],
)
def test_headings_have_many_wordings(heading, kind):
    assert section_named(heading) == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\x01",
        "-",
        "# ",
        "||||",
        "• • •",
        "2019",
        "a" * 200_000,
        "\n" * 5_000,
        "1.\n2.\n3.",
        "(((((",
        "\ud800 x",
    ],
)
def test_any_text_has_a_reading(text):
    assert read_text(text).resume.source == "pasted"


def test_wrapped_bullets_and_symbol_fonts_are_mended():
    lines = lines_of("EXPERIENCE\n\uf0b7 Built a thing\n\uf0b7 Built another\n")
    assert [(line.text, line.bullet) for line in lines[1:]] == [("Built a thing", True), ("Built another", True)]


def test_dates_before_titles_and_places_at_the_margin_are_sorted_out():
    text = """PRIYA NAIR, RN
Chicago, IL 60601

EXPERIENCE
NORTHSIDE HOSPITAL                                                        Chicago, IL
Registered Nurse, ICU                                              08/2019 – Present
• Precepted 11 new graduate nurses
June 2016 – July 2019
Staff Nurse, Lakeview Medical Center, Chicago
Tech: Epic, Cerner
Gave medication to 24 patients a day.

LICENSES & CERTIFICATIONS
RN, State of Illinois (2016)
ACLS, BLS
"""
    resume = read_text(text).resume
    assert [(job.title, job.company, job.location, job.start) for job in resume.work] == [
        ("Registered Nurse, ICU", "NORTHSIDE HOSPITAL", "Chicago, IL", "2019-08"),
        ("Staff Nurse", "Lakeview Medical Center", "Chicago", "2016-06"),
    ]
    assert resume.work[1].highlights == ("Tech: Epic, Cerner", "Gave medication to 24 patients a day.")
    assert [each.name for each in resume.certificates] == ["RN", "ACLS", "BLS"]


def test_a_german_cv_is_read():
    text = """Lebenslauf
Anna Schmidt
Musterstraße 5, 10115 Berlin
Geburtsdatum: 03.04.1990

Berufserfahrung
03/2018 – heute: Buchhalterin, Muster GmbH, Berlin
- Einführung von DATEV für 3 Standorte
Kenntnisse
DATEV, SAP
"""
    read = read_text(text)
    (job,) = read.resume.work
    assert (job.title, job.company, job.location, job.current) == ("Buchhalterin", "Muster GmbH", "Berlin", True)
    assert (read.name, read.resume.location) == ("Anna Schmidt", "Berlin")
    assert set(read.resume.contact) == {"name", "street", "private"}
    assert "1990" not in read.resume.text


def test_a_json_resume_keeps_the_town_of_an_address():
    for location in ("12 Rosenweg, 10115 Berlin", {"city": "12 Rosenweg, Berlin"}, {"address": "x", "city": "Berlin"}):
        read = read_json({"basics": {"location": location, "summary": "Born 1 May 1990, baker."}}, source="pasted")
        assert read.resume.location == "Berlin"
        assert "1990" not in read.resume.model_dump_json()
