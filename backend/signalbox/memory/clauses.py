"""The clauses of a sentence, and what may stand around a plain statement about the search without changing it. Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

_WORDS_BEFORE: Final = (
    # "No office work" is no answer before "office work".
    r"actually|ok|okay|so|and|but|also|well|then|now|oh|ah|yes|yeah|yep|no(?=\s*[,;:.!–—-]|\s+(?:actually|wait|sorry|it|"
    r"i|that|make|not|scratch|please|but|then|ok|okay)\b)|hmm+|right|alright|please|sorry|wait|anyway|"
    r"by the way|btw|on second thoughts?|(?:on|after) reflection|in fact|to be honest|honestly|frankly|"
    r"thinking about it|come to think of it|having thought about it|i think|i guess|i suppose|i(?:'ve| have) decided|"
    r"i realised?|you know what|fine|hi|hello|hey|thanks|just so you know|fyi|after all|good news|update|correction|"
    r"from now on|from here on|these days|again|first of all|for me|it turns out|turns out|"
    r"i(?:'ve| have)? changed my mind|i(?:'ve| have) thought about it|scratch that|let me correct that|"
    r"(?:i know )?(?:what )?i (?:said|asked for|told you|wanted|mentioned|insisted on)[^,;:.!?\d]{0,50}?(?=[,;:]|"
    r"\sbut\s)"
)
_WORDS_AFTER: Final = (
    r"now|too|again|as well|also|then|for me|with me|by me|to me|after all|these days|from now on|from here on|"
    r"any ?more|any longer|please|pls|thanks|thank you|actually|really|though|either|to be honest|honestly|instead|"
    r"i (?:think|guess|suppose|decided)|i(?:'ve| have) decided|by now|at all|as it (?:happens|turns out)|"
    r"in (?:the )?future|going forward|for this search|in this search|for my search|in my search|for jobs|for work"
)
LEAD: Final = rf"\W*(?:(?:{_WORDS_BEFORE})(?:\W+|$))*"
TAIL: Final = rf"(?:\W+(?:{_WORDS_AFTER})\b)*\W*"

_MOST_CLAUSES: Final = 8

_SPLIT = re.compile(
    r"\s*[,;:–—]\s*|\s+-\s+|\s+(?:and|but|so|because|since|although|though|while|whereas|which)\s+|"
    r"\s+as\s+(?=(?:i|it|my|the|we|they|there)\b)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|as long as|provided|providing|only when|only for|in case|depending|depends|except|assuming)\b",
    re.IGNORECASE,
)
# Words of everything that is not the search, of other people, and of what holds for a while or perhaps.
_ELSEWHERE = re.compile(
    r"\b(?:interview\w*|onboarding|induction|visit\w*|meeting\w*|conference|event|party|lunch|workshop|open day|"
    r"letters?|cvs?|resumes?|résumés?|resumé|forms?|spreadsheet|section|paragraph|sentence|list|(?<!off the "
    r")table|template|"
    r"in (?:that|this|the) (?:ad|advert|posting|offer|role|job|position|company|contract|example)\b|"
    r"at (?:that|this|the) (?:company|firm|place|employer)|(?:that|this|their|his|her|your) (?:\w+ )?(?:job|role|"
    r"company|ad|advert|office|salary|offer|posting)|their|"
    r"(?:my|the) (?:current|last|old|previous|former|first) (?:\w+ )?(?:job|role|salary|pay|boss|employer|company|"
    r"office|contract|position)|"
    r"(?:my )?(?:wife|husband|partner|spouse|boyfriend|girlfriend|brother|sister|mum|mother|dad|father|friend|"
    r"colleague|boss|recruiter|flatmate)s?(?:'s|'|\s+(?:is|was|says?|said|thinks?|wants?|needs?|prefers?|likes?|"
    r"works?|lives?|earns?|makes?|has))|(?:for|to|with|of) (?:my|the|a) (?:wife|husband|partner|spouse|boyfriend|"
    r"girlfriend|brother|sister|son|daughter|mum|mother|dad|father|friends?|colleagues?|boss|dog|cat)|"
    r"says|thinks|reckons|used to|would have|could have|could've|would've|yesterday|tomorrow|until|till|for now|"
    r"for the moment|for the time being|temporarily|next (?:week|month|year)|last (?:week|month|year|time)|"
    r"this (?:week|month)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|for comparison|for example|as an example|"
    r"maybe|perhaps|might|possibly|hopefully|wish|pretend\w*|imagine|court|holiday\w*|(?:in|of|from|around) "
    r"(?:the|my) (?:house|plane|train|kitchen|garden|pub)|my home office|deposit|mortgage|"
    r"not for me)\b",
    re.IGNORECASE,
)


def clauses(sentence: str) -> tuple[str, ...]:
    """The whole sentence, then its clauses where it has more than one."""
    parts = tuple(part for part in _SPLIT.split(sentence, maxsplit=_MOST_CLAUSES) if part.strip())[:_MOST_CLAUSES]
    return (sentence, *parts) if len(parts) > 1 else (sentence,)


def is_condition(sentence: str) -> bool:
    """Whether what it says holds under a condition only."""
    return _CONDITION.search(sentence) is not None


def is_elsewhere(sentence: str) -> bool:
    """Whether it may speak of something other than the search, of others, or of a while only."""
    return _ELSEWHERE.search(sentence) is not None


def whole(pattern: str, clause: str) -> re.Match[str] | None:
    """The match, if ``clause`` says nothing but ``pattern``."""
    return _compiled(pattern).fullmatch(clause)


# One for each thing that somebody has excluded: as many as are spoken of at a time.
@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{LEAD}(?:{pattern}){TAIL}", re.IGNORECASE)


def saying(pattern: str, said: Sequence[str]) -> Iterator[re.Match[str]]:
    """Of these clauses the matches of those that say nothing but ``pattern``."""
    return (match for clause in said if (match := whole(pattern, clause)) is not None)
