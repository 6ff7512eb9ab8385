"""Which hard constraints a sentence takes back beyond doubt: "on-site is fine now", "forget the salary floor". Pure.

An explicit verb that names the rule, or a clause that says nothing else; what only sounds like it is ``loosening``.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from signalbox.blocks import ProfileFact
from signalbox.memory.clauses import clauses, is_condition, is_elsewhere, saying, whole
from signalbox.memory.forgetting import as_new, forgotten
from signalbox.memory.profile import NewFact

_WORK: Final = r"(?: (?:work|working|jobs?|roles?|positions?|ones|companies|firms|shifts?|contracts?))?"
_HOME: Final = rf"(?:(?:fully |full[- ]|100% )?remote(?:ly)?{_WORK}|wfh|(?:working |work )?from home|home[- ]?working)"
_OFFICE: Final = (
    rf"(?:on[- ]?site{_WORK}|(?:working |being |work )?(?:in|at|from) (?:the|an) office|in[- ]office{_WORK}|"
    rf"(?:the |an )?office(?:[- ]based)?{_WORK}|in[- ]person{_WORK}|commut(?:e|ing)|a commute|"
    r"(?:going|go|coming|come|commuting)(?: back)? (?:in)?to (?:the|an) office|going into the office)"
)
_HYBRID: Final = rf"hybrid{_WORK}"
_PAY: Final = r"(?:salary|pay|money|wages?|income|earnings|compensation)"
_FLOOR: Final = (
    rf"(?:(?:minimum|least|min) {_PAY}|{_PAY} (?:floor|minimum|limit|requirement|threshold|expectations?)|floor|"
    r"minimum(?: pay| salary)?)"
)
# What else of the same kind would do, by key, and what the rule itself is called.
_OTHERS: Final = {
    "relocation": r"(?:relocat(?:ing|ion)|moving(?: (?:house|home|city|cities|away|abroad))?)",
    "office_days": r"(?:more (?:office )?days(?: in the office)?|more days)",
    "work_time": rf"(?:full[- ]?time{_WORK}|part[- ]?time{_WORK}|any (?:hours|shifts?|times?)|longer hours|more hours)",
    "seniority_min": r"(?:(?:more )?(?:juniors?|mid[- ]level|entry[- ]level|lower)(?: (?:roles?|jobs?|levels?|ones|"
    r"positions?))?|any level)",
    "company_size_min": r"(?:small(?:er)? (?:companies|firms|ones|businesses)|start-?ups?|any (?:company )?size)",
    "company_size_max": r"(?:(?:big(?:ger)?|large(?:r)?) (?:companies|firms|ones|businesses)|corporat\w+|"
    r"any (?:company )?size)",
}
_CALLED: Final = {
    "relocation": r"(?:no[- ])?(?:relocat(?:ing|ion)|moving)",
    "office_days": r"(?:office days|days in the office|days)",
    "work_time": r"(?:working |work )?(?:hours|times?)",
    "seniority_min": r"(?:seniority|level|minimum level|least level)",
    "company_size_min": r"(?:company )?size(?: of (?:the )?compan(?:y|ies))?",
    "company_size_max": r"(?:company )?size(?: of (?:the )?compan(?:y|ies))?",
}

_ADVERBS: Final = (
    r"(?:(?:also|perfectly|totally|just|actually|now|really|absolutely|quite|completely|all|then|too|again|equally|"
    r"fine and) )*"
)
_GOOD: Final = (
    r"(?:fine|ok(?:ay)?|alright|all right|acceptable|no problem|not a problem|no longer a problem|an option|doable|"
    r"welcome|allowed|good|great|possible)"
)
_IS_FINE: Final = (
    rf"(?:,? (?:(?:is|are|would be|will be|'s)(?: no longer (?:a problem|an issue|off the table|ruled out|excluded)| "
    rf"{_ADVERBS}{_GOOD})|(?:(?:also|now) )*(?:works?|will do|would do|would work)|{_GOOD})|"
    rf"'s {_ADVERBS}{_GOOD})"
)
_CAN: Final = r"i(?:'d| would| could| can|'ll| will)(?: now| also| actually| even| happily| gladly| again)*"
_AM: Final = r"(?:(?:i'm|im|i am|i'd be|i would be|we're)(?: now| also| actually| quite| totally| perfectly| more)* )"
_MIND: Final = r"(?:i )?(?:do not|don't|dont|no longer|wouldn't)(?: really| actually)? mind"
_OPEN: Final = (
    rf"(?:{_AM}?(?:open to|up for|happy (?:with|to (?:do|work|consider|take|accept))|fine with|ok(?:ay)? with|cool "
    rf"with|willing to (?:do|work|consider|take|accept)|prepared to (?:do|work|take|accept)|flexible (?:on|about))"
    rf"|{_CAN} (?:be (?:open to|up for|happy (?:with|to (?:do|work))|fine with|ok(?:ay)? with)|do|work|consider|accept|"
    rf"take|live with|cope with)|{_MIND})(?: (?:also|both|either|some|working|work|doing|taking|considering|"
    r"seeing))*"
)
_SHOW: Final = (
    r"(?:(?:you (?:can|may|could)|feel free to|let's|we can|please) )?(?:now |also )*(?:include|show(?: me)?|consider|"
    r"add|allow|look at|send(?: me)?)(?: also)?"
)
_ALSO: Final = r"(?: (?:too|as well|again|also|now|from now on))+"
_PREFER: Final = (
    r"i(?:'d| would)?(?: now| actually| rather)* (?:prefer|like|rather (?:do|have|work(?: in| from)?))(?: to "
    r"work| to be)?"
)
_MUST: Final = (
    r"(?:a must|must|necessary|required|essential|needed|important|a (?:requirement|condition|deal[- ]?breaker))"
)
_IS_NOT: Final = (
    r"(?:(?:is|are) no longer|(?:isn't|is not|aren't|are not|doesn't have to be|needn't be)(?: really| actually)?)"
)
_IRRELEVANT: Final = (
    rf" (?:(?:does|do)(?:n't| not)(?: really| actually)? (?:matter|count|apply)|no longer (?:matters?|counts?|"
    rf"appl(?:y|ies)|"
    rf"stands?|holds?)|{_IS_NOT} (?:that )?{_MUST}|(?:is|are) (?:irrelevant|secondary|gone|off|history)(?: now)?)"
)
_NEEDED: Final = (
    r"(?:i |we )?(?:no longer|don't|dont|do not)(?: really| actually| any ?more)? (?:need|require|insist on|"
    r"have to have|care about|mind about|have to (?:work|be)|want only|only want|need only|need it to be|need to "
    r"(?:work|be|have))"
)
_NOT_BE: Final = (
    r"(?:it|this|that|they|the (?:job|role)|a job|jobs)? ?(?:does not|doesn't|doesnt|do not|don't|no longer|needn't|"
    r"need not)(?: really| actually)? ?(?:needs?|ha(?:s|ve))?(?: to)?(?: be)?"
)
_VERB: Final = (
    r"(?:forget|ignore|lift|relax|waive|cancel|never ?mind|nvm|disregard|skip|loosen|leave out|scratch|scrap|drop|"
    r"take back|undo|remove|delete|clear|lose|ditch|get rid of|reset|unset)"
)
# What one says of a rule; a salary may also be removed from a letter, and a city be skipped on a list.
_SURE_VERB = re.compile(r"(?:forget|never ?mind|nvm|scrap|drop|lift|scratch|ditch)", re.IGNORECASE)
_ASKED: Final = r"(?:(?:please|let's|lets|you (?:can|may|could)|i(?:'d| would) like to|i want to|just|we can) )*"
_RULE: Final = (
    r"(?:rules?|things?|limits?|filters?|restrictions?|constraints?|conditions?|requirements?|exclusions?|bans?|"
    r"part|bit|"
    r"stuff|criteri(?:on|a)|preference)"
)
_BEFORE: Final = (
    r"(?: (?:that )?(?:i|we) (?:gave|mentioned|set|had|told|said|asked for|stated)(?: you)?)?(?: earlier| before)?"
)
_DROPPED: Final = (
    rf"{_ASKED}(?:(?P<verb>{_VERB})(?: about)?|(?P<mind>(?:i(?:'ve| have)? )?changed my mind (?:about|on)))"
    rf"(?: (?P<said>what i (?:said|told you|wrote) (?:about|on)))?(?: (?:my|the|that|this|those|any))*"
    rf" (?P<what>[^,;:.!?]{{2,70}}?)(?: (?P<rule>{_RULE}))?{_BEFORE}"
)
_GONE: Final = (
    rf"(?:the|my|that) (?P<what>[^,;:.!?]{{2,60}}?) {_RULE} (?:can go|may go|is gone|has gone|no longer "
    rf"(?:applies|counts|"
    r"matters|stands|holds)|doesn't (?:apply|count|matter))"
)
_LAST_RULE: Final = rf"{_ASKED}{_VERB}(?: about)? (?:my|the|that|this|last) (?:last |only )?{_RULE}"
_FIGURE: Final = r"(?:£|\$|€)?\s?(?P<number>\d{1,3}(?:[,.]\d{3})+|\d{1,7})(?P<kilo>\s?k)?"
_GROUPS = re.compile(r"\?P<\w+>")
_AGAIN = re.compile(r"\bstill\b", re.IGNORECASE)
_NO_MINIMUM: Final = (
    rf"(?:(?:i|we) (?:have|need) |there(?:'s| is) )?no (?:more |longer any |longer a )?{_FLOOR}(?: needed| required)?"
)
_LESS: Final = (
    rf"(?:i(?:'d| would| could| can|'ll| will)?(?: also| even| happily| now)? (?:take|accept|settle for|consider|"
    rf"live with|"
    rf"work for) (?:a )?(?:bit )?(?:less|lower)(?: {_PAY})?|(?:less|lower)(?: {_PAY})?{_IS_FINE}|"
    r"i (?:can|could|would|will) go lower)"
)
_OTHER_PLACES: Final = (
    r"(?:(?:jobs |work |roles )?(?:anywhere(?: else)?(?: (?:in|within) (?:the )?[\w-]+(?: [\w-]+)?)?|somewhere else|"
    r"in any (?:city|town|place|location)|any (?:city|town|place|location)|other (?:cities|towns|places|locations)))"
)
_LISTED: Final = frozenset({"exclude_term", "exclude_company", "stated"})
_MOST_LISTED: Final = 20
_STOP: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "my",
        "this",
        "that",
        "any",
        "to",
        "of",
        "for",
        "in",
        "on",
        "with",
        "is",
        "are",
        "be",
        "have",
        "need",
        "needs",
        "i",
        "it",
        "at",
        "no",
        "not",
    ]
)


def lifted(sentence: str, held: Sequence[ProfileFact]) -> tuple[NewFact, ...]:
    """Those of ``held`` that the user plainly no longer insists on. What is said under a condition, of an interview or
    by somebody else lifts nothing, nor does a clause next to one that says "still".
    """
    said = sentence.replace("’", "'")
    if is_condition(said) or is_elsewhere(said):
        return ()
    parts = clauses(said) if not _AGAIN.search(said) else (said,)
    near = spoken_of(said, held)
    found = [*_dropped(parts, near), *(as_new(fact) for fact in near if _is_lifted(parts, fact))]
    if len(held) == 1 and whole(_LAST_RULE, said):
        found.append(as_new(held[0]))
    return tuple(dict.fromkeys(found))


def spoken_of(sentence: str, held: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Those of ``held`` that it may speak of: of a long list of excluded things the newest whose words it has."""
    plain = sentence.casefold()
    listed = [fact for fact in held if fact.key in _LISTED and any(stem in plain for stem in _stems(fact.value))]
    return [*(fact for fact in held if fact.key not in _LISTED), *listed[-_MOST_LISTED:]]


