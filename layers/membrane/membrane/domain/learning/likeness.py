"""Likeness of traces: like sequences of tools, and the same intent.

Two traces are alike if the tools differ by at most one step (MIN_TOLERANT_STEPS steps or more), or
not at all (fewer steps). A trace without success may also break off: the trace is alike if the
tools begin like the tools of a success. The arguments of a tool tell two steps apart only if the
arguments share neither a name nor a type, so renamed arguments change nothing. The intent is the
kind of the first event that is not a tool call, and the content words of that event. The embedding
of the event does not count: tests/unit/adapters/encoder/test_opposite_tasks.py shows why.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from membrane.domain.language.json_text import digest
from membrane.domain.language.names import STOPWORDS, compatibility_form
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.records.learning_mark import TRACE
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload, TimelineEvent
from membrane.domain.search.entries import stem, words_of

MIN_TOLERANT_STEPS = 3
"""Steps that both sequences need for a tolerance of one step."""

MIN_BROKEN_OFF_STEPS = 2
"""Steps that a trace without success needs to count as the beginning of a success."""

MIN_WORD_OVERLAP = 0.5
"""The least share of the smaller set of task words that stands in the other set.

Chosen on the plantings 0 to 19 of tests/builders/planted_traces.py.
"""

MAX_TASK_WORDS = 32
"""Content words of a task; the first words are kept."""

MAX_READ_CHARACTERS = 1_024
"""Characters of a task, or of the name of a tool, that are looked at."""

_SEPARATORS = re.compile(r"[\s_-]+")
_VERSION_CHARACTERS = "0123456789."
_VERSION_MARK = re.compile(r"(?:(?<=\w)(?:[\s_.:/-]v|@v?)|(?<=[a-z])V)\Z")
"""What stands before the number of a version at the end of a tool's name."""

_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"  # Thai, CJK
_RUN = re.compile(rf"(?:[^\W{_UNSPACED}]|[-.:/])+")
"""Characters that make a word or an id, such as `eu-3`."""

_ACROSS_WORDS = re.compile("[\u3041-\u309f][^\u3041-\u309f]|[^\u3041-\u309f][\u3041-\u309f]")
"""Two characters of which one is hiragana: the end of one Japanese word, or its ending."""

_CALLS = f"{TOOL_CALL}: "
"""The beginning of the summary of a message that only calls tools."""


class Step(NamedTuple):
    """A tool call without its values."""

    tool: str
    """The normalised name of the tool."""
    arguments: frozenset[tuple[str, str]] = frozenset()
    """The name and the JSON type of each argument."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a task is about."""

    kind: str
    """The kind of the event that sets the task; empty without such an event."""
    words: dict[str, str]
    """The content words by their stems, in the order of the task."""
    shares: dict[str, float] = field(default_factory=dict)
    """Of a skill: the share of the successes that named each word, by its stem. Else 1."""

    def share(self, stemmed: str) -> float:
        return self.shares.get(stemmed, 1.0)


@dataclass(frozen=True, slots=True)
class Outline:
    """What likeness depends on, of a trace or of a skill."""

    steps: tuple[Step, ...]
    intent: Intent
    is_success: bool
    doubtful: frozenset[int] = frozenset()
    """The positions of the steps that half of the successes lack: alike with or without them."""

    @property
    def versions(self) -> tuple[tuple[Step, ...], ...]:
        """The steps, and the steps without the doubtful ones."""
        if not self.doubtful:
            return (self.steps,)
        sure = (step for at, step in enumerate(self.steps) if at not in self.doubtful)
        return (self.steps, tuple(sure))


@lru_cache(maxsize=1 << 12)  # traces name few tools, and name each many times
def normalised_tool(name: str) -> str:
    """The name without case, separators, and a version such as `_v2` or `@1.3` at the end."""
    plain = compatibility_form(name[:MAX_READ_CHARACTERS]).strip()
    bare = _SEPARATORS.sub("", _without_version(plain)).casefold()
    return bare or plain.casefold()


def _without_version(name: str) -> str:
    before = name.rstrip(_VERSION_CHARACTERS)
    has_number = name[len(before) : len(before) + 1].isdigit()
    return _VERSION_MARK.sub("", before) if has_number and _VERSION_MARK.search(before) else name


