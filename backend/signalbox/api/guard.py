"""Who is asking: a bearer key's user, else an anonymous user in a signed cookie. Every route starts here."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from signalbox.errors import Unauthorized
from signalbox.memory.profile import Owner

COOKIE: Final = "signalbox_user"
COOKIE_AGE_S: Final = 365 * 86_400
TENANT: Final = "default"
_COOKIE: Final = re.compile(r"(anon_[0-9a-f]{24})\.([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Principal:
    """The owner of everything this request may see; ``new_cookie`` must be set on the response if given."""

    owner: Owner
    new_cookie: str | None = None


class Guard:
    """Names the principal of a request. ``users`` maps a key's SHA-256 (hex) to its user id.

    Without any key, everybody is an anonymous user of their own; with keys, a key is required.
    """

    def __init__(self, *, users: Mapping[str, str], cookie_secret: str, secure: bool) -> None:
        self._users = users
        self._secret = cookie_secret.encode()
        self._secure = secure

    @property
    def asks_for_key(self) -> bool:
        return bool(self._users)

    def principal(self, request: HTTPConnection) -> Principal:
        """Raises ``Unauthorized``."""
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme:
            digest = hashlib.sha256(key.strip().encode("utf-8", "surrogateescape")).hexdigest()
            user = self._users.get(digest) if scheme.lower() == "bearer" else None
            if user is None:
                raise Unauthorized
            return Principal(Owner(TENANT, user))
        if self._users:
            raise Unauthorized("This server needs an API key. Send 'Authorization: Bearer <key>'.")
        match = _COOKIE.fullmatch(request.cookies.get(COOKIE, ""))
        if match and hmac.compare_digest(match[2], self._signature(match[1])):
            return Principal(Owner(TENANT, match[1]))
        user = f"anon_{secrets.token_hex(12)}"
        return Principal(Owner(TENANT, user), new_cookie=f"{user}.{self._signature(user)}")

    def _signature(self, user: str) -> str:
        return hmac.new(self._secret, user.encode(), hashlib.sha256).hexdigest()

    def leave(self, principal: Principal, response: Response) -> None:
        """Give a new anonymous user their cookie."""
        if principal.new_cookie is not None:
            response.set_cookie(
                COOKIE,
                principal.new_cookie,
                max_age=COOKIE_AGE_S,
                httponly=True,
                samesite="lax",
                secure=self._secure,
                path="/",
            )
