"""How long the names that callers give in topics may be, and of which characters."""

MAX_TITLE_CHARACTERS = 1_000
MAX_NAME_CHARACTERS = 256
"""Of a field."""

CONTROL = "Cc"
"""Unicode's category of control characters, which no field's name has."""
