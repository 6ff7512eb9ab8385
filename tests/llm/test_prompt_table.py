"""The table of templates in docs/prompts.md names each template there is, and no other."""

import re
from pathlib import Path

from signalbox.llm.prompts import packaged_prompts

PAGE = Path(__file__).parents[2] / "docs" / "prompts.md"


def test_the_page_on_prompts_names_every_template_and_no_other():
    table = [line for line in PAGE.read_text().splitlines() if line.startswith("| `") and ".md` |" in line]
    named = [name for line in table for name in re.findall(r"`([a-z_]+)\.md`", line)]
    assert sorted(named) == sorted(packaged_prompts())
