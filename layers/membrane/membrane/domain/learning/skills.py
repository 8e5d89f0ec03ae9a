"""Skills learned from like traces: triggers, recipe, failure modes, fallbacks and performance.

A skill is a fold over its evidence: `new_skill` fixes the recipe, and applies to it, trace by trace
in the order of time, what `updated_skill` applies later. All that an update needs stands in the
payload. The first trigger keeps how many successes named each task word.

A success counts as a success and a failure as a failure; a partial success counts as neither, and
adds failure modes. A trace without an outcome only moves the time of the last use.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import NOT_GIVEN, later, seconds_of
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning import likeness, recipes, shared_content
from membrane.domain.learning.traces import failure_modes, fallbacks, with_modes
from membrane.domain.records import payloads
from membrane.domain.search.entries import words_of

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject

MIN_SUCCESSES = 2
"""Successes that make a skill."""

PRIOR_SUCCESSES = 1
PRIOR_FAILURES = 1
"""The Beta prior of a success rate: uniform, so a skill starts at 1/2 and moves with each use."""

MAX_COUNTED_WORDS = 24
"""Task words that a trigger counts; the most frequent words are kept."""

MIN_SIGNAL_WORDS = 3
"""The most frequent words of a signal where no word stands in half of the tasks."""

EVENT_KIND = "event_kind"
TASK_WORDS = "task_words"
"""The conditions of a trigger: kind of the first event; successes that named each word, by its
stem."""

FIRST_VERSION = "1"

_MS_A_SECOND = 1_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A trace from which something is learned."""

    trace: payloads.EpisodicPayload
    record_id: str
    """The id of the trace's record."""
    ended_at: str
    """When the trace ended, in RFC 3339, normalised."""
    party: tuple[str, str] = ("", "")
    """Who answers for the trace, if a skill of several scopes may be learned."""

    @property
    def is_success(self) -> bool:
        return self.trace.outcome is OutcomeStatus.SUCCESS


