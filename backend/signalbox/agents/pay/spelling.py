"""Slips of the pen in the name of a role, mended against words that occupations are made of. Pure.

To be used only where the role as it was typed finds nothing: a rare occupation is no slip.
"""

import difflib
import re
from typing import Final

from signalbox.memory.words import words_in

_WORDS: Final = words_in(
    """accountant accounting actuary administrator adviser aerospace analyst animator architect artist assistant
    associate attorney auditor automotive backend baker banker barista bartender biologist biomedical bookkeeper
    brewer bricklayer builder business butcher buyer captain cardiologist carer caretaker carpenter cashier
    catering chauffeur chef chemical chemist childcare civil cleaner clerk clinical coach commercial
    communications community compliance computer construction consultant content controller cook coordinator
    copywriter counsellor courier customer cybersecurity database dental dentist dermatologist designer
    developer development devops digital director dispatcher doctor driver ecologist economist editor educator
    electrical electrician electronics embedded engineer environmental estate estimator event executive farmer
    finance financial firefighter fitter florist frontend fullstack gardener geologist graphic guard hairdresser
    healthcare hospitality hotel housekeeper human hygienist infrastructure inspector instructor insurance
    interior interpreter investment janitor joiner journalist laboratory labourer landscape lawyer lecturer
    legal librarian locksmith logistics machine machinist maintenance manager manufacturing marketing mason
    mathematician mechanic mechanical medical merchandiser metallurgist midwife mobile musician network nurse
    nursing nutritionist occupational office officer operations operator optician optometrist painter paralegal
    paramedic pastry pediatrician pharmacist pharmacy photographer physician physicist physiotherapist pilot
    planner plasterer platform plumber police policy porter postman principal procurement producer product
    production professor programmer project property psychiatrist psychologist publicist quality radiographer
    radiologist receptionist recruiter registered reliability reporter research researcher resources restaurant
    retail roofer safety sales scaffolder scientist secondary secretary security server social software
    solicitor specialist statistician steward structural supervisor supply support surgeon surveyor systems
    tailor teacher technical technician technologist telecommunications tester therapist trainer translator
    transport treasurer truck tutor underwriter upholsterer veterinarian veterinary waiter waitress warehouse
    welder worker writer zoologist"""
)
_ONE_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST: Final = 5
# One letter of eight wrong, swapped or missing.
_ALIKE: Final = 0.86
_ALIKE_SHORT: Final = 0.8
_LONG: Final = 8


def names_work(text: str) -> bool:
    """Whether one of its words is of those that occupations are made of, in the singular or the plural."""
    words = (match.group().casefold() for match in _ONE_WORD.finditer(text[:100]))
    return any(word in _WORDS or word.removesuffix("s") in _WORDS for word in words)


def mended_role(role: str) -> str | None:
    """The role with its slips mended, or None where there are none that could be told."""
    mended = _ONE_WORD.sub(lambda match: _mended(match.group()), role[:100])
    return mended if mended != role[:100] else None


def _mended(word: str) -> str:
    key = word.casefold()
    single = key[:-1] if key.endswith("s") and key not in _WORDS else key
    if len(single) < _SHORTEST or single in _WORDS or key in _WORDS:
        return word
    names = [name for name in _WORDS if name[0] == key[0] and abs(len(name) - len(single)) <= 1]
    near = difflib.get_close_matches(single, sorted(names), n=1, cutoff=_ALIKE if len(single) > _LONG else _ALIKE_SHORT)
    return near[0] + ("s" if single != key else "") if near else word
