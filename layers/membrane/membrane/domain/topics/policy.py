"""The settings of topics that an operator can change, with their defaults."""

from dataclasses import dataclass

DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPolicy:
    """Times in seconds; saliences and similarities in the units of the functions that use them."""

    half_life_s: int = 30 * DAY_S
    max_history: int = 500
    """Revisions of a field kept in the table; older revisions are archived in the bucket."""
    similarity: float = 0.85
    """The least similarity at which an observation without a placement extends a topic."""
    duplicate_similarity: float = 0.92
    """The least similarity at which topics of different titles may be duplicates.

    The fields must agree, too.
    """
    agreement: float = 0.5
    """The least share of common fields with equal values for topics of different titles."""
    summarise_below: float = 0.3
    detach_below: float = 0.1
    archive_below: float = 0.05
    """The thresholds of the ladder. MemState names the last `forget_salience_threshold`."""
    summary_history: int = 20
    """Revisions of a field kept in the table when a topic is summarised."""
    bump: float = 0.1
    """The salience that a query adds to each topic in the answer."""
    max_access: float = 10.0
    """The most salience that reads can add in all."""
    debounce_s: int = 30
    """How long changes of a scope are gathered before the scope is reasoned about."""
