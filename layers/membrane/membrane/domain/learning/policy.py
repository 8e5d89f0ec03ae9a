"""The settings of consolidation, and the event that starts a run."""

from dataclasses import dataclass

CONSOLIDATE = "membrane-consolidate"
"""Names the event of a thread, `{"scope": str, "thread_id": str}`, or of the schedule, `{}`.

A run that hands over adds `{"hop": int}`, the count of earlier runs.
"""


@dataclass(frozen=True, slots=True)
class LearningPolicy:
    """The settings of an operator."""

    quiet_s: int = 1_800
    """Seconds without a step after which a thread has ended, with an outcome or without."""
    step_fading: float = 1.0
    """The half-life of a step of a trace, as a share of the half-life before: above 0, at most 1.

    A step never fades more slowly for being part of a trace.
    """
    interprets_traces: bool = False
    """Whether a model reads the text of each new trace, as the model reads captures."""
    crosses_scopes: bool = False
    """Whether like traces of several scopes found unscoped skills."""
