"""A person as postings are held against them: what they bring, what they wish, and what must never be broken."""

from dataclasses import dataclass

from signalbox.retrieval.terms import Employment, Seniority


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is known of a person. Skills are canonical names; ``salary_min`` is per year in ``currency``.

    ``titles`` are titles held or wished for, the wished first; ``years`` of experience. All from ``remote_only`` on
    is hard: no posting known to break one of these is ever shown. ``only_in`` are places (the rest of the world is
    out), ``home`` is where someone lives who will not move, ``company_size_*`` count people, ``office_days_max`` days
    a week, ``employment`` the only kinds wanted.
    """

    skills: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    years: int | None = None
    seniority: str | None = None
    locations: tuple[str, ...] = ()
    remote_only: bool = False
    on_site_only: bool = False
    salary_min: float | None = None
    currency: str | None = None
    excluded_companies: tuple[str, ...] = ()
    excluded_terms: tuple[str, ...] = ()
    excluded_levels: tuple[Seniority, ...] = ()
    excluded_employment: tuple[Employment, ...] = ()
    employment: tuple[Employment, ...] = ()
    level_min: Seniority | None = None
    only_in: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    office_days_max: int | None = None
    company_size_min: int | None = None
    company_size_max: int | None = None
    no_agencies: bool = False

    @property
    def is_blank(self) -> bool:
        return self == Candidate()

    @property
    def has_trade(self) -> bool:
        """Skills or a title are known: without either nobody can say how well work suits."""
        return bool(self.skills or self.titles)

    @property
    def wants_size(self) -> bool:
        """A limit on company size is set: the ranking needs to be told sizes."""
        return self.company_size_min is not None or self.company_size_max is not None

    @property
    def has_limits(self) -> bool:
        """Something hard is set, which may rule out many of the postings found."""
        return self.wants_size or any(
            (
                self.remote_only, self.on_site_only, self.salary_min, self.excluded_companies, self.excluded_terms,
                self.excluded_levels, self.excluded_employment, self.employment, self.level_min, self.only_in,
                self.home, self.office_days_max is not None, self.no_agencies,
            )
        )  # fmt: skip
