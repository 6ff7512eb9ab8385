"""The tools of one run, made for its user."""

from typing import Any

from signalbox.memory.profile import Owner, ProfileStore
from signalbox.retrieval.index import JobIndex
from signalbox.retrieval.skills import SkillVocabulary
from signalbox.tools.base import Tool
from signalbox.tools.count_jobs import CountJobs
from signalbox.tools.find_job import FindJob
from signalbox.tools.market_skills import CountMarketSkills
from signalbox.tools.read_profile import ReadProfile
from signalbox.tools.search_jobs import SearchJobs
from signalbox.tools.update_profile import UpdateProfile


def build_tools(
    index: JobIndex,
    profiles: ProfileStore,
    vocabulary: SkillVocabulary,
    owner: Owner,
    message_id: str,
    *,
    temporary: bool,
) -> dict[str, Tool[Any, Any]]:
    """Every tool by its name. Opens nothing and costs microseconds: it is called for each message."""
    tools: tuple[Tool[Any, Any], ...] = (
        SearchJobs(index, owner.tenant),
        FindJob(index, owner.tenant),
        CountMarketSkills(index, vocabulary, owner.tenant),
        CountJobs(index, owner.tenant),
        ReadProfile(profiles, owner, temporary=temporary),
        UpdateProfile(profiles, owner, message_id, temporary=temporary),
    )
    return {tool.name: tool for tool in tools}
