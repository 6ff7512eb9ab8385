"""What is contact data and what only looks like it: pay, years, ids and versions must never be mangled."""

import re
import time

import pytest

from signalbox.memory.contact_data import SHOWN, ends_without_contact_data, find_contact_data, without_contact_data

PERSONAL = [
    ("write to jane.doe+jobs@example.co.uk please", "jane.doe+jobs@example.co.uk", "email"),
    ("Jane (at) example (dot) org", "Jane (at) example (dot) org", "email"),
    ("mail:o'neil@mail.example.com.", "o'neil@mail.example.com", "email"),
    ("<a.b@xn--bcher-kva.example>", "a.b@xn--bcher-kva.example", "email"),
    ("call me on +49 30 901820", "+49 30 901820", "phone"),
    ("+44 7700 900123", "+44 7700 900123", "phone"),
    ("my mobile (+44 7700 900123)", "+44 7700 900123", "phone"),
    ("my number: +1 (415) 555-2671", "+1 (415) 555-2671", "phone"),
    ("ring 020 7946 0958 after six", "020 7946 0958", "phone"),
    ("(415) 555-2671 is best", "(415) 555-2671", "phone"),
    ("415-555-2671", "415-555-2671", "phone"),
    ("ou au 06 12 34 56 78", "06 12 34 56 78", "phone"),
    ("Handy: 0151 23456789", "0151 23456789", "phone"),
    ("phone: 5551234567", "5551234567", "phone"),
    ("+91 98765 43210", "+91 98765 43210", "phone"),
    ("WhatsApp me at +34 612 34 56 78!", "+34 612 34 56 78", "phone"),
    ("card 4111 1111 1111 1111 exp 12/27", "4111 1111 1111 1111", "card"),
    ("5500-0055-5555-5559", "5500-0055-5555-5559", "card"),
    ("378282246310005", "378282246310005", "card"),
    ("IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00", "account"),
    ("pay to GB29NWBK60161331926819", "GB29NWBK60161331926819", "account"),
    ("SSN 219-09-9999", "219-09-9999", "id"),
    ("NI AB 12 34 56 C", "AB 12 34 56 C", "id"),
    ("my passport number is C01X00T47", "C01X00T47", "id"),
    ("national insurance number: QQ123456B", "QQ123456B", "id"),
    ("Aadhaar number 2345 6789 0123", "2345 6789 0123", "id"),
    ("I live at 221B Baker Street, London NW1 6XE", "221B Baker Street, London NW1 6XE", "street"),
    ("Flat 4, 12 Mill Road", "Flat 4, 12 Mill Road", "street"),
    (
        "at 1600 Amphitheatre Parkway, Mountain View, CA 94043",
        "1600 Amphitheatre Parkway, Mountain View, CA 94043",
        "street",
    ),
    ("Lange Straße 12, 10115 Berlin", "Lange Straße 12", "street"),
    ("12 rue de la Paix", "12 rue de la Paix", "street"),
    ("PO Box 1234", "PO Box 1234", "street"),
]

HARMLESS = [
    "at least £65,000 a year", "between 55000 and 65000", "60k to 80k", "salary 1 200 000 INR", "$120,000 - $150,000",
    "70.000 EUR brutto", "CHF 110'000", "1 234 567 people", "12 345 678", "I earn 4500 a month",
    "from 2015 to 2019", "2019 - 2023", "2015-2019", "2019–2023", "01/2019 - 12/2023", "2024-05-06 12:30:00",
    "12.05.2024", "06/05/2024", "2019 2023", "10 years of experience", "24/7 support", "9-5 job", "40 hours, 5 days",
    "job 4839201123", "job id: 4839201123", "posting #2024-00123-7", "j_3f9a02b1c4", "REQ-2024-10457", "ref 0123456789",
    "requisition number 555-123-4567", "r_90210acb4411", "vacancy 0151 23456789", "ISBN 978-3-16-148410-0",
    "Python 3.11.9", "Java 8u202", "v10.4.2.1", "Kubernetes 1.29.3", "ISO 27001:2022", "IEC 61508-3", "192.168.10.12",
    "C++17 and C#12", "Office 365, Windows 11", "node 20.11.1", "RFC 9110 and 8446", "SOC 2, PCI DSS 4.0",
    "https://jobs.example.com/view/4839201123?ref=0123456789", "www.example.org/jobs/2024/4155552671",
    "https://x.example/call/+442079460958", "5 years at Wall Street", "worked 3 years on the High Street",
    "2 openings on Main street", "12 people in sales", "the 100 best places to work", "NW1 or SE10",
    "jobs near SW1A 1AA",
    "10115 Berlin", "team of 8 at Bell Court Ltd", "50% remote, 2-3 days", "a 4.5 rating", "EUR 85.000,00",
    "find me jobs at Acme", "meet at noon", "look at example.com", "I am good at node.js", "grade A1, level B2",
    "0.5 FTE", "3,000,000 users and 1,500,000 downloads", "37.5 hours",
    "5000000000 requests a day", "1000-5000 employees",
    "call centre agent, 3 years", "signal processing 2018", "GPA 3.85/4.00", "top 10 of 20000", "twitter handle @jane",
    "1234 5678 9012 3456", "DE89 3704 0044 0532 0130 01", "666-12-3456", "id 12345", "port 8080",
]  # fmt: skip


