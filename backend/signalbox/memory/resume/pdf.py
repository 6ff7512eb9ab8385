"""The text of a PDF, page by page. Run as a program: see ``resume_child``."""

import io
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError

from signalbox.memory.resume.child import Answer, run_child

MAX_PAGES: Final = 30
MAX_CHARS: Final = 200_000
# A scanned page yields a page number or a stamp at most.
_LEAST_CHARS_A_PAGE: Final = 25
_PORTRAIT: Final = (0.6, 1.1)
_LEAST_SIDE: Final = 80


def read(data: bytes) -> Answer:
    reader = PdfReader(io.BytesIO(data), strict=False)
    try:
        if reader.is_encrypted and not reader.decrypt(""):
            return {"fault": "encrypted"}
        pages = len(reader.pages)
        if pages > MAX_PAGES:
            return {"fault": "too_many_pages", "pages": pages}
        texts: list[str] = []
        for page in reader.pages:
            texts.append(page.extract_text())
            if sum(map(len, texts)) > MAX_CHARS:
                break
    except (DependencyError, FileNotDecryptedError):
        return {"fault": "encrypted"}
    if pages == 0:
        return {"fault": "empty"}
    if sum(len(text.strip()) for text in texts) < _LEAST_CHARS_A_PAGE * pages:
        return {"fault": "scanned"}
    return {"text": "\n".join(texts), "pages": pages, "photo": _has_portrait(reader.pages[0])}


def _has_portrait(page: PageObject) -> bool:
    """Whether the first page shows a picture of the shape of a passport photo."""
    resources = _value(page.get("/Resources"))
    drawn = _value(resources.get("/XObject")) if resources else None
    for item in (drawn or {}).values():
        picture = _value(item)
        if not picture or picture.get("/Subtype") != "/Image":
            continue
        width, height = picture.get("/Width", 0), picture.get("/Height", 0)
        if min(width, height) >= _LEAST_SIDE and _PORTRAIT[0] <= width / height <= _PORTRAIT[1]:
            return True
    return False


def _value(item: Any) -> Any:
    return item.get_object() if item is not None else None


if __name__ == "__main__":
    run_child(read)
