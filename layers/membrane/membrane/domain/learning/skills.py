"""Skills learned from like traces: triggers, recipe, failure modes, fallbacks and performance.

A skill is a fold over its evidence: `new_skill` fixes the recipe, and applies to it, trace by trace
in the order of time, what `updated_skill` applies later. All that an update needs stands in the
payload. The first trigger keeps how many successes named each task word.

A success counts as a success and a failure as a failure; a partial success counts as neither, and
adds failure modes. A trace without an outcome only moves the time of the last use.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import is_before, seconds_of
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.call_errors import error_of
from membrane.domain.learning.likeness import (
    Intent,
    Outline,
    are_alike,
    fit,
    intent_of,
    keys_of,
    outline_of,
    task_words,
)
from membrane.domain.learning.recipes import (
    bare_recipe,
    doubtful_steps,
    steps_of,
    with_arguments,
    with_most_steps,
)
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PerformanceStats,
    RecipeStep,
    ToolNode,
    Trigger,
)
from membrane.domain.search.terms import words_of

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject

MIN_SUCCESSES = 2
"""Successes that make a skill."""

PRIOR_SUCCESSES = 1
PRIOR_FAILURES = 1
"""The Beta prior of a success rate: uniform, so a skill starts at 1/2 and moves with each use."""

MAX_MODES = 8
"""Failure modes, and fallbacks, of a skill; a new one takes the place of the oldest."""

MAX_MODE_CHARACTERS = 200

MAX_COUNTED_WORDS = 24
"""Task words that a trigger counts; the most frequent words are kept."""

MIN_SIGNAL_WORDS = 3
"""The most frequent words of a signal where no word stands in half of the tasks."""

EVENT_KIND = "event_kind"
TASK_WORDS = "task_words"
"""The conditions of a trigger: kind of the first event; successes that named each word, by its
stem."""

FIRST_VERSION = "1"

_NUMBERS = re.compile(r"\d+")
_MS_A_SECOND = 1_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A trace from which something is learned."""

    trace: EpisodicPayload
    record_id: str
    """The id of the trace's record."""
    ended_at: str
    """When the trace ended, in RFC 3339, normalised."""

    @property
    def is_success(self) -> bool:
        return self.trace.outcome is OutcomeStatus.SUCCESS


