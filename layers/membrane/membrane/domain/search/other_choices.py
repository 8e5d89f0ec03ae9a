"""What would make the selector choose otherwise."""

from collections.abc import Callable
from dataclasses import dataclass, fields

from membrane.domain.language.fields import Fraction
from membrane.domain.search.selector import Contender, SelectorParts
from membrane.domain.search.success_bound import MAX_USES

PART_NAMES = tuple(each.name for each in fields(SelectorParts))

AHEAD = 1e-6
"""The lead with which a candidate is said to come first: rounding must not undo the statement."""


@dataclass(frozen=True, slots=True)
class OtherChoice:
    """What would put a candidate before the first, all else unchanged: each entry alone would."""

    id: str
    """The id of the candidate."""
    gap: Fraction
    """How far the score is below the score of the first."""
    behind_in: str
    """The part in which the candidate loses most to the first: `applicability`, `success` or
    `recency`. Empty for a candidate that loses in no part."""
    successes: int | None
    """The number of further uses, successes from now on, that would put the candidate first. Null
    where 1,000 successes would not."""
    failures: int | None
    """The number of further uses of the first, failures from now on, that would put the candidate
    before the first. Null where 1,000 failures would not."""
    parts: dict[str, Fraction]
    """The value of a part, by name, from which the candidate would be first. A part is absent where
    not even 1 would do."""


def other_choice(candidate: Contender, first: Contender) -> OtherChoice:
    above, below = first.score + AHEAD, candidate.score - AHEAD
    losses = {
        name: candidate.parts.score_with(name, getattr(first.parts, name)) - candidate.score
        for name in PART_NAMES
    }
    most = max(losses, key=lambda name: losses[name])
    return OtherChoice(
        id=candidate.id,
        gap=first.score - candidate.score,
        behind_in=most if losses[most] > 0 else "",
        successes=_fewest(lambda uses: candidate.score_after(successes=uses) >= above),
        failures=_fewest(lambda uses: first.score_after(failures=uses) <= below),
        parts={
            name: _least_value(candidate, name, above)
            for name in PART_NAMES
            if candidate.parts.score_with(name, 1.0) >= above
        },
    )


def _least_value(candidate: Contender, name: str, above: float) -> float:
    """The value of a part that gives a score; the score is linear in each part."""
    lowest, highest = (candidate.parts.score_with(name, value) for value in (0.0, 1.0))
    return min(1.0, (above - lowest) / (highest - lowest))


def _fewest(is_enough: Callable[[int], bool]) -> int | None:
    """The smallest number of uses, from 1 to MAX_USES, that is enough; more uses are, too."""
    if not is_enough(MAX_USES):
        return None
    too_few, enough = 0, MAX_USES
    while enough - too_few > 1:
        half = (too_few + enough) // 2
        too_few, enough = (too_few, half) if is_enough(half) else (half, enough)
    return enough