def in_order(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence in the order of time; at equal times, in the order of ids."""
    return sorted(evidence, key=lambda each: (each.ended_at.removesuffix("Z"), each.record_id))


def new_skill(evidence: Sequence[Evidence]) -> payloads.CompetencePayload | None:
    """The skill of like traces; None for fewer than MIN_SUCCESSES, or without a common step.

    The skill of traces of several scopes shows the shared content alone; None if the successes are
    of one scope, or share no word of their tasks.
    """
    ordered = in_order(evidence)
    successes = [each.trace for each in ordered if each.is_success]
    recipe = recipes.bare_recipe(successes) if len(successes) >= MIN_SUCCESSES else ()
    if not recipe:
        return None
    shared = _shared_among(ordered)
    if shared is not None and not _may_be_shared(ordered, shared):
        return None
    intent = likeness.intent_of(successes[0])
    first = _first_trigger(intent if shared is None else shared.of_intent(intent))
    bare = payloads.CompetencePayload(
        kind="competence",
        skill_name="",
        triggers=(first,),
        recipe=recipe,
        required_tools=_tools(recipe),
        performance=payloads.PerformanceStats(),
        version=FIRST_VERSION,
    )
    skill = reduce(partial(_with_evidence, shared=shared), ordered, bare)
    return skill.model_copy(update={"skill_name": _name(skill.triggers[0].signal, recipe)})


def _shared_among(evidence: Sequence[Evidence]) -> shared_content.SharedContent | None:
    """What the parties share; None for evidence of a single party."""
    by_party = defaultdict[tuple[str, str], list[payloads.EpisodicPayload]](list)
    for each in evidence:
        by_party[each.party].append(each.trace)
    return shared_content.content_of_several([*by_party.values()]) if len(by_party) > 1 else None


def _may_be_shared(evidence: Sequence[Evidence], shared: shared_content.SharedContent) -> bool:
    """Whether later traces can match the shared words, and several scopes succeeded."""
    if not are_of_several_scopes(evidence):
        return False
    named = (likeness.intent_of(each.trace).words for each in evidence if each.is_success)
    return bool(shared.words) or not any(named)


def are_of_several_scopes(evidence: Iterable[Evidence]) -> bool:
    """Whether MIN_SCOPES parties or more answer for the successes."""
    return len({each.party for each in evidence if each.is_success}) >= shared_content.MIN_SCOPES


def updated_skill(
    skill: payloads.CompetencePayload, evidence: Evidence, *, is_shared: bool = False
) -> payloads.CompetencePayload:
    """The skill after one more trace, which must match the skill and be new to it.

    The name stays. The steps stay until most successes lack a step: a single success that skips a
    step unlearns nothing. With `is_shared`, the skill is of several scopes, and shows no word,
    constant or error that it does not know: a single trace has no second scope.
    """
    updated = _with_evidence(skill, evidence, _known_content(skill) if is_shared else None)
    successes = updated.performance.success_count if updated.performance else 0
    recipe = recipes.with_most_steps(updated.recipe, successes) or updated.recipe
    changed = {"recipe": recipe, "required_tools": _tools(recipe)}
    return updated.model_copy(update=changed) if recipe != updated.recipe else updated


def _known_content(skill: payloads.CompetencePayload) -> shared_content.SharedContent:
    """What a skill of several scopes shows already."""
    first = skill.triggers[:1]
    return shared_content.SharedContent(
        words=frozenset(
            word for e in first for word in (*_word_counts(e), *likeness.task_words(e.signal))
        ),
        spellings=frozenset(
            spelled for e in first for spelled in likeness.task_words(e.signal).items()
        ),
        errors=frozenset((*skill.failure_modes, *skill.fallbacks)),
        constants=shared_content.constants_of(
            (step.tool, step.args_schema) for step in skill.recipe
        ),
    )


def _with_evidence(
    skill: payloads.CompetencePayload,
    evidence: Evidence,
    shared: shared_content.SharedContent | None = None,
) -> payloads.CompetencePayload:
    """The skill after one more trace; with `shared`, the skill shows nothing else of the trace."""
    trace = evidence.trace
    before = skill.performance or payloads.PerformanceStats()
    updates: JsonObject = {"performance": performance_after(before, evidence)}
    match trace.outcome:
        case OutcomeStatus.SUCCESS:
            uses = updates["performance"].success_count
            intent = likeness.intent_of(trace)
            recipe, found = recipes.with_arguments(skill.recipe, trace), fallbacks(trace)
            if shared is not None:
                intent = shared.of_intent(intent)
                recipe, found = shared.of_recipe(recipe), shared.of_errors(found)
            updates["recipe"] = recipe
            updates["triggers"] = _triggers(skill.triggers, intent, uses)
            updates["fallbacks"] = with_modes(skill.fallbacks, found)
        case OutcomeStatus.FAILURE | OutcomeStatus.PARTIAL:
            modes = failure_modes(trace)
            modes = modes if shared is None else shared.of_errors(modes)
            updates["failure_modes"] = with_modes(skill.failure_modes, modes)
        case None:
            pass
    return skill.model_copy(update=updates)


def best_match(
    skills: Sequence[payloads.CompetencePayload], trace: payloads.EpisodicPayload
) -> int | None:
    """The position of the skill that the trace is most like; None if the trace matches none."""
    outline = likeness.outline_of(trace)
    outlines = [outline_of_skill(skill) for skill in skills]
    fitting = [at for at, each in enumerate(outlines) if likeness.are_alike(each, outline)]
    return max(fitting, key=lambda at: likeness.fit(outlines[at], outline), default=None)


def skill_lookup_keys(scope: str, skill: payloads.CompetencePayload) -> tuple[bytes, ...]:
    """The digests that the skill shares with each trace that matches, as in `lookup_keys`."""
    return likeness.keys_of(scope, outline_of_skill(skill))


def outline_of_skill(skill: payloads.CompetencePayload) -> likeness.Outline:
    """The skill as the outline of a success."""
    successes = skill.performance.success_count if skill.performance else 0
    return likeness.Outline(
        steps=recipes.steps_of(skill.recipe),
        intent=_intent(skill.triggers, successes),
        is_success=True,
        doubtful=recipes.doubtful_steps(skill.recipe, successes),
    )


# --- triggers -----------------------------------------------------------------------------------


def _first_trigger(intent: likeness.Intent) -> payloads.Trigger:
    conditions = {EVENT_KIND: intent.kind, TASK_WORDS: {}}
    return payloads.Trigger(signal=_text(intent.words.values()), conditions=conditions)


def _intent(triggers: Sequence[payloads.Trigger], successes: int) -> likeness.Intent:
    """The intent of the first trigger, with all counted words; else with the words of the signal.

    Without counted words the signal of a learned skill only repeats the kind.
    """
    if not triggers:
        return likeness.Intent("", {})
    kind = _conditions(triggers[0]).get(EVENT_KIND)
    words, counts = likeness.task_words(triggers[0].signal), _word_counts(triggers[0])
    if TASK_WORDS in _conditions(triggers[0]):
        words = {stemmed: words.get(stemmed, stemmed) for stemmed in counts}
    shares = {stemmed: count / max(1, successes) for stemmed, count in counts.items()}
    return likeness.Intent(kind if isinstance(kind, str) else "", words, shares)


def _triggers(
    triggers: Sequence[payloads.Trigger], intent: likeness.Intent, successes: int
) -> tuple[payloads.Trigger, ...]:
    """The triggers whose first one has the words of half of the successes as its signal.

    If no word stands in half, the signal is the most frequent words; without words, the kind.
    """
    if not triggers:
        return ()
    first, *others = triggers
    counts = _word_counts(first)
    for stemmed in intent.words:
        counts[stemmed] = counts.get(stemmed, 0) + 1
    spelled = intent.words | likeness.task_words(first.signal)
    order = {stemmed: at for at, stemmed in enumerate(likeness.task_words(first.signal))}

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


def _word_counts(trigger: payloads.Trigger) -> dict[str, int]:
    found = _conditions(trigger).get(TASK_WORDS)
    named = found.items() if isinstance(found, dict) else ()
    return {word: count for word, count in named if isinstance(count, int)}


def _conditions(trigger: payloads.Trigger) -> Mapping[str, object]:
    return trigger.conditions if isinstance(trigger.conditions, dict) else {}


def _tools(recipe: Sequence[payloads.RecipeStep]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(step.tool for step in recipe))


def _name(signal: str, recipe: Sequence[payloads.RecipeStep]) -> str:
    tools = " → ".join(step.tool for step in recipe)
    return f"{signal}: {tools}" if signal else tools


# --- performance --------------------------------------------------------------------------------


def performance_after(
    before: payloads.PerformanceStats, evidence: Evidence
) -> payloads.PerformanceStats:
    successes = before.success_count + evidence.is_success
    failures = before.failure_count + (evidence.trace.outcome is OutcomeStatus.FAILURE)
    latency_ms = before.avg_latency_ms
    if evidence.is_success:
        latency_ms += (_duration_ms(evidence.trace) - latency_ms) / successes
    return payloads.PerformanceStats(
        success_count=successes,
        failure_count=failures,
        success_rate=success_rate(successes, failures),
        avg_latency_ms=latency_ms,
        last_used_at=later(before.last_used_at or NOT_GIVEN, evidence.ended_at),
    )


def success_rate(successes: int, failures: int) -> float:
    """The mean of the Beta distribution after the uses."""
    certain = successes + PRIOR_SUCCESSES
    return certain / (certain + failures + PRIOR_FAILURES)


def _duration_ms(trace: payloads.EpisodicPayload) -> float:
    times = [event.t for event in trace.timeline]
    times += [call.timestamp for call in trace.tool_graph if call.timestamp is not None]
    seconds = [seconds_of(each) for each in times]
    return (max(seconds) - min(seconds)) * _MS_A_SECOND if seconds else 0.0