def _stems(value: str) -> list[str]:
    words = [word for word in re.findall(r"[\w'-]+", value.casefold()) if word not in _STOP]
    return [word[: max(4, len(word) - 3)] for word in words[:60]]


def _is_lifted(said: Sequence[str], fact: ProfileFact) -> bool:  # noqa: PLR0911 - one return a kind of rule
    match fact.key:
        case "salary_min":
            named = (
                rf"(?:the |my )?(?:{_FLOOR}|{_PAY}){_IRRELEVANT}|(?:my )?{_PAY} is (?:negotiable|flexible|open)|"
                rf"{_NEEDED} (?:the |a )?(?:{_FLOOR}|{_PAY})|i (?:don't|do not|no longer) have (?:a |any )?{_FLOOR}"
            )
            return _any(rf"{_LESS}|{_NO_MINIMUM}|{named}", said) or _needs_less(fact, said)
        case "location":
            other = rf"(?:{_OTHER_PLACES}|(?:jobs |work )?outside (?:of )?{_in_full(fact.value)})"
            light = rf"(?:the |my )?(?:location|place|city|town|area|where it is){_IRRELEVANT}"
            open_ = (
                rf"(?:the |my )?location (?:is )?(?:open|flexible)|{_AM}flexible (?:on|about) (?:the )?location|"
                r"(?:i )?(?:don't|do not|no longer) (?:mind|care) where"
            )
            return _welcomed(other, said) or _any(f"{light}|{open_}", said) or _moot(_in_full(fact.value), said)
        case "remote":
            other, own = _ways(fact.value)
            return _welcomed(other, said) or _moot(own, said)
        case "exclude_term" | "exclude_company":
            return _welcomed(_in_any_number(fact.value), said)
        case "stated":
            return _moot_in_words(said, fact.value)
        case key if key in _OTHERS:
            return _other_lifted(said, fact)
        case _:
            return False