@pytest.mark.parametrize(("text", "found", "kind"), PERSONAL)
def test_contact_data_is_found_whole_and_replaced(text, found, kind):
    (each,) = find_contact_data(text)
    assert (text[each.start : each.end], each.kind) == (found, kind)
    assert without_contact_data(text) == text.replace(found, SHOWN[kind])


@pytest.mark.parametrize("text", HARMLESS)
def test_what_people_say_of_work_is_left_as_it_is(text):
    assert without_contact_data(text) == text


def test_several_in_one_text_are_all_replaced():
    text = "Jane, jane@example.org or +44 20 7946 0958; 12 Mill Road. I want £50k, job 4839201123."
    assert without_contact_data(text) == (
        "Jane, [e-mail address] or [phone number]; [street address]. I want £50k, job 4839201123."
    )


def test_it_is_idempotent():
    for text, *_ in PERSONAL:
        once = without_contact_data(text)
        assert without_contact_data(once) == once


@pytest.mark.parametrize(
    "piece", ["1 ", "a@", "12-", "(0", "+49 ", "A1 ", "at ", "1.", "Main St 1 ", "12 Ab ", "GB29 "]
)
def test_hostile_text_takes_bounded_time(piece):
    text = piece * (20_000 // len(piece))
    began = time.thread_time()
    without_contact_data(text)
    assert time.thread_time() - began < 2, "of its own time, whatever else the machine does"


@pytest.mark.parametrize("before", [0, 18_950, 19_000, 19_480, 19_500, 19_520, 19_999, 20_000, 38_600, 90_000])
def test_however_far_behind_it_is_found_and_only_once(before):
    """Across the edges of the parts in which a long text is looked through."""
    filler = ("word " * 20_000)[:before]
    text = f"{filler} mail jane.roe@example.org or ring 07911 123456 now{filler}"
    assert without_contact_data(text) == f"{filler} mail [e-mail address] or ring [phone number] now{filler}"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("write to jane＠example.com", "write to [e-mail address]"),
        ("call ０７９１１ １２３４５６", "call [phone number]"),
        ("it is jane dot roe at example dot com", "it is [e-mail address]"),
        ("Jane.Roe AT example dot co dot uk!", "[e-mail address]!"),
        ("SSN 123456789", "SSN [ID number]"),
        ("my ssn is 123 45 6789", "my ssn is [ID number]"),
        ("passport X1234567", "passport [ID number]"),
        ("my number is 9876543210", "my number is [phone number]"),
    ],
)
def test_other_ways_to_write_it(text, clean):
    assert without_contact_data(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "I looked at the dot com boom", "we looked at polka dot dresses", "I work at example.com",
        "passport 2024 renewed", "my passport is valid until 2031", "paying social security since 1998",
        "ﬁnance at ½ time, 10² people",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_stays(text):
    assert without_contact_data(text) == text


@pytest.mark.parametrize("filler", ["and on ", "ring 020 7946 0958 or "])
def test_no_part_of_it_is_left_at_a_cut(filler):
    for shift in range(0, 60, 3):
        text = "x" * shift + " call +44 7911 123456 or jane.roe@example.com" + filler * 400 + "y" * shift
        begin, end = ends_without_contact_data(text, 1_000, 500)
        assert not re.search(r"7946|0958|7911|jane|@", begin + end)
        assert begin.startswith("x" * shift + " call [phone number] or [e-mail address]")
        assert end.endswith("y" * shift)
        assert 800 <= len(begin) <= 1_000
        assert 300 <= len(end) <= 500
