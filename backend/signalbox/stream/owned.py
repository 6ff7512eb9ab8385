"""Where in Redis something is kept for one user: under one prefix, so that it can be found again and erased."""

import hashlib


def owned_prefix(tenant: str, user_id: str) -> str:
    """What the name of every such key begins with; it does not tell who it is. All of a user's share a hash tag."""
    digest = hashlib.sha256(f"{tenant}\n{user_id}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"sb:user:{{{digest[:32]}}}:"