def _other_lifted(said: Sequence[str], fact: ProfileFact) -> bool:
    own = rf"(?:{_CALLED[fact.key]}|{_in_any_number(fact.value)})"
    other = _OTHERS[fact.key]
    if fact.key == "work_time" and re.fullmatch(other, fact.value, re.IGNORECASE):
        other = rf"(?!{re.escape(fact.value)}){other}"  # "part time is fine" leaves "only part time" as it is
    if fact.key == "relocation" and _any(
        rf"(?:{_CAN}|{_AM}(?:happy|willing|prepared|ready|able) to|{_AM}open to|{_MIND}) (?:relocat(?:e|ing)|"
        rf"mov(?:e|ing))"
        r"(?: (?:house|home|city|cities|away|abroad|anywhere|for (?:work|a job|the right job)))*",
        said,
    ):
        return True
    return _welcomed(other, said) or _moot(own, said)


def _ways(value: str) -> tuple[str, str]:
    """The other ways of working than that one, and the names of that one."""
    both = r"either(?: way)?|both|any(?:thing| way of working)"
    if value == "only":
        return rf"(?:{_OFFICE}|{_HYBRID}|{both})", rf"(?:(?:only )?{_HOME}(?:[- ]only)?)"
    if value == "hybrid":
        return rf"(?:{_OFFICE}|{_HOME}|{both})", rf"(?:(?:only )?{_HYBRID}(?:[- ]only)?)"
    return rf"(?:{_HOME}|{_HYBRID}|{both})", rf"(?:(?:only )?{_OFFICE}(?:[- ]only)?)"


