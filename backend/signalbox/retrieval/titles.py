"""Job titles that mean the same work, whatever their wording: by meaning, by spelling and by shared words.

It compares titles alone; what hangs on a title (wages, postings, skills) is the caller's business.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from signalbox.llm.embedding import Embedder
from signalbox.retrieval.terms import title_level

# Weights beside the cosine's 1. On TalentCLEF 2025's English titles the cosine alone gives a mean average precision
# of 0.50, and any weights from 0.05 to 0.25 about the same; on their own, spelling gives 0.35 and words 0.28.
# What they buy is that a title differing by a letter or a filler word comes before one only near in meaning.
SPELLING_WEIGHT: Final = 0.15
WORDS_WEIGHT: Final = 0.1
MAX_TITLE_CHARS: Final = 300

_ABBREVIATIONS: Final = {
    "sr": "senior", "jr": "junior", "mgr": "manager", "eng": "engineer", "engr": "engineer", "dev": "developer",
    "admin": "administrator", "asst": "assistant", "assoc": "associate", "exec": "executive", "dir": "director",
    "coord": "coordinator", "rep": "representative", "tech": "technician", "acct": "accountant",
    "hr": "human resources", "qa": "quality assurance", "rn": "registered nurse",
    "lpn": "licensed practical nurse", "cna": "certified nursing assistant", "emt": "emergency medical technician",
    "sre": "site reliability engineer", "swe": "software engineer",
    "sde": "software development engineer", "dba": "database administrator", "ux": "user experience",
    "ui": "user interface", "ml": "machine learning", "ai": "artificial intelligence", "vp": "vice president",
    "svp": "senior vice president", "ceo": "chief executive officer", "cto": "chief technology officer",
    "cfo": "chief financial officer", "coo": "chief operating officer", "cio": "chief information officer",
    "cmo": "chief marketing officer", "ciso": "chief information security officer",
}  # fmt: skip
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\b[mfdwx](?:/[mfdwx]){1,3}\b", re.IGNORECASE)
_WORD = re.compile(r"\.?[^\W_]+(?:['’.][^\W_]+)*[+#]*")
_ROMAN = frozenset({"i", "ii", "iii", "iv", "v"})
# Plural in form only; "-ss", "-us" and "-is" are told by their ending.
_NOT_PLURAL = frozenset({"sales", "news", "series", "always", "operations", "devops", "resources", "logistics", "gas"})


def plain_title(title: str) -> str:
    """A title as its words of work: lower case, abbreviations written out, roles in the singular, no level, no aside.

    A title of nothing else ("Senior", "(m/f)") keeps its words.
    """
    text = _ASIDE.sub(" ", title[:MAX_TITLE_CHARS])
    words = [word for match in _WORD.finditer(text.casefold()) for word in _written_out(match[0].rstrip("."))]
    spelled = " ".join(words)
    if (level := title_level(spelled)) and level[0] != "executive":
        start, end = level[1]
        spelled = f"{spelled[:start]} {spelled[end:]}"
    kept = [_singular(word) for word in spelled.split()]
    if len(kept) > 1 and kept[-1] in _ROMAN:
        kept.pop()
    return " ".join(kept) or " ".join(words) or " ".join(title[:MAX_TITLE_CHARS].casefold().split())


class TitleIndex:
    """Finds, among fixed titles, those nearest to one. Immutable in effect and safe to share between tasks.

    ``vectors`` are the titles' embeddings by ``plain_title``, if the caller has them; else they are computed at the
    first look-up, for 3 ms a title, once.
    """

    def __init__(
        self, titles: Sequence[str], embedder: Embedder, *, vectors: NDArray[np.float32] | None = None
    ) -> None:
        self._titles = tuple(titles)
        self._plain = tuple(map(plain_title, self._titles))
        self._embedder = embedder
        self._vectors = vectors
        self._loading = asyncio.Lock()
        spelling = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
        self._spelling = _Grams(spelling, self._plain)
        self._words = _Grams(TfidfVectorizer(analyzer=str.split, sublinear_tf=True), self._plain)

    def __len__(self) -> int:
        return len(self._titles)

    async def similar(self, title: str, limit: int = 10) -> list[tuple[str, float]]:
        """The nearest titles as they were given, best first, with a similarity of at most 1.

        There is always a nearest: below about 0.5 it is another line of work. A title without letters or digits, and
        an index without titles, give none.
        """
        asked = plain_title(title)
        if not self._titles or limit < 1 or not any(char.isalnum() for char in asked):
            return []
        vectors = await self._loaded()
        wanted = (await self._embedder.embed([asked]))[0]
        scores = await asyncio.to_thread(self._scores, asked, wanted, vectors)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [(self._titles[row], float(min(scores[row], 1.0))) for row in best]

    async def _loaded(self) -> NDArray[np.float32]:
        async with self._loading:
            if self._vectors is None:
                self._vectors = await self._embedder.embed(self._plain)
        return self._vectors

    def _scores(self, asked: str, wanted: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        spelled, worded = self._spelling.cosines(asked), self._words.cosines(asked)
        total = vectors @ wanted + SPELLING_WEIGHT * spelled + WORDS_WEIGHT * worded
        scores: NDArray[np.float64] = np.asarray(total / (1 + SPELLING_WEIGHT + WORDS_WEIGHT), np.float64)
        return scores


class _Grams:
    """Rows of weighted counts of length 1, of whatever the vectorizer takes apart."""

    def __init__(self, vectorizer: TfidfVectorizer, texts: Sequence[str]) -> None:
        self._vectorizer = vectorizer
        self._rows: csr_matrix | None = vectorizer.fit_transform(texts) if any(map(str.split, texts)) else None

    def cosines(self, text: str) -> NDArray[np.float64]:
        """With every row; 0 where nothing is shared."""
        if self._rows is None:
            return np.zeros(1)
        found: NDArray[np.float64] = (self._rows @ self._vectorizer.transform([text]).T).toarray()[:, 0]
        return found


def _written_out(word: str) -> list[str]:
    return _ABBREVIATIONS.get(word, word).split()


def _singular(word: str) -> str:
    if len(word) < 5 or word in _NOT_PLURAL or not word.endswith("s") or word.endswith(("ss", "us", "is", "ics")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word[:-1]
