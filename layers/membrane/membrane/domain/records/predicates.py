"""The predicates of relations that revisions make."""

SUPERSEDES = "supersedes"
DERIVED_FROM = "derived_from"
CONTESTED_BY = "contested_by"

MADE_BY_REVISIONS_ALONE = (SUPERSEDES, CONTESTED_BY)
"""What a caller sends of them is not its own to say."""