def in_order(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence in the order of time; at equal times, in the order of ids."""
    return sorted(evidence, key=lambda each: (each.ended_at.removesuffix("Z"), each.record_id))


def new_skill(evidence: Sequence[Evidence]) -> CompetencePayload | None:
    """The skill of like traces; None for fewer than MIN_SUCCESSES, or without a common step."""
    ordered = in_order(evidence)
    successes = [each.trace for each in ordered if each.is_success]
    recipe = bare_recipe(successes) if len(successes) >= MIN_SUCCESSES else ()
    if not recipe:
        return None
    bare = CompetencePayload(
        kind="competence",
        skill_name="",
        triggers=(_first_trigger(successes[0]),),
        recipe=recipe,
        required_tools=_tools(recipe),
        performance=PerformanceStats(),
        version=FIRST_VERSION,
    )
    skill = reduce(_with_evidence, ordered, bare)
    return skill.model_copy(update={"skill_name": _name(skill.triggers[0].signal, recipe)})


def updated_skill(skill: CompetencePayload, evidence: Evidence) -> CompetencePayload:
    """The skill after one more trace, which must match the skill and be new to it.

    The name stays. The steps stay until most successes lack a step: a single success that skips a
    step unlearns nothing.
    """
    updated = _with_evidence(skill, evidence)
    successes = updated.performance.success_count if updated.performance else 0
    recipe = with_most_steps(updated.recipe, successes) or updated.recipe
    changed = {"recipe": recipe, "required_tools": _tools(recipe)}
    return updated.model_copy(update=changed) if recipe != updated.recipe else updated


def _with_evidence(skill: CompetencePayload, evidence: Evidence) -> CompetencePayload:
    trace = evidence.trace
    before = skill.performance or PerformanceStats()
    updates: JsonObject = {"performance": performance_after(before, evidence)}
    match trace.outcome:
        case OutcomeStatus.SUCCESS:
            uses = updates["performance"].success_count
            updates["recipe"] = with_arguments(skill.recipe, trace)
            updates["triggers"] = _triggers(skill.triggers, intent_of(trace), uses)
            updates["fallbacks"] = _with_modes(skill.fallbacks, _fallbacks(trace))
        case OutcomeStatus.FAILURE | OutcomeStatus.PARTIAL:
            updates["failure_modes"] = _with_modes(skill.failure_modes, _failure_modes(trace))
        case None:
            pass
    return skill.model_copy(update=updates)


def best_match(skills: Sequence[CompetencePayload], trace: EpisodicPayload) -> int | None:
    """The position of the skill that the trace is most like; None if the trace matches none."""
    outline = outline_of(trace)
    outlines = [outline_of_skill(skill) for skill in skills]
    fitting = [at for at, each in enumerate(outlines) if are_alike(each, outline)]
    return max(fitting, key=lambda at: fit(outlines[at], outline), default=None)


def skill_lookup_keys(scope: str, skill: CompetencePayload) -> tuple[bytes, ...]:
    """The digests that the skill shares with each trace that matches, as in `lookup_keys`."""
    return keys_of(scope, outline_of_skill(skill))


def outline_of_skill(skill: CompetencePayload) -> Outline:
    """The skill as the outline of a success."""
    successes = skill.performance.success_count if skill.performance else 0
    return Outline(
        steps=steps_of(skill.recipe),
        intent=_intent(skill.triggers, successes),
        is_success=True,
        doubtful=doubtful_steps(skill.recipe, successes),
    )


# --- triggers -----------------------------------------------------------------------------------


def _first_trigger(trace: EpisodicPayload) -> Trigger:
    intent = intent_of(trace)
    conditions = {EVENT_KIND: intent.kind, TASK_WORDS: {}}
    return Trigger(signal=_text(intent.words.values()), conditions=conditions)


def _intent(triggers: Sequence[Trigger], successes: int) -> Intent:
    """The intent of the first trigger, with all counted words; else with the words of the signal.

    Without counted words the signal of a learned skill only repeats the kind.
    """
    if not triggers:
        return Intent("", {})
    kind = _conditions(triggers[0]).get(EVENT_KIND)
    words, counts = task_words(triggers[0].signal), _word_counts(triggers[0])
    if TASK_WORDS in _conditions(triggers[0]):
        words = {stemmed: words.get(stemmed, stemmed) for stemmed in counts}
    shares = {stemmed: count / max(1, successes) for stemmed, count in counts.items()}
    return Intent(kind if isinstance(kind, str) else "", words, shares)


def _triggers(triggers: Sequence[Trigger], intent: Intent, successes: int) -> tuple[Trigger, ...]:
    """The triggers whose first one has the words of half of the successes as its signal.

    If no word stands in half, the signal is the most frequent words; without words, the kind.
    """
    if not triggers:
        return ()
    first, *others = triggers
    counts = _word_counts(first)
    for stemmed in intent.words:
        counts[stemmed] = counts.get(stemmed, 0) + 1
    spelled = intent.words | task_words(first.signal)
    order = {stemmed: at for at, stemmed in enumerate(task_words(first.signal))}

    def place(stemmed: str) -> int:
        return order.get(stemmed, len(order))

    ranked = sorted(counts, key=lambda each: (-counts[each], place(each), each))
    kept = {each: counts[each] for each in ranked[:MAX_COUNTED_WORDS]}
    least = max(min(successes, MIN_SUCCESSES), successes / 2)
    common = [each for each in kept if kept[each] >= least] or ranked[:MIN_SIGNAL_WORDS]
    words = [spelled.get(each, each) for each in sorted(common, key=place)]
    conditions = {**_conditions(first), TASK_WORDS: kept}
    changed = {"signal": _text(words) or intent.kind, "conditions": conditions}
    return (first.model_copy(update=changed), *others)


def _text(words: Iterable[str]) -> str:
    """The words as a text; pairs of characters that overlap are joined as they were written."""
    pieces = [""]
    for word in words:
        joined = pieces[-1] + word[1:]
        is_next = pieces[-1].endswith(word[:1]) and words_of(joined) == [
            *words_of(pieces[-1]),
            word,
        ]
        pieces[-1:] = [joined] if is_next else [pieces[-1], word]
    return " ".join(pieces).strip()


def _word_counts(trigger: Trigger) -> dict[str, int]:
    found = _conditions(trigger).get(TASK_WORDS)
    named = found.items() if isinstance(found, dict) else ()
    return {word: count for word, count in named if isinstance(count, int)}


def _conditions(trigger: Trigger) -> Mapping[str, object]:
    return trigger.conditions if isinstance(trigger.conditions, dict) else {}


def _tools(recipe: Sequence[RecipeStep]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.tool for step in recipe))


def _name(signal: str, recipe: Sequence[RecipeStep]) -> str:
    tools = " → ".join(step.tool for step in recipe)
    return f"{signal}: {tools}" if signal else tools


# --- what went wrong, and what helped -----------------------------------------------------------


def _failure_modes(trace: EpisodicPayload) -> Sequence[str]:
    """The last call with an error; without one, the last call before the reason of the outcome."""
    failed = [(call, error_of(call.result)) for call in trace.tool_graph]
    with_errors = [(call, error) for call, error in failed if error is not None]
    if with_errors:
        call, error = with_errors[-1]
        return (f"{call.tool}: {error}",)
    if not trace.tool_graph:
        return (trace.outcome_reason,) if trace.outcome_reason else ()
    last = trace.tool_graph[-1].tool
    return (f"ended after {last}: {trace.outcome_reason}".removesuffix(": "),)


def _fallbacks(trace: EpisodicPayload) -> Sequence[str]:
    """What a success did after each call with an error."""
    calls = trace.tool_graph
    return tuple(
        _fallback(failed, error, then)
        for failed, then in pairwise(calls)
        if (error := error_of(failed.result)) is not None and error_of(then.result) is None
    )


def _fallback(failed: ToolNode, error: str, then: ToolNode) -> str:
    again = " again" if then.tool == failed.tool else ""
    return f"call {then.tool}{again} when {failed.tool} fails: {error}"


def _with_modes(known: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """The texts with the new ones; texts that differ in numbers alone are the same."""
    distinct = {_NUMBERS.sub("0", text): text for text in known}
    for text in found:
        short = text[:MAX_MODE_CHARACTERS]
        distinct.setdefault(_NUMBERS.sub("0", short), short)
    return tuple(distinct.values())[-MAX_MODES:]


# --- performance --------------------------------------------------------------------------------


def performance_after(before: PerformanceStats, evidence: Evidence) -> PerformanceStats:
    successes = before.success_count + evidence.is_success
    failures = before.failure_count + (evidence.trace.outcome is OutcomeStatus.FAILURE)
    latency_ms = before.avg_latency_ms
    if evidence.is_success:
        latency_ms += (_duration_ms(evidence.trace) - latency_ms) / successes
    return PerformanceStats(
        success_count=successes,
        failure_count=failures,
        success_rate=success_rate(successes, failures),
        avg_latency_ms=latency_ms,
        last_used_at=_later(before.last_used_at, evidence.ended_at),
    )


def success_rate(successes: int, failures: int) -> float:
    """The mean of the Beta distribution after the uses."""
    certain = successes + PRIOR_SUCCESSES
    return certain / (certain + failures + PRIOR_FAILURES)


def _duration_ms(trace: EpisodicPayload) -> float:
    """The time between the first and the last timestamp of a trace."""
    times = [event.t for event in trace.timeline]
    times += [call.timestamp for call in trace.tool_graph if call.timestamp is not None]
    seconds = [seconds_of(each) for each in times]
    return (max(seconds) - min(seconds)) * _MS_A_SECOND if seconds else 0.0


def _later(time: str | None, other: str) -> str:
    return other if time is None or is_before(time, other) else time
