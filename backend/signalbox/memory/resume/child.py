"""A process of its own for files that strangers send: little memory, little time, bytes in, JSON out.

Parsers of office formats have hung and eaten memory before; a thread could not be stopped, a process can. It must
import next to nothing, since every upload starts one.
"""

import json
import sys
from collections.abc import Callable
from typing import Any, Final

MEMORY_BYTES: Final = 1_000_000_000
CPU_S: Final = 12

# What a parser answers: rows of the document and what was seen, or {"fault": …} for what the sender can mend.
Answer = dict[str, Any]


def run_child(read: Callable[[bytes], Answer]) -> None:
    """Read stdin whole, answer on stdout. An exception ends the process, which the parent takes as a damaged file."""
    _confine()
    answer = read(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(answer))


def _confine() -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - does not exist everywhere

    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    if sys.platform == "linux":  # elsewhere the address space of a plain interpreter may exceed it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
