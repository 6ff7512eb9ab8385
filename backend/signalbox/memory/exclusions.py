"""What a sentence says must never be shown. Pure."""

import re
from collections.abc import Iterator

from signalbox.memory.found import Span
from signalbox.memory.profile import NewFact
from signalbox.retrieval.fields import IT, field_or_pronoun
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.skills import SkillVocabulary

_EXCLUDED = re.compile(
    r"\b(?:(?:never|don'?t|do not|stop)\s+(?:ever\s+)?(?:show(?:ing)?|suggest(?:ing)?|recommend(?:ing)?|send(?:ing)?|"
    r"offer(?:ing)?|bring(?:ing)? up)(?:\s+me)?|exclude|block|hide|avoid|blacklist|"
    r"(?:i\s+)?(?:never|don'?t|do not)\s+(?:ever\s+)?want(?:\s+to\s+(?:see|hear (?:about|from))|"
    r"(?=\s+(?:any\s+)?[\w-]+(?: [\w-]+)?\s+(?:jobs|roles|positions|shifts)\b))|"
    r"(?:i\s+)?(?:don'?t|do not|won'?t|will not|can'?t|cannot|can not|never|"
    r"refuse to)\s+(?:ever\s+)?(?:want(?:\s+to)?\s+)?"
    r"(?:(?:work|be)\s+(?=in|at|for|with|on)|(?:work|do)\s+(?=(?:any )?(?:nights?|weekends?|shifts?|on-call|"
    r"overtime|travel)))|"
    r"i'?m done with|nothing in|nothing with|never again (?:any(?:thing)? )?with)"
    r"\s*(?P<what>[^.;!?]{2,120})",
    re.IGNORECASE,
)
_NO_TRAVEL = re.compile(
    r"\b(?:can'?t|cannot|can not|won'?t|will not|don'?t want to|do not want to|not (?:able|willing|going|prepared) to|"
    r"unable to|unwilling to)\s+travel(?:\s+(?:for work|abroad|overnight|at all|regularly|anymore|any more))?"
    r"(?=\W*$|\s*[,;.]|\s+and\b)",
    re.IGNORECASE,
)
# What somebody hates is ruled out where it is a condition of work; nobody filters postings by "my boss" or "Mondays".
_HATED = re.compile(
    r"\b(?:i\s+)?(?:(?:really|absolutely|just|do)\s+)?(?:hate|loathe|detest|despise|can'?t stand|cannot stand|dislike|"
    r"am sick of|'m sick of|am not (?:a fan of|into)|'m not (?:a fan of|into)|don'?t like|do not like)\s+"
    r"(?:(?:doing|working|having to (?:do|work)|being|the|any|on)\s+)*(?P<what>(?:(?:night|evening|weekend|early|"
    r"late|split|"
    r"rotating|12[- ]hour|long) shifts?|shift work|nights?|weekends?|night work|weekend work|on[- ]call|overtime|"
    r"travel(?:l?ing)?|"
    r"cold[- ]call(?:ing|s)?|call[- ]cent(?:re|er)s?|telesales|door[- ]to[- ]door|agenc(?:y|ies)|recruit(?:ers|"
    r"ment agencies)|"
    r"gambling|tobacco|retail|hospitality|sales|start-?ups?|unpaid overtime|zero[- ]hours?(?: contracts?)?)"
    r"(?:(?:\s*,\s*|\s+(?:and|or)\s+)(?:(?:working|doing)\s+)?(?:nights?|weekends?|travel(?:l?ing)?|on[- ]call|"
    r"overtime|"
    r"agencies|recruiters|sales|cold[- ]calling|call[- ]cent(?:re|er)s?|shift work|(?:night|weekend) (?:shifts?|"
    r"work)))*)"
    r"(?=\W*$|\s*[,;.!]|\s+(?:and|but|so|because|jobs?|work|roles?|for work|a lot|abroad)\b)",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"(?:^|[,;]\s*|\band\s+|\bwith\s+|\bplus\s+|\balso\s+|"
    r"\bplease\s+)no\s+(?:more\s+)?(?P<what>[a-z][\w-]*(?:[ -][\w-]+){0,2}?"
    r"(?:(?:,| or| nor)\s+(?:no )?(?:[\w-]+ )?[\w-]+(?=\s*(?:$|[.;!]|,? (?:or|nor|please)\b))){0,4})"
    r"(?=\s*(?:$|[,.;!]|\band\b|\bor\b|\bplease\b|\bfor me\b|\bfrom now\b))",
    re.IGNORECASE,
)
_NOT_A_THING = re.compile(
    r"(?:longer|more|than|that'?s|it'?s|this|that|i|i'm|you|he|she|we|they|what|not|wait|but|thanks?|problem|idea|"
    r"worries|need|preference|matter|degree|experience|car|licen[cs]e|way|"
    r"one|rush|"
    r"(?:fully )?remote|from home|on[- ]?site|office|in[- ]office|relocat\w+|questions?|changes?|clue|"
    r"less than|more than|longer|matter|doubt|children|kids|(?:visa )?sponsorship|visas?|permits?|notice|dependents?|"
    r"convictions?|criminal|issues?|qualifications?|formal|prior|previous|luck|time|money|reply|response|answer)\b",
    re.IGNORECASE,
)
_OBJECT_LEAD = re.compile(
    r"^(?:(?:no|any(?!thing but)|more|the|me|to|from|company|companies|all|anything|jobs?|roles?|postings?|positions?|"
    r"work|ads?|offers?|"
    r"at|in|for|by|with|that (?:need|require|involve|are)|which (?:need|require|involve)|requiring|involving|on|"
    r"called|see|hear|about)\s+)+",
    re.IGNORECASE,
)
_OBJECT_END = re.compile(
    r"\s*(?:,\s*(?:please|save|i|it|so|because|remember|ever|again|in-house|forgot|cant|can't|no matter)\b.*|"
    r"\b(?:again|any ?more|ever|either|please|from now on|as well|"
    r"because|since|for me|though|pls|with you)\b.*|\s(?:jobs?|roles?|postings?|positions?|companies|firms|"
    r"(?<!shift )(?<!night )work|industry|sector|stuff)\s*)$",
    re.IGNORECASE,
)
_CONDITIONED = re.compile(
    r"\b(?:more than|fewer than|less than|over|under|unless|except|if|without|only|a week|that)\b", re.IGNORECASE
)
# "never show me jobs at Acme", "exclude Acme": a name behind either is an employer's.
_AT_AN_EMPLOYER = re.compile(
    r"(?:(?:any|the|jobs?|roles?|work|anything|postings?|from|me)\s+)*(?:compan(?:y|ies)|at|from|"
    r"for)\b",
    re.IGNORECASE,
)
# A bare name behind these is an employer's too, unless it is a skill, a place or an abbreviation.
_BARS = re.compile(
    r"(?:exclude|block|hide|avoid|blacklist)\b|(?:never|don'?t|do not|stop)\s+(?:ever\s+)?(?:show|suggest|"
    r"recommend|send|offer)",
    re.IGNORECASE,
)


