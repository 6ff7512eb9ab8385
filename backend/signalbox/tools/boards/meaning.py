"""Which titles are close in meaning to what is looked for, with vectors kept from one search to the next."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from signalbox.llm.embedding import Embedder

# A title alone is compared, which is closer to a question than the text the index embeds, so the bar is higher. Over
# 20 roles and 700 real titles this keeps "attorney" for lawyer (0.89) and "graphic artist" for graphic designer (0.79)
# and leaves out "auditor" for accountant (0.67); the margin leaves out "project engineer" (0.77) where a software
# engineer is to be had.
TITLE_FLOOR: Final = 0.72
TITLE_MARGIN: Final = 0.10
# A title costs about three milliseconds of a core: a first search compares no more new ones than this.
NEW_TITLES: Final = 96
_KEPT: Final = 20_000


class TitleMeaning:
    """Shared by all boards and by threads. Blocking: call it off the event loop."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def cosines(self, text: str, titles: Sequence[str]) -> dict[str, float]:
        """The cosine of each title with ``text``, by the casefolded title. At most ``NEW_TITLES`` that are new get a
        vector, the first of them; the others are left out.
        """
        wanted = list(dict.fromkeys(title.casefold() for title in titles))
        with self._lock:
            unknown = [title for title in (text.casefold(), *wanted) if title not in self._vectors][: NEW_TITLES + 1]
            if unknown:
                for title, vector in zip(unknown, self._embedder.embed_sync(unknown), strict=True):
                    self._vectors[title] = vector
            asked = self._vectors[text.casefold()]
            near = {title: float(asked @ self._vectors[title]) for title in wanted if title in self._vectors}
            while len(self._vectors) > _KEPT:
                self._vectors.popitem(last=False)
        return near
