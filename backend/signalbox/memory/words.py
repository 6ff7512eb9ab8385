"""Word lists written as text."""


def words_in(text: str) -> frozenset[str]:
    """The words of ``text``, parted by blanks."""
    return frozenset(text.split())
