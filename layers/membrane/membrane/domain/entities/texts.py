"""How much of a captured content is read for names."""

MAX_SCANNED_CHARACTERS = 20_000
"""Characters of a capture that are read for names; the rest is stored, and not read."""
