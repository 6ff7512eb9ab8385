"""A `JobQuery` as SQL: the conditions every hit meets, and what makes a posting relevant to the words.

Pure text building. Every value travels as a parameter; only fixed fragments are joined into statements.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from signalbox.retrieval.fields import numbers_of, words_of_field
from signalbox.retrieval.locations import Located, located, states_abroad
from signalbox.retrieval.pay import LARGE_UNIT
from signalbox.retrieval.places import gazetteer
from signalbox.retrieval.query import REMOTE, JobQuery
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.retrieval.words import word_list

PUBLIC_TENANT = "public"
# Postings of live boards that an answer has shown: found by their id, never by a search of the catalogue. The sign is
# one that no tenant's name may have.
LIVE_TENANT = "@live"

# A product or language named in a question is a demand on the posting, whatever else is similar; a trade or a
# practice ("nursing", "data analysis") is not.
TOOL_FIELDS = frozenset({"software", "data", "cloud"})

# Words that say what kind of post it is but not its subject: alone in a title they make nothing relevant.
_GENERIC = word_list("generic_roles")
# The field itself uses these for one another.
_SAME_ROLE = (frozenset({"developer", "engineer", "programmer", "coder", "dev"}),)
_DEGREE = ("degree", "baccalaureate", "bachelor", "bachelor's", "master's", "university")
_ALL_TEXT = "concat_ws('. ', title, company, category, location, requirements, description)"
_WORLDWIDE = r"\m(worldwide|anywhere|global|globally|any location)\M"
_UNSTATED = r"^\s*(fully |100% )?(remote|home[ -]based|work from home)?\s*$"


@dataclass(slots=True)
class Sql:
    """A condition and its parameters, which grow together."""

    parts: list[str] = field(default_factory=list)
    params: list[Any] = field(default_factory=list)

    def add(self, sql: str, *params: Any) -> None:
        self.parts.append(sql)
        self.params.extend(params)

    def joined(self, by: str) -> "Sql":
        return Sql([f"({by.join(self.parts)})"] if self.parts else [], list(self.params))

    @property
    def text(self) -> str:
        return " AND ".join(self.parts) if self.parts else "true"


def conditions(query: JobQuery, tenant: str = PUBLIC_TENANT) -> Sql:
    """What every hit meets, relevant or not. An unknown pay, level or date does not meet a condition on it,
    except that beginners see postings of no stated level; nor does an unknown level or place break an exclusion.
    """
    sql = Sql()
    sql.add("tenant = ANY(%s)", list({PUBLIC_TENANT, tenant}))
    if query.remote is not None:
        sql.add("remote IS TRUE" if query.remote else "remote IS NOT TRUE")
    if query.posted_after:
        sql.add("posted_at >= %s", query.posted_after)
    if query.sources:
        sql.add("source = ANY(%s)", list(query.sources))
    if query.real_only:
        sql.add("NOT sample")
    if query.seniority:
        sql.add("seniority = %s", query.seniority)
    if query.entry_level:
        sql.add("coalesce(seniority, 'junior') IN ('intern', 'junior')")
    if query.employment_type:
        sql.add("employment_type = %s", query.employment_type)
    _add_pay(sql, query)
    _add_companies(sql, query.companies)
    _add_locations(sql, query)
    for term in query.exclude:
        _add_exclusion(sql, term)
    _add_avoided(sql, query)
    return sql


def relevance(query: JobQuery, vocabulary: SkillVocabulary) -> Sql:
    """The lexical test; only for a query that does not browse.

    At least two thirds of the terms (all, if there are two) stand in title or requirements, and one that says
    what the job is about stands in the title or, for a tool, among the skills. Or the words stand somewhere
    in a row.
    """
    terms = [_Term.of_skill(name, vocabulary) for name in query.skills]
    terms += [_Term.of_word(word, alone=len(query.words) + len(terms) == 1) for word in query.words]
    needed = len(terms) if len(terms) <= 2 else math.ceil(len(terms) * 2 / 3)
    count = Sql()
    for term in terms:
        count.add(f"({term.matches('AC').text})::int", *term.matches("AC").params)
    subjects = [term for term in terms if not term.generic] or terms
    anchors = Sql()
    for term in subjects:
        found = term.matches("A")
        anchors.add(found.text, *found.params)
    strict = Sql(
        [f"({' + '.join(count.parts)} >= %s AND ({' OR '.join(anchors.parts)}))"],
        [*count.params, needed, *anchors.params],
    )
    if len(query.text.split()) > 1:
        strict.add("search @@ phraseto_tsquery('english', %s)", _storable(query.text))
    tools = _tools(query, vocabulary)
    gate = Sql(["search @@ to_tsquery('english', %s)"], [any_term(query, vocabulary)])
    if tools:
        gate.add("skills && %s", tools)
    demanded = tool_demand(query, vocabulary)
    # The gate is what the GIN indexes can answer; it holds wherever the strict test does.
    either, wanted = gate.joined(" OR "), strict.joined(" OR ")
    return Sql([*either.parts, *wanted.parts, *demanded.parts], [*either.params, *wanted.params, *demanded.params])


def tool_demand(query: JobQuery, vocabulary: SkillVocabulary) -> Sql:
    """Every hit of either leg has the tools the query names."""
    tools = _tools(query, vocabulary)
    return Sql(["skills @> %s"], [tools]) if tools else Sql()


def any_term(query: JobQuery, vocabulary: SkillVocabulary) -> str:
    """A tsquery of all terms joined by OR. Never a syntax error: only letters and digits get into it."""
    names = [name for skill in query.skills for name in vocabulary.names_of(skill)]
    parts = [part for name in (*query.words, *names) if (part := _phrase(name, ""))]
    return " | ".join(parts)


@dataclass(frozen=True, slots=True)
class _Term:
    names: tuple[str, ...]
    tool: str | None = None
    generic: bool = False

    @classmethod
    def of_skill(cls, name: str, vocabulary: SkillVocabulary) -> "_Term":
        tool = name if vocabulary.field(name) in TOOL_FIELDS else None
        return cls(vocabulary.names_of(name), tool)

    @classmethod
    def of_word(cls, word: str, *, alone: bool) -> "_Term":
        folded = word.casefold().removesuffix("s")
        same = next((group for group in _SAME_ROLE if folded in group), frozenset())
        names = (word, *sorted(same - {folded})) if not alone else (word,)
        return cls(names, generic=folded in _GENERIC)

    def matches(self, weights: str) -> Sql:
        """Found in the parts of the posting with these weights: A is the title, C the requirements."""
        if self.tool:
            return Sql(["skills @> %s"], [[self.tool]])
        phrases = [phrase for name in self.names if (phrase := _phrase(name, weights))]
        return Sql(["search @@ to_tsquery('english', %s)"], [" | ".join(phrases)])


def _tools(query: JobQuery, vocabulary: SkillVocabulary) -> list[str]:
    return [name for name in query.skills if vocabulary.field(name) in TOOL_FIELDS]


def _storable(text: str) -> str:
    """Without what PostgreSQL cannot take as text: NUL and lone surrogates."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _phrase(name: str, weights: str) -> str:
    """Words of a name as lexemes that follow one another. Quoted and alphanumeric, so no tsquery operator survives."""
    suffix = f":{weights}" if weights else ""
    return " <-> ".join(f"'{word}'{suffix}" for word in re.findall(r"[^\W_]+", name)[:6])


