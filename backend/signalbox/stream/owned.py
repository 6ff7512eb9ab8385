"""Where in Redis something is kept for one user: under one prefix, so that it can be found again and erased."""

import hashlib
from typing import Final

# What is kept there, by the names behind the prefix. Whoever keeps more names it here: it is erased by these.
NAMES: Final = ("answers", "answers:until")


def owned_prefix(tenant: str, user_id: str) -> str:
    """What the name of every such key begins with; it does not tell who it is. All of a user's share a hash tag."""
    digest = hashlib.sha256(f"{tenant}\n{user_id}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"sb:user:{{{digest[:32]}}}:"


def owned_keys(tenant: str, user_id: str) -> tuple[str, ...]:
    """All keys that there may be of a user."""
    prefix = owned_prefix(tenant, user_id)
    return tuple(f"{prefix}{name}" for name in NAMES)
