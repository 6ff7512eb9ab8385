"""The post a clause speaks of: "as a planner", "the Staff Nurse job", "for a night shift role at". Pure."""

import re
from typing import Final

from signalbox.memory.statement_rules import is_occupation
from signalbox.memory.words import words_in

# Stands for an employer's name, so that no title reaches across it.
MASK: Final = "\0"
# Stands for a comma inside a title, so that it parts nothing.
COMMA: Final = "\ue000"

_WORDS: Final = rf"[\w+#./&'’(){COMMA}-]+(?:\s+[\w+#./&'’(){COMMA}-]+){{0,6}}"
_LAZY: Final = rf"[\w+#./&'’(){COMMA}-]+(?:\s+[\w+#./&'’(){COMMA}-]+){{0,6}}?"
_POST: Final = r"(?:jobs?|role|position|post|vacancy|opening|apprenticeship|contract|traineeship|spot|gig|internship)"
_TITLES: Final = (
    re.compile(rf"\bas\s+(?:an?\s+|the\s+|their\s+)?(?P<title>{_WORDS})", re.IGNORECASE),
    re.compile(rf"\b{_POST}\s+(?:of|as)\s+(?:an?\s+)?(?P<title>{_WORDS})", re.IGNORECASE),
    re.compile(rf"\b(?:for|the|their|an?|my|to)\s+(?P<title>{_LAZY})\s+{_POST}\b", re.IGNORECASE),
    re.compile(rf"\b(?:for|be)\s+(?:an?\s+|the\s+|their\s+)?(?P<title>{_LAZY})\s+(?:at|with|in|to)\b", re.IGNORECASE),
)
_DOUBTFUL: Final = (
    re.compile(r"\b(?:the|my)\s+(?P<title>[\w+#./&'’-]+(?:\s+[\w+#./&'’-]+){0,3}?)\s+(?:application|one|interview)\b",
               re.IGNORECASE),
    re.compile(rf"\bfor\s+(?:an?\s+|the\s+|their\s+)?(?P<title>{_WORDS})", re.IGNORECASE),
)  # fmt: skip
_BEHIND: Final = (
    re.compile(rf"^\W*\bas\s+(?:an?\s+|the\s+)?(?P<title>{_WORDS})", re.IGNORECASE),
    re.compile(rf"^\W*\bfor\s+(?:an?\s+|the\s+|their\s+)?(?P<title>{_LAZY})\s+{_POST}\b", re.IGNORECASE),
    re.compile(rf"^\s*[,:(-]\s*(?P<title>{_WORDS})", re.IGNORECASE),
    re.compile(rf"^\s*\bfor\s+(?:an?\s+|the\s+|their\s+)?(?P<title>{_WORDS})", re.IGNORECASE),
)
_SURE_BEHIND: Final = 2
_BRACKETS = re.compile(r"(?<=\w)\s*\([^()\n]{1,60}\)")
# "Python Developer, Geospatial job at", "as Staff Nurse, Intensive Care".
_QUALIFIED = re.compile(
    r"(?P<last>[A-ZÀ-Þ][\w+#'’-]*),(?=\s+[A-ZÀ-Þ][\w+#'’-]*(?:\s+(?:(?:and|of|&)\s+)?[A-ZÀ-Þ][\w+#'’-]*){0,3}"
    rf"(?:\s+(?:at|with|today|yesterday|on|last|{_POST})\b|\W*$))"
)
_BEFORE_TITLES: Final = frozenset({"as", "for", "of", "be"})
_LEADS = re.compile(r"\b(?:as|for|of|be|to|at|with|by|from)\b", re.IGNORECASE)
_MONTHS: Final = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)\w*"
_STOP = re.compile(
    r"\s+(?:at|with|in|on|to|from|about|over|around|almost|nearly|two|three|four|five|six|a (?:week|month|few|couple|"
    r"fortnight)|an hour|last|this|yesterday|today|tomorrow|and (?:i|they|have|haven'?t|heard|got|no|never|still|"
    r"nothing|then|now)|but|because|since|for|through|via|by|after|before|ages?|recently|earlier|just now|please|"
    rf"\d+\s+(?:days?|weeks?|wks?|months?|years?|{_MONTHS})|\d+(?:st|nd|rd|th)|submitted|sent|back in|"
    r"online|role|position|job|post|monday|tuesday|wednesday|thursday|friday|saturday|sunday|vacancy|again|so|if|which|that|who|when)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_LEADING: Final = words_in(
    """my this that the a an first second third last one other new same next their his her your our to for which what
    any some another second-round open advertised"""
)
# With one of these in it the text is no title.
_NO_TITLE: Final = words_in(
    """i i'm they it me you we us them week weeks day days month months ages while year years final round interview
    interviews phone video screen panel initial tracker list application applications applied apply feedback chaser
    note letter e-mail email reminder reply withdrawn rejected rejection offer interviewed accepted acknowledged status
    soon possible well usual such always there here now hell sure once good bad far anything everything something
    nothing someone another job jobs role withdraw write hear heard news answer word silence example update updates
    one ones invitation invite time chance is was are were been be not no all both these those monday tuesday wednesday
    thursday friday saturday sunday"""
)


def with_whole_titles(message: str) -> str:
    """``message`` with ``COMMA`` for the commas that stand inside titles."""
    text = _BRACKETS.sub(lambda match: match.group().replace(",", COMMA), message)
    return _QUALIFIED.sub(lambda match: match.group()[:-1] + (COMMA if _ends_title(match) else ","), text)


def _ends_title(match: re.Match[str]) -> bool:
    """Whether a title stands before the comma, and no employer as in "to The Guardian, Monzo and Wise"."""
    leads = _LEADS.findall(match.string[: match.start()])
    return bool(leads) and leads[-1].casefold() in _BEFORE_TITLES and is_occupation([match["last"]])


def title_in(clause: str) -> str:
    """The title in a clause whose employers are masked, or ``""``."""
    return _first(_TITLES, clause) or _first(_DOUBTFUL, clause, sure=False)


def title_behind(text: str) -> str:
    """The title right behind an employer's name."""
    return _first(_BEHIND[:_SURE_BEHIND], text) or _first(_BEHIND[_SURE_BEHIND:], text, sure=False)


def _first(patterns: tuple[re.Pattern[str], ...], text: str, *, sure: bool = True) -> str:
    for pattern in patterns:
        for match in pattern.finditer(text):
            if title := _title(match["title"], sure=sure):
                return title
    return ""


def _title(text: str, *, sure: bool) -> str:
    words = _STOP.sub("", f" {text.strip()}").strip(" .,'’()-").split()
    while words and words[0].casefold() in _LEADING:
        words = words[1:]
    while words and words[-1].casefold() in {"and", "or", "&", "-"}:
        words = words[:-1]
    if not words or not _NO_TITLE.isdisjoint(map(str.casefold, words)) or not any(w[:1].isalpha() for w in words):
        return ""
    if (text := " ".join(words).replace(COMMA, ",")).count("(") > text.count(")"):
        text += ")"
    # "For barista" is one word behind a plain "for"; so is "for ages", so the doubtful ones are an occupation.
    return text if sure or is_occupation(words) else ""
