"""The packaged skill vocabulary for those who are made without arguments, read once per process."""

import functools

from signalbox.retrieval.skills import SkillVocabulary


@functools.cache
def packaged_vocabulary() -> SkillVocabulary:
    return SkillVocabulary.load()