def exclusions(sentence: str, vocabulary: SkillVocabulary) -> Iterator[tuple[NewFact, Span]]:
    """What must never be shown. What is said with a condition ("fewer than 50 employees") is left to other rules."""
    if match := _NO_TRAVEL.search(sentence):
        yield NewFact("constraint", "exclude_term", "travel"), match.span()
    for match in _HATED.finditer(sentence):
        for part in re.split(r",|\bor\b|\band\b", match["what"]):
            thing = re.sub(r"^(?:doing|working)\s+", "", part.strip(), flags=re.IGNORECASE).casefold()
            if thing:
                value = "travel" if thing.startswith("travel") else thing
                yield NewFact("constraint", "exclude_term", value), match.span()
    matches = [*_EXCLUDED.finditer(sentence), *_NO_THING.finditer(sentence)]
    for match in matches:
        what = match["what"]
        if _NOT_A_THING.match(what) or _CONDITIONED.search(what):
            continue
        company = _AT_AN_EMPLOYER.match(what) is not None
        for part in re.split(r",|\bor\b|\band\b|\bnor\b", _OBJECT_END.sub("", what)):
            thing = _OBJECT_END.sub("", _OBJECT_LEAD.sub("", part.strip() + " ").strip()).strip(" '\"")
            thing = field_or_pronoun(thing, match.group()) or ""
            if not thing or len(thing.split()) > 4:
                continue
            if thing == IT:
                yield NewFact("constraint", "exclude_term", IT), match.span()
                continue
            is_company = thing[0].isupper() and (
                company or (_BARS.match(match.group()) is not None and _may_be_an_employer(thing, vocabulary))
            )
            fact = (
                NewFact("constraint", "exclude_company", thing)
                if is_company
                else NewFact("constraint", "exclude_term", thing.casefold())
            )
            yield fact, match.span()


def _may_be_an_employer(name: str, vocabulary: SkillVocabulary) -> bool:
    return not name.isupper() and vocabulary.canonical(name) is None and gazetteer().find(name) is None