def _add_pay(sql: Sql, query: JobQuery) -> None:
    if query.salary_min is None and query.salary_max is None:
        return
    if query.salary_min is not None:
        sql.add("coalesce(salary_year_max, salary_year_min) >= %s", query.salary_min)
    if query.salary_max is not None:
        sql.add("coalesce(salary_year_min, salary_year_max) <= %s", query.salary_max)
    if query.currency:
        sql.add("currency = %s", query.currency)
    else:
        sql.add("coalesce(currency = ANY(%s), true)", sorted(LARGE_UNIT))


def _add_companies(sql: Sql, companies: Iterable[str]) -> None:
    """After "at" stands an employer more often than a place, but "at Cape Canaveral" is one: both count."""
    either = Sql()
    for company in companies:
        pattern = _whole_word(company)
        either.add("company ~* %s OR coalesce(location, '') ~* %s", pattern, pattern)
    joined = either.joined(" OR ")
    sql.parts += joined.parts
    sql.params += joined.params


def _add_locations(sql: Sql, query: JobQuery) -> None:
    joined = _in_any(query.locations, query.home_country, remote=bool(query.remote))
    sql.parts += joined.parts
    sql.params += joined.params


def _add_avoided(sql: Sql, query: JobQuery) -> None:
    """Places, employers and levels that no hit may have."""
    if query.not_locations:
        somewhere = _in_any(query.not_locations, query.home_country, remote=False)
        sql.add(f"NOT coalesce({somewhere.text}, false)", *somewhere.params)
    for company in query.not_companies:
        pattern = _whole_word(company)
        sql.add("concat_ws(' | ', company, location) !~* %s", pattern)
    if query.not_seniority:
        sql.add("coalesce(seniority, '') <> ALL(%s)", list(query.not_seniority))


