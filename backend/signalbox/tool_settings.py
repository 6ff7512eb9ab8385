"""What an operator can set of agents and of the tools they use; part of ``settings``."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, SecretStr

from signalbox.model_settings import Entries


def folder(path: Path) -> Path:
    return path.expanduser().absolute()


class ToolSettings(BaseModel):
    """Which agents and tools there are beside the packaged ones, and how long a model may go on calling tools."""

    agents_dir: Annotated[Path, AfterValidator(folder)] | None = Field(
        None, description="Folder of Python files with agents of your own; they join the built-in ones."
    )
    mcp_config: Annotated[Path, AfterValidator(folder)] | None = Field(
        None, description="JSON file of external MCP servers whose tools agents may use."
    )
    mcp_hosts: Entries = Field(
        (),
        description="Host names under which /mcp answers; when unset, only local ones if the server listens locally, "
        "else any.",
    )
    job_boards: Entries = Field(
        (),
        description="Live job boards to search beside the catalogue, as remotive,arbeitnow,jobicy,adzuna:gb,"
        "greenhouse:stripe,lever:acme,ashby:linear; empty for none.",
    )
    faults: Entries = Field(
        (),
        description="Faults to inject into tools on purpose, for drills and tests only, as "
        "search_jobs=timeout:0.5,*=latency:200ms (see signalbox faults); empty for none.",
    )
    faults_seed: int = Field(0, ge=0, le=2**31, description="Seed of the chance that faults are drawn with.")
    strict_tools: bool = Field(
        False, description="Let a faulty tool end the answer with an error instead of telling that it could not look."
    )
    board_timeout_s: float = Field(
        6, ge=0.1, le=20, allow_inf_nan=False, description="Seconds that a live job board gets to answer a search."
    )
    board_urls: Entries = Field(
        (), description="Other addresses of job boards, for mirrors and tests, as remotive=https://mirror.example."
    )
    adzuna_app_id: SecretStr | None = Field(None, description="Application id for the job board adzuna.")
    adzuna_app_key: SecretStr | None = Field(None, description="Application key for the job board adzuna.")
    tool_turns: int = Field(
        10, ge=1, le=100, description="Turns of a model in which it may call tools before it has to answer."
    )
    tool_turns_s: float = Field(
        180,
        ge=1,
        le=3_600,
        allow_inf_nan=False,
        description="Seconds that these turns may take in all, waiting for approvals not counted.",
    )
    tool_look_s: float = Field(
        30, ge=0.1, le=600, allow_inf_nan=False, description="Seconds that one look-up of a model's may take."
    )
    tool_turns_tokens: int = Field(
        80_000, ge=1_000, le=10_000_000, description="Tokens that these turns may read and write in all."
    )
