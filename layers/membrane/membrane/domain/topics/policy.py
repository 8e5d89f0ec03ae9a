"""What an operator may set of topics, and its usual values."""

from dataclasses import dataclass

DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPolicy:
    """Times in seconds; saliences and similarities as the functions that use them have them."""

    half_life_s: int = 30 * DAY_S
    max_history: int = 500
    """Revisions of a field that stay in the table; older ones are archived in the bucket."""
    similarity: float = 0.85
    """From which on an observation without a placement goes to the most similar topic."""
    duplicate_similarity: float = 0.92
    """From which on topics of other titles may be the same, where their fields agree, too."""
    agreement: float = 0.5
    """Which share of the fields that both have must say the same then."""
    summarise_below: float = 0.3
    detach_below: float = 0.1
    archive_below: float = 0.05
    """The ladder's thresholds (spec 4.3; the last is `forget_salience_threshold`)."""
    summary_history: int = 20
    """Revisions of a field that stay in the table when a topic is summarised."""
    bump: float = 0.1
    """What a query adds to the salience of each topic that it shows (spec 3.5)."""
    max_access: float = 10.0
    """What reading can add in all."""
    debounce_s: int = 30
    """How long changes of a scope are gathered before it is reasoned about."""
    feeds: bool = False
