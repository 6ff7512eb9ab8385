from datetime import date

import pytest

from signalbox.memory.resume.dates import find_moment, find_stretch, gaps, moment_of, months_between

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("line", "start", "end", "current"),
    [
        ("Mar 2019 – present", "2019-03", None, True),
        ("03/2019-2021", "2019-03", "2021", False),
        ("2018-22", "2018", "2022", False),
        ("since 2020", "2020", None, True),
        ("Sept '19 to Dec '21", "2019-09", "2021-12", False),
        ("2019-03 - 2020-05", "2019-03", "2020-05", False),
        ("2022 to today Shift leader", "2022", None, True),
        ("01.03.2019 – 31.12.2020", "2019-03", "2020-12", False),
        ("Acme (2019 –)", "2019", None, True),
        ("März 2018 bis heute", "2018-03", None, True),
        ("Acme | 2015—2017 | Leeds", "2015", "2017", False),
        ("1 March 2019 to 3 June 2020", "2019-03", "2020-06", False),
        ("May – Aug 2019", "2019-05", "2019-08", False),
        ("depuis 2017", "2017", None, True),
    ],
)
def test_a_stretch_is_read_in_many_forms(line, start, end, current):
    found = find_stretch(line)
    assert found is not None
    assert (found.start, found.end, found.current) == (start, end, current)


@pytest.mark.parametrize(
    "line", ["May 2014", "grew sales 20-30% in 2019", "room 2020", "2021 to 2019", "call 555-0188"]
)
def test_what_is_no_stretch_is_none(line):
    assert find_stretch(line) is None


def test_one_date_alone_is_a_moment():
    assert [moment_of(text) for text in ("2019-03-01", "03/2019", "2019", "soon")] == [
        "2019-03",
        "2019-03",
        "2019",
        None,
    ]
    moment = find_moment("AWS Architect, June 2021")
    assert moment is not None
    assert moment.end == "2021-06"


def test_overlapping_jobs_are_counted_once():
    assert months_between([("2018", "2019", False), ("2019-06", "2020-01", False)], TODAY) == 25
    assert months_between([("2026-01", None, True), ("2020", None, False)], TODAY) == 11


def test_a_gap_is_only_reported_where_there_surely_is_one():
    assert gaps([("2018-03", "2019-05", False), ("2020-02", None, True)], TODAY) == [("2019-05", "2020-02", 8)]
    assert gaps([("2018", "2019", False), ("2020", None, True)], TODAY) == []
