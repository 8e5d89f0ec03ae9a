"""Counts that callers send as text."""

MAX_DIGITS = 9


def count_in(text: str) -> int | None:
    """The count that up to MAX_DIGITS ASCII digits stand for; None for any other text."""
    is_count = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    return int(text) if is_count else None
