"""What can be found wrong with the settings before anything is started: files that they name, and names in them."""

from signalbox.llm.catalogue import Catalogue
from signalbox.llm.models import check_local, configured_plan
from signalbox.settings import Settings
from signalbox.tools.boards.build import board_names
from signalbox.tools.faults import Faults
from signalbox.tools.mcp.config import load_mcp_config
from signalbox.tools.toolbox import find_tools


def check_settings(settings: Settings, *, models: bool = True) -> None:
    """Touches the disk, asks nobody. ``models``: also those that the settings name, where no other one is given.

    Raises ``ConfigurationError`` for the first that is wrong.
    """
    if models:
        plan = configured_plan(settings)
        if settings.max_runs:
            check_local(plan, settings)
    Catalogue.open(settings)
    load_mcp_config(settings.mcp_config)
    boards = board_names(settings)
    if settings.faults:  # else the tools need not be looked for, which takes a while
        Faults.parse(settings.faults, tools=[*(kind.name for kind in find_tools()), *boards])
