"""Select a skill or plan: a score for each candidate, the reasons, and the confidence.

A candidate's score is the fit to the task, times what the uses so far add to the fit: the lower
bound of the success rate, and the recency of the last use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import Field

from membrane.domain.language.fields import Fraction
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.selector import (
    MAX_USES,
    Applicability,
    Contender,
    SelectorParts,
    TrackRecord,
    track_record,
)

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


SELECTABLE = frozenset({MemoryType.COMPETENCE, MemoryType.PLAN_GRAPH})

CLEAR = 0.7
"""A selection of less confidence has `needs_more`. A score of CLEAR is strong."""

CLOSE = 0.02
"""Candidates within this distance of the first score are as good as the first."""

MAX_EXPLAINED = 10
"""The candidates with reasons, the best first."""

MAX_SHOWN_TRIGGER = 200
"""The characters of a trigger that a reason shows."""


@dataclass(frozen=True, slots=True)
class SelectionReason:
    """Why a candidate has its score."""

    id: str
    """The id of the skill or plan."""
    parts: SelectorParts
    """The parts of the score."""
    trigger: Annotated[str, Field(max_length=MAX_SHOWN_TRIGGER)]
    """The signal of the trigger, or the intent of the plan, that the task met best; a long text is
    cut. Empty where the task met none, and without a task."""
    track_record: TrackRecord
    """The uses that `success` and `recency` rest on."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The candidate skills and plans, the best first, and what the choice rests on."""

    selected: Annotated[tuple[str, ...], Field(min_length=1)]
    """The ids of the skills and plans, the best first."""
    confidence: Fraction
    """How far the best stands out, from 0 to 1."""
    needs_more: bool
    """Whether the confidence is too low for a choice."""
    scores: dict[str, Fraction]
    """The score of each skill and plan, by id."""
    why: str
    """Why the first is first, and what would change the choice, in one or two sentences."""
    as_good: tuple[str, ...]
    """The ids of further candidates within 0.02 of the first score: a choice among these and the
    first matters little."""
    reasons: Annotated[tuple[SelectionReason, ...], Field(max_length=MAX_EXPLAINED)]
    """The reasons for the best 10 scores, the best first."""
    otherwise: Annotated[tuple[OtherChoice, ...], Field(max_length=MAX_EXPLAINED)]
    """What would put each of the explained candidates before the first."""


def selection_of(
    candidates: Iterable[MemoryRecord],
    now_s: float,
    fitting: Mapping[str, Applicability] | None = None,
) -> Selection | None:
    """The selection among the skills and plans; None without a skill or plan.

    `fitting` has the applicability by record id. Without `fitting` the confidence of a record
    takes the place.
    """
    known = fitting or {}
    contenders = [
        contender_of(record, now_s, known.get(record.id))
        for record in candidates
        if record.type in SELECTABLE
    ]
    return _selection(_best_first(contenders)) if contenders else None


def contender_of(record: MemoryRecord, now_s: float, fitting: Applicability | None) -> Contender:
    """The skill or plan with the parts of the score."""
    found = Applicability(record.confidence) if fitting is None else fitting
    return Contender.of(record.id, record.created_at, found, track_record(record), now_s)


def _best_first(contenders: Iterable[Contender]) -> list[Contender]:
    by_id = sorted(contenders, key=lambda each: each.id)
    newest_first = sorted(by_id, key=lambda each: each.created_at.removesuffix("Z"), reverse=True)
    return sorted(newest_first, key=lambda each: each.score, reverse=True)


def _selection(best_first: Sequence[Contender]) -> Selection:
    first, explained = best_first[0], best_first[:MAX_EXPLAINED]
    confidence = _confidence([each.score for each in best_first])
    as_good = [each.id for each in explained[1:] if first.score - each.score <= CLOSE]
    otherwise = tuple(other_choice(each, first) for each in explained[1:])
    return Selection(
        selected=tuple(each.id for each in best_first),
        confidence=confidence,
        needs_more=confidence < CLEAR,
        scores={each.id: each.score for each in best_first},
        why=_why(first, as_good, otherwise),
        as_good=tuple(as_good),
        reasons=tuple(map(_reason, explained)),
        otherwise=otherwise,
    )


def _reason(contender: Contender) -> SelectionReason:
    trigger = contender.trigger[:MAX_SHOWN_TRIGGER]
    return SelectionReason(contender.id, contender.parts, trigger, contender.track_record)


def _confidence(best_first: Sequence[float]) -> float:
    """The score of a single candidate; of several, the lead over the second as a share."""
    if len(best_first) == 1:
        return min(best_first[0], 1.0)
    best, second = best_first[:2]
    return (best - second) / best if best > 0 else 0.0


def _why(first: Contender, as_good: Sequence[str], otherwise: Sequence[OtherChoice]) -> str:
    strength = f"{'strong' if first.score >= CLEAR else 'weak'} score of {first.score:.2f}"
    if not otherwise:
        return f"{first.id} is the only candidate, with a {strength}."
    second = otherwise[0]
    if as_good:
        others = f"{len(as_good)} {'candidate is' if len(as_good) == 1 else 'candidates are'}"
        advice = (
            "any of them will do"
            if first.score >= CLEAR
            else "a task in more words may tell them apart"
        )
        return f"{others} as good as {first.id}, which has a {strength}: {advice}."
    return (
        f"{first.id} has a {strength}; {second.id} is {second.gap:.2f} behind, "
        f"most by {second.behind_in}. {_change(first.id, second)}"
    )


def _change(first: str, second: OtherChoice) -> str:
    ways = []
    if second.successes is not None:
        ways.append(f"{_number(second.successes, 'success', 'es')} of {second.id}")
    if second.failures is not None:
        ways.append(f"{_number(second.failures, 'failure', 's')} of {first}")
    found = " or ".join(ways) or "No number of uses"
    return f"{found} would put {second.id} first."


def _number(count: int, noun: str, ending: str) -> str:
    return f"{count} more {noun}{'' if count == 1 else ending}"