def _welcomed(thing: str, said: Sequence[str]) -> bool:
    """Whether a clause says that ``thing`` would do, alone or with one thing more, and nothing else."""
    one = r"(?:[\w-]+(?: [\w-]+)?)"
    things = rf"(?:{one},? (?:and|or) )?{thing}(?: (?:and|or) {one})?"
    return _any(
        rf"(?:the )?{things}{_IS_FINE}|{_OPEN} {thing}(?: (?:and|or) {one})?|{_SHOW} (?:the |some )?{thing}{_ALSO}|"
        rf"{_PREFER} {thing}|(?:it|they|jobs?|the (?:job|work)) (?:can|could|may)(?: also| now)? be {thing}",
        said,
    ) and not _any(rf"(?:i|you|we|it|they) [^,;]{{0,40}}{_IS_FINE}", said)


def _moot(own: str, said: Sequence[str]) -> bool:
    """Whether a clause says that what was a must is none any more."""
    return _any(
        rf"{own} (?:{_IS_NOT} {_MUST}|(?:would be|is) (?:nice|good|great|ideal|a plus|a bonus)(?:,)? but (?:it "
        rf")?{_IS_NOT} "
        rf"{_MUST}|no longer matters|doesn't matter)|(?:{own}[- ]only|only {own}) is (?:off the table|history|"
        rf"over|out)|"
        rf"(?:{_NOT_BE}|{_NEEDED}) (?:in |at )?{own}|(?:not|no longer) (?:only|just) {own}|"
        rf"(?:not|no) (?:in |at )?{own},? (?:after all|any ?more|then)|(?:there's |there is )?no (?:more )?need "
        rf"for {own}|{own} not (?:needed|necessary|required)",
        said,
    )


def _needs_less(fact: ProfileFact, said: Sequence[str]) -> bool:
    """Whether it is not needed any more, by its figure: "I no longer need 50k"."""
    return any(_figure(match) == fact.value for match in saying(rf"{_NEEDED} (?:at least |the )?{_FIGURE}", said))