def _in_any(names: Iterable[str], home_country: str | None, *, remote: bool) -> Sql:
    either = Sql()
    for name in names:
        if name == REMOTE:
            either.add("remote IS TRUE")
            continue
        where = located(name, home_country)
        if where is None:
            either.add("coalesce(location, '') ~* %s", _whole_word(name))
        else:
            _add_place(either, where, remote=remote)
    return either.joined(" OR ")


def _add_place(either: Sql, where: Located, *, remote: bool) -> None:
    """A remote posting fits a known place if its region holds it, but only for who asks for remote work."""
    place, countries = where.place, list(where.countries)
    names = "|".join(_name_pattern(name) for name in gazetteer().names_in_postings(place))
    if place.kind in {"country", "region"}:
        either.add("country = ANY(%s)", countries)
        either.add("country IS NULL AND coalesce(location, '') ~* %s", names)
    elif where.others:
        either.add(*_not_a_namesake(where, names))
    else:
        either.add("coalesce(location, '') ~* %s", names)
    if place.abbreviation:
        abbreviated = rf",\s*{place.abbreviation}(\s*\d{{5}})?\s*(,|$)"
        either.add("country = ANY(%s) AND coalesce(location, '') ~ %s", countries, abbreviated)
    if remote:
        wider = [name for region in gazetteer().holding(place) for name in gazetteer().names_in_postings(region)]
        either.add("country = ANY(%s)", countries)
        either.add(
            "coalesce(location, '') ~* %s",
            "|".join([*([] if where.others else [names]), _WORLDWIDE, *map(_name_pattern, wider)]),
        )
        either.add("country IS NULL AND coalesce(location, '') ~* %s", _UNSTATED)


def _not_a_namesake(where: Located, names: str) -> tuple[Any, ...]:
    """Named so, and neither followed by a state of another country nor, as the only place named, in one.

    A posting for several towns has one country, so that country rules none of them out. ``lies_abroad`` is the same
    in memory.
    """
    codes = states_abroad(where)
    spelled = "|".join(
        each for name in gazetteer().names_in_postings(where.place) for each in (_escaped(name), _escaped(name.upper()))
    )
    abroad = rf"({spelled}),?\s+({'|'.join(codes)})\M" if codes else "(?!)"
    test = (
        "coalesce(location, '') ~* %s AND coalesce(location, '') !~ %s AND NOT (coalesce(country, %s) <> ALL(%s) "
        "AND coalesce(location, '') ~* %s)"
    )
    return (
        test,
        names,
        abroad,
        where.countries[0],
        list(where.countries),
        rf"^\s*({names})\s*(,[^;|/]*)?$",
    )


def _add_exclusion(sql: Sql, term: str) -> None:
    """Holds if the term is never mentioned, or only as something not asked for ("no travel", "degree not needed")."""
    words = _DEGREE if term.rstrip("s") == "degree" else words_of_field(term)
    mentioned = " | ".join(phrase for word in words if (phrase := _phrase(word, "")))
    if not mentioned:
        return
    alternatives = "|".join(_escaped(form) for word in words for form in numbers_of(word))
    negated = (
        rf"\m(?:no|not|without|never|nor|don't|doesn't|isn't|rather than)(?:\s+[\w'-]+){{0,5}}\s+(?:{alternatives})\w*"
        rf"|(?:{alternatives})\w*(?:\s+[\w'-]+){{0,3}}\s+(?:not|unnecessary|optional)\M"
        r"|\m(?:high|some|any|large|varying) degree of"
    )
    # About 0.3 ms for each posting that mentions the term; the planner tests the cheaper conditions first.
    sql.add(
        f"(NOT search @@ to_tsquery('english', %s) OR NOT regexp_replace({_ALL_TEXT}, %s, '', 'gi') ~* %s)",
        mentioned,
        negated,
        rf"\m(?:{alternatives})",
    )


def _whole_word(text: str) -> str:
    return rf"(?<!\w){_escaped(text)}(?!\w)"


def _name_pattern(name: str) -> str:
    others = "|".join(_escaped(prefix) for prefix in gazetteer().prefixes_of_others(name))
    return (rf"(?<!\m({others}) )" if others else "") + _whole_word(name)


def _escaped(text: str) -> str:
    r"""Literal in a PostgreSQL regular expression: ``\`` before anything but a letter or digit takes it as it is."""
    return "".join(char if char.isalnum() or char in " _" else f"\\{char}" for char in _storable(text))
