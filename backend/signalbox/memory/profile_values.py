"""Which keys a profile has and what each may hold: what people and models write is held against this. Pure."""

import re
from typing import Final

# What can be said of a user; all else is a note.
KEYS: Final = (
    *("name", "title", "seniority", "years", "skill", "language", "certificate", "location", "remote", "office_days"),
    *("relocation", "work_time", "salary_min", "currency", "seniority_min", "company_size_min", "company_size_max"),
    *("exclude_company", "exclude_term", "note"),
)
# Codes that rules and filters read; a value of any other spelling would mean nothing to them.
CODES: Final = {
    "remote": frozenset({"only", "no", "preferred", "hybrid", "on-site"}),
    "relocation": frozenset({"yes", "no"}),
    "seniority": frozenset({"intern", "junior", "mid", "senior", "lead", "executive"}),
}
NUMBERS: Final = frozenset({"years", "salary_min", "company_size_min", "company_size_max"})
LONGEST_VALUE: Final = 500
_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
_OFFICE_DAYS: Final = re.compile(r"[0-7](?: at most)?", re.ASCII)
_CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)
# Which CV there is cannot be told, only uploaded.
FIXED: Final = frozenset({"resume"})


def checked_value(key: str, value: str) -> str | None:
    """``value`` on one line and in the spelling that ``key`` wants; None if it can hold no such thing."""
    text = " ".join(value.split())
    if not text or len(text) > LONGEST_VALUE or not any(char.isalnum() for char in text) or key in FIXED:
        return None
    if key in NUMBERS:
        return str(int(text)) if _NUMBER.fullmatch(text) else None
    if key == "office_days":
        return text if _OFFICE_DAYS.fullmatch(text) else None
    if key == "currency":
        return text.upper() if _CURRENCY.fullmatch(text.upper()) else None
    base = key.removesuffix("_min") if key == "seniority_min" else key
    if base in CODES:
        return text.lower() if text.lower() in CODES[base] else None
    return text


def wanted_of(key: str) -> str:
    """What ``key`` may hold, in words."""
    base = key.removesuffix("_min") if key == "seniority_min" else key
    if key in FIXED:
        return "It names your CV and changes when you upload another."
    if key in NUMBERS:
        return "It must be a whole number."
    if key == "office_days":
        return "It must be a number of days a week, like '2', or '2 at most'."
    if key == "currency":
        return "It must be a currency code of three letters, like EUR."
    if base in CODES:
        return f"It must be one of {', '.join(sorted(CODES[base]))}."
    return f"It must be a text of 1 to {LONGEST_VALUE} characters."
