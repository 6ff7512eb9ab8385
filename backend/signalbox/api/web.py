"""The web chat's files, as `frontend/` builds them into the package, under a policy that lets nothing else run.

It knows files only: the page gets all it shows from the API, like any other client.
"""

import hashlib
import os
import re
from mimetypes import guess_type
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

DIST: Final = Path(__file__).parents[1] / "web" / "dist"
ASSETS: Final = "/assets"

INDEX: Final = {
    "name": "signalbox",
    "page": "ask with Accept: text/html",
    "chat": "POST /v1/chat",
    "reference": "/docs",
    "openapi": "/openapi.json",
    "events": "/v1/schema/events",
    "ready": "/readyz",
}
# No inline script or style, no other origin, no frame around it: whatever text an answer or a posting holds.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_FRESH: Final = "no-cache"
# The names of these files change with what is in them.
_FOREVER: Final = "public, max-age=31536000, immutable"

_NOT_BUILT: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Signalbox</title></head><body>
<h1>The server runs, but its web page was not built</h1>
<p>A released package carries the page. In a checkout it is built from <code>frontend/</code>:</p>
<ol>
<li>Install Node.js 20.19 or newer.</li>
<li>Run <code>make web</code>, then load this page again; the server need not be restarted.</li>
</ol>
<p>Everything else works without it: <code>make chat</code> talks in the terminal,
<a href="/docs">the API reference</a> says the rest.</p>
</body></html>
"""


class Built(StaticFiles):
    """Files of the build, compressed beforehand where the client takes that. Nothing outside it can be named."""

    def __init__(self, directory: Path, *, cache: str) -> None:
        super().__init__(directory=directory, check_dir=False)
        self._cache = cache

    async def check_config(self) -> None:
        """The folder may be missing: then its files are, as any other that is not there."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        asked = Headers(scope=scope)
        headers = {**_PAGE_HEADERS, "Cache-Control": self._cache, "Vary": "Accept-Encoding"}
        media_type, _ = guess_type(full_path)
        packed = Path(f"{os.fspath(full_path)}.gz")
        if _takes_gzip(asked.get("accept-encoding", "")) and packed.is_file():
            full_path, stat_result = packed, packed.stat()
            headers["Content-Encoding"] = "gzip"
        response = FileResponse(
            full_path, status_code=status_code, headers=headers, media_type=media_type, stat_result=stat_result
        )
        if self._cache == _FRESH:
            # Two builds may agree in the size and the time of these few small files, and must not pass for each other.
            response.headers["ETag"] = f'"{hashlib.sha256(Path(full_path).read_bytes()).hexdigest()[:32]}"'
            del response.headers["Last-Modified"]
        if self.is_not_modified(response.headers, asked):
            return Response(status_code=304, headers={k: v for k, v in response.headers.items() if k in _KEPT})
        return response


_KEPT: Final = frozenset({"cache-control", "etag", "vary", "content-security-policy"})
_REFUSED: Final = re.compile(r";\s*q=0(?:\.0*)?\s*$")


def _takes_gzip(accepted: str) -> bool:
    codings = [coding.strip().lower() for coding in accepted.split(",")]
    return any(coding.partition(";")[0].strip() == "gzip" and not _REFUSED.search(coding) for coding in codings)


class Page:
    """The routes of the page that was built into ``directory``, which may come, go or change while they are there."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files = Built(directory, cache=_FRESH)
        self.assets = Built(directory / "assets", cache=_FOREVER)
        self.router = APIRouter(include_in_schema=False)
        routes = {
            "/": self._index,
            # It reads from its own address which conversation to show.
            "/c/{conversation_id}": self._page,
            "/theme.js": self._named,
            "/icon.svg": self._named,
            "/manifest.webmanifest": self._named,
            # Browsers ask for it by this name whatever the page says.
            "/favicon.ico": self._icon,
        }
        for path, answer in routes.items():
            self.router.add_api_route(path, answer, methods=["GET", "HEAD"], response_model=None)

    async def _index(self, request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return await self._page(request)
        return JSONResponse(INDEX, headers={"Vary": "Accept"})

    async def _page(self, request: Request) -> Response:
        return await self._file("index.html", request)

    async def _named(self, request: Request) -> Response:
        return await self._file(request.url.path.removeprefix("/"), request)

    async def _icon(self, request: Request) -> Response:
        return await self._file("icon.svg", request)

    async def _file(self, name: str, request: Request) -> Response:
        if not (self._directory / "index.html").is_file():
            return HTMLResponse(_NOT_BUILT, 503, {**_PAGE_HEADERS, "Cache-Control": "no-store"})
        response = await self._files.get_response(name, request.scope)
        response.headers.add_vary_header("Accept")
        return response