def json_type(value: Any) -> str:
    """The type of a JSON value, as JSON Schema names it."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def shape_of(trace: EpisodicPayload) -> tuple[Step, ...]:
    return tuple(
        Step(normalised_tool(node.tool), argument_types(node.args)) for node in trace.tool_graph
    )


def argument_types(args: Any) -> frozenset[tuple[str, str]]:
    """The name and the JSON type of each argument."""
    fields = args.items() if isinstance(args, dict) else ()
    return frozenset((name, json_type(value)) for name, value in fields)


def intent_of(trace: EpisodicPayload) -> Intent:
    event = _task_event(trace)
    return Intent("", {}) if event is None else Intent(event.event_kind, task_words(event.summary))


def task_of(trace: EpisodicPayload) -> str:
    """The summary of the event that sets the task; empty without such an event."""
    event = _task_event(trace)
    return "" if event is None else event.summary


def _task_event(trace: EpisodicPayload) -> TimelineEvent | None:
    for event in trace.timeline:
        if event.event_kind not in (TOOL_CALL, TRACE) and not event.summary.startswith(_CALLS):
            return event
    return None


def task_words(text: str) -> dict[str, str]:
    """The content words of a text by their stems; numbers and ids are values, not words."""
    return dict(_task_words(text))


@lru_cache(maxsize=1 << 10)  # a trace is compared many times
def _task_words(text: str) -> tuple[tuple[str, str], ...]:
    found = dict[str, str]()
    for word in words_of(_RUN.sub(_word_alone, text[:MAX_READ_CHARACTERS])):
        if word not in STOPWORDS and not _ACROSS_WORDS.fullmatch(word):
            found.setdefault(stem(word), word)
    return tuple(found.items())[:MAX_TASK_WORDS]


def _word_alone(run: re.Match[str]) -> str:
    """The run; a space for a number or an id, which has a digit."""
    return " " if any(map(str.isdigit, run[0])) else run[0]


def outline_of(trace: EpisodicPayload) -> Outline:
    is_success = trace.outcome is OutcomeStatus.SUCCESS
    return Outline(shape_of(trace), intent_of(trace), is_success)


def are_alike(a: Outline, b: Outline) -> bool:
    """Whether two outlines show the same way to do the same."""
    return same_intent(a.intent, b.intent) and like_tools(a, b)


def same_intent(a: Intent, b: Intent) -> bool:
    return a.kind == b.kind and word_overlap(a, b) >= MIN_WORD_OVERLAP


def word_overlap(a: Intent, b: Intent) -> float:
    """The share of the smaller set of words that stands in the other set; 1 without any words.

    A word of a skill counts as much as the share of the successes that named the word.
    """
    if not a.words and not b.words:
        return 1.0
    most = min(len(a.words), len(b.words))
    least = min(_heaviest(a, most), _heaviest(b, most))
    return min(1.0, _common_weight(a, b) / least) if least else 0.0


def _common_weight(a: Intent, b: Intent) -> float:
    common = a.words.keys() & b.words.keys()
    return math.fsum(min(a.share(each), b.share(each)) for each in common)


def _heaviest(intent: Intent, most: int) -> float:
    return math.fsum(sorted(map(intent.share, intent.words), reverse=True)[:most])


def like_tools(a: Outline, b: Outline) -> bool:
    return any(
        within_one_step(one, other)
        or (not a.is_success and b.is_success and begins_like(one, other))
        or (not b.is_success and a.is_success and begins_like(other, one))
        for one, other in product(a.versions, b.versions)
    )


def fit(a: Outline, b: Outline) -> tuple[float, float, bool]:
    """How well two like outlines fit: common words, their share, equal tools."""
    are_equal = [step.tool for step in a.steps] == [step.tool for step in b.steps]
    return _common_weight(a.intent, b.intent), word_overlap(a.intent, b.intent), are_equal


def within_one_step(a: Sequence[Step], b: Sequence[Step]) -> bool:
    """Whether at most one step differs; of fewer than MIN_TOLERANT_STEPS steps, none."""
    if not a or not b:
        return False
    tolerance = 1 if min(len(a), len(b)) >= MIN_TOLERANT_STEPS else 0
    return _edits_are_within(a, b, tolerance)


def begins_like(part: Sequence[Step], whole: Sequence[Step]) -> bool:
    """Whether `part` is a beginning of `whole`, apart from one step after the first two.

    The first two steps must be equal, because lookup finds a part by the first two tools.
    """
    if not MIN_BROKEN_OFF_STEPS <= len(part) < len(whole) or not _edits_are_within(
        part[:MIN_BROKEN_OFF_STEPS], whole[:MIN_BROKEN_OFF_STEPS], 0
    ):
        return False
    lengths = range(len(part) - 1, min(len(part) + 1, len(whole)) + 1)
    return any(_edits_are_within(part, whole[:length], 1) for length in lengths)


def same_step(a: Step, b: Step) -> bool:
    """Whether the tools are equal, and the arguments share a name or a type if both have any."""
    if a.tool != b.tool:
        return False
    if not a.arguments or not b.arguments:
        return True
    names, types = zip(*a.arguments, strict=True)
    return any(name in names or kind in types for name, kind in b.arguments)


def lookup_keys(scope: str, trace: EpisodicPayload) -> tuple[bytes, ...]:
    """Digests under which like traces are found; empty for a trace without tool calls.

    Two alike traces share at least one key: a single step that differs leaves the first two tools,
    the last two tools, or the first and the last tool.
    """
    return keys_of(scope, outline_of(trace))


def keys_of(scope: str, outline: Outline) -> tuple[bytes, ...]:
    keys = dict.fromkeys(
        digest(scope, outline.intent.kind, which, *tools)
        for version in outline.versions
        for which, tools in _ends([step.tool for step in version])
    )
    return tuple(keys)


def _ends(tools: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    if tools:
        yield "first two", tools[:2]
        yield "last two", tools[-2:]
        yield "first and last", (tools[0], tools[-1])


def _edits_are_within(a: Sequence[Step], b: Sequence[Step], tolerance: int) -> bool:
    """Whether at most `tolerance` (0 or 1) steps are replaced, added or missing."""
    if abs(len(a) - len(b)) > tolerance:
        return False
    same = 0
    while same < min(len(a), len(b)) and same_step(a[same], b[same]):
        same += 1
    if same == len(a) == len(b):
        return True
    if not tolerance:
        return False
    rest_a = a[same + (len(a) >= len(b)) :]
    rest_b = b[same + (len(b) >= len(a)) :]
    return len(rest_a) == len(rest_b) and all(map(same_step, rest_a, rest_b))
