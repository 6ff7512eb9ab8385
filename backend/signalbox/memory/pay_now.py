"""Whether a clause tells what its writer is paid today: a fact of theirs, and no limit for what they look for. Pure."""

import re
from typing import Final

_NOW: Final = (
    r"(?:(?:currently|now|already|actually|only|just|really|presently|at present|at the moment|in fact|still|today|"
    r"do|even|nowadays|honestly)\s+)*"
)
_WAGE: Final = r"(?:salary|pay|wages?|income|earnings|pay ?packet|take-home(?: pay)?)"
_ABOUT: Final = r"(?:(?:about|around|roughly|some|nearly|almost|over|under|exactly|just|only)\s+)*"
_FIGURE: Final = rf"{_ABOUT}(?:[£$€]\s?)?\d"
# "A job where I earn 50k" and "so I earn more" are wished for.
_NOT_WISHED: Final = (
    r"(?<!where )(?<!so )(?<!so that )(?<!until )(?<!till )(?<!unless )(?<!if )(?<!when )(?<!which )(?<!sure )"
    r"(?<!sure that )"
)
_PAY_NOW = re.compile(
    rf"{_NOT_WISHED}\b(?:i(?:'m| am|m|'ve been| have been|'d been)?\s+{_NOW}(?:earn(?:ing)?|mak(?:e|ing)(?! (?:that|it|"
    rf"this)\b)|get(?:ting)? paid|paid|tak(?:e|ing) home|bring(?:ing)? (?:home|in)|get(?:ting)?(?=\s+{_FIGURE}))\b"
    rf"|i(?:'m| am|m)\s+{_NOW}on\b|i\s+{_NOW}(?:was|used to)\b"
    rf"|(?:my )?current(?:ly)? (?:{_WAGE}|on|mak\w+|earn\w*|paid)\b"
    rf"|my {_WAGE}(?:\s+(?:right now|at the moment|now|today))?(?:'s| is| was)\s+{_NOW}{_FIGURE}"
    rf"|(?:they|my (?:boss|employer|company|work)) {_NOW}pays? me\b|my (?:boss|employer|company) {_NOW}pays\b)",
    re.IGNORECASE,
)
# "My salary is 50k minimum" names the least.
_LEAST = re.compile(
    r"\b(?:min(?:imum)?|at least|or (?:more|above)|upwards|floor|no less)\b|\d\s?k?\s?\+", re.IGNORECASE
)


def tells_pay_now(clause: str) -> bool:
    match = _PAY_NOW.search(clause.replace("’", "'"))
    return match is not None and not (match[0][:2].casefold() == "my" and _LEAST.search(clause))
