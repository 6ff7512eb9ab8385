"""Names of sources as people read them: "nyc_open_data" is "NYC Open Data". Pure."""

import re
from typing import Final

from signalbox.memory.words import words_in

_INITIALS: Final = words_in("api bls cv eu hn it nhs nyc oews ons rss uk un us usa")
_OWN_SPELLING: Final = {"usajobs": "USAJOBS", "github": "GitHub", "remoteok": "Remote OK", "linkedin": "LinkedIn"}
_JOINT = re.compile(r"[_\s]+|(?<=[^\W_])-(?=[^\W_])")


def source_label(name: str) -> str:
    """An identifier in words; a name of one word or with capitals or blanks is kept as it is."""
    kept = " ".join(name.split())
    if not kept or " " in kept or kept != kept.casefold() or "." in kept or kept in _OWN_SPELLING:
        return _OWN_SPELLING.get(kept, kept)
    if not _JOINT.search(kept):
        return kept.upper() if kept in _INITIALS else kept
    return " ".join(_word(word) for word in _JOINT.split(kept) if word)


def _word(word: str) -> str:
    return _OWN_SPELLING.get(word) or (word.upper() if word in _INITIALS else word[:1].upper() + word[1:])