def _moot_in_words(said: Sequence[str], stated: str) -> bool:
    """Whether what was stated in words that no rule holds is said to be needed no longer, by the same words."""
    needed = (
        rf"(?P<thing>[\w'-]+(?: [\w'-]+){{0,3}}) (?:(?:is|are) no longer (?:an issue|a problem|{_MUST})|no "
        rf"longer applies|"
        rf"(?:isn't|is not|aren't|are not) (?:needed|necessary|required)(?: any ?more)?)"
        rf"|(?:i|we) (?:no longer|don't|do not) need (?:the |a |an |any )?(?P<other>[\w'-]+(?: [\w'-]+){{0,3}}?)"
    )
    return any(_stands_in(match["thing"] or match["other"], stated) for match in saying(needed, said))


def _dropped(said: Sequence[str], held: Sequence[ProfileFact]) -> Iterator[NewFact]:
    """What a verb drops that names the rule. A mere topic ("forget the salary") has to be all that is said."""
    for clause in said:
        if gone := whole(_GONE, clause):
            yield from (as_new(fact) for fact in held if _is_named(gone["what"], fact))
        match = whole(_DROPPED, clause)
        if match is None:
            continue
        what = match["what"]
        topic = clause is said[0] and _SURE_VERB.match(match["verb"] or "") is not None
        certain = match["rule"] or match["said"] or match["mind"] or topic
        for fact in held:
            named = _is_named(what, fact)
            if named and (certain or re.search(r"\d|floor|minimum|only", what, re.IGNORECASE)):
                yield as_new(fact)


def _is_named(what: str, fact: ProfileFact) -> bool:  # noqa: PLR0911 - one return a kind of rule
    """Whether ``what`` is a name of the rule, and of nothing else."""
    called = what.casefold().strip()
    match fact.key:
        case "salary_min":
            figure = re.fullmatch(rf"(?:at least )?{_FIGURE}(?: (?:a|per) year)?(?: {_FLOOR})?", called)
            return _figure(figure) == fact.value if figure else re.fullmatch(rf"{_FLOOR}|{_PAY}", called) is not None
        case "location":
            return _called(rf"(?:only )?{_in_full(fact.value)}(?:[- ]only)?|location|city|town|place", called)
        case "remote":
            other, own = _ways(fact.value)
            return _called(rf"{own}|{own}[- ]only|only {own}|no[- ]{other}", called)
        case "exclude_term" | "exclude_company":
            return _called(rf"(?:no[- ])?{_in_any_number(fact.value)}", called)
        case "stated":
            return _stands_in(called, fact.value)
        case key if key in _CALLED:
            return _called(
                rf"(?:only )?(?:{_CALLED[key]}|{_OTHERS[key]}|{_in_any_number(fact.value)})(?:[- ]only)?", called
            )
        case _:
            return as_new(fact) in forgotten(called, (fact,)) and len(called.split()) <= 2


def _called(pattern: str, what: str) -> bool:
    return re.fullmatch(_GROUPS.sub("?:", pattern), what, re.IGNORECASE) is not None


def _any(pattern: str, said: Sequence[str]) -> bool:
    return any(True for _ in saying(pattern, said))


def _figure(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    digits = re.sub(r"\D", "", match["number"])
    return str(int(digits) * (1000 if match["kilo"] else 1))


def _in_full(place: str) -> str:
    return re.escape(place)


def _in_any_number(value: str) -> str:
    """A pattern of an excluded thing in either number, with or without what it is a kind of."""
    words = value.casefold().split()
    if len(words) > 1 and words[-1] in {
        "shift",
        "shifts",
        "work",
        "job",
        "jobs",
        "companies",
        "roles",
        "ltd",
        "inc",
        "plc",
    }:
        words = words[:-1]
    last = words[-1].removesuffix("ies").removesuffix("y").removesuffix("s") if len(words[-1]) > 4 else words[-1]
    stem = "[- ]?".join(re.escape(part) for word in (*words[:-1], last) for part in word.split("-"))
    return (
        rf"(?:(?:working |working at |jobs at |working for |jobs with |companies in )?{stem}(?:s|es|ies|y|ing)?{_WORK})"
    )


def _stands_in(thing: str, stated: str) -> bool:
    """Whether every word that counts stands in what was stated, whatever its ending."""
    there = re.findall(r"[\w'-]+", stated.casefold())
    words = [word for word in re.findall(r"[\w'-]+", thing.casefold()) if word not in _STOP]
    return bool(words) and all(any(_alike(word, other) for other in there) for word in words)


def _alike(word: str, other: str) -> bool:
    """Whether one is the other with another ending."""
    shorter, longer = sorted((word, other), key=len)
    return word == other or (len(shorter) >= 4 and longer.startswith(shorter[: max(4, len(shorter) - 3)]))
