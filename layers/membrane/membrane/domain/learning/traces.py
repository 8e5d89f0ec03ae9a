"""Join the steps of a thread to a trace: an episode with all events and all tool calls in order.

What went wrong in a trace, and what helped, is read from the tool calls.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from membrane.domain.language.fields import count_in
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.records.payloads import EpisodicPayload, TimelineEvent, ToolNode
from membrane.domain.records.records import MemoryRecord, as_json

ERROR = "error"

_ERROR_KEYS = (ERROR, "errors", "exception")
_ERROR_FLAGS = ("is_error", "isError")
_SUCCESS_FLAGS = ("ok", "success")
_EXIT_CODES = ("exit_code", "exitCode", "returncode")
_FAILED = frozenset({"error", "failed", "failure"})
_MESSAGE_KEYS = ("message", "stderr", "detail", "reason", "content")
_BEGINNINGS = ("error", "traceback")

_SOME_ERROR = "failed"
"""The text of an error that says nothing."""


def error_of(result: Any) -> str | None:
    """The text of the error that a result reports; None for a result without an error.

    Known forms: an object with a non-empty `error`, a flag of MCP (`isError`), `ok: false`, an exit
    code other than 0, a status such as `failed`; a text that begins with `Error` or `Traceback`.
    """
    match result:
        case str() if result.lstrip().casefold().startswith(_BEGINNINGS):
            return result.strip()
        case dict() if _has_failed(result):
            return _message(result)
        case _:
            return None


def _has_failed(result: JsonObject) -> bool:
    status = result.get("status")
    return (
        any(result.get(key) for key in _ERROR_KEYS)
        or any(result.get(key) is True for key in _ERROR_FLAGS)
        or any(result.get(key) is False for key in _SUCCESS_FLAGS)
        or any(type(result.get(key)) is int and result[key] != 0 for key in _EXIT_CODES)
        or (isinstance(status, str) and status.casefold() in _FAILED)
    )


def _message(result: JsonObject) -> str:
    for key in (*_ERROR_KEYS, *_MESSAGE_KEYS):
        match result.get(key):
            case str(text) if text.strip():
                return text.strip()
            case {"message": str(text)} if text.strip():
                return text.strip()
            case (dict() | list()) as value if value:
                return compact_json(value)
            case _:
                continue
    return _SOME_ERROR


MAX_MODES = 8
"""Failure modes, and fallbacks, of a skill; a new one takes the place of the oldest."""

MAX_MODE_CHARACTERS = 200

_NUMBERS = re.compile(r"\d+")


def failure_modes(trace: EpisodicPayload) -> Sequence[str]:
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


def fallbacks(trace: EpisodicPayload) -> Sequence[str]:
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


def with_modes(known: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """The texts with the new ones; texts that differ in numbers alone are the same."""
    distinct = {_NUMBERS.sub("0", text): text for text in known}
    for text in found:
        short = text[:MAX_MODE_CHARACTERS]
        distinct.setdefault(_NUMBERS.sub("0", short), short)
    return tuple(distinct.values())[-MAX_MODES:]


MAX_TEXT_CHARACTERS = 256
"""Characters of a text in a trace: a summary, a reason, a text in arguments or in a result."""

MAX_TRACE_BYTES = 8_192
"""Bytes of the JSON of a trace, above which texts are cut to a quarter, and to a quarter again."""

MAX_WHOLE_BYTES = 512
"""Bytes of the JSON of a result that stays whole: the flow of data is found in results."""

MAX_ARTIFACTS = 16

_TIGHTER = 4
"""The divisor of the limits on each further attempt."""

_ATTEMPTS = 3
_MAX_LEVELS = 3
_MAX_MEMBERS = 8
"""Elements or fields of a container in a cut value."""

_MAX_NAME_CHARACTERS = 64
"""Characters of the name of a field in a cut value."""

_CUT = "…"


def join(
    steps: Sequence[MemoryRecord],
    *,
    max_characters: int = MAX_TEXT_CHARACTERS,
    max_bytes: int = MAX_TRACE_BYTES,
) -> EpisodicPayload:
    """The trace of episodic records, in the order of time whatever the order of `steps`.

    A call with an id, a tool and arguments of an earlier call without a result is the result of the
    earlier call, as in a conversation. Of dependencies, only those on earlier calls are kept. The
    failure of a step with one call stands in the result of the call, as `error`. Values in the
    bucket are left out. The texts of a long trace are cut further; a trace of very many calls
    stays above `max_bytes`.
    """
    episodes = [(step.id, step.payload) for step in sorted(steps, key=_time_of)]
    ordered = [(id_, each) for id_, each in episodes if isinstance(each, EpisodicPayload)]
    trace = shorter = _whole_trace(ordered)
    for attempt in range(_ATTEMPTS):
        limits = _Limits(max_characters, MAX_WHOLE_BYTES, _TIGHTER**attempt)
        shorter = limits.short_trace(trace)
        if len(compact_json(as_json(shorter)).encode()) <= max_bytes:
            break
    return shorter


def _time_of(step: MemoryRecord) -> tuple[str, str, int, str]:
    """The time of the first event; turns of the same instant are in the order of the thread."""
    timeline = step.payload.timeline if isinstance(step.payload, EpisodicPayload) else ()
    happened = timeline[0].t if timeline else step.created_at
    turn = timeline[0].ref.rpartition(":")[2] if timeline else ""
    position = count_in(turn) or 0
    return happened.removesuffix("Z"), step.created_at.removesuffix("Z"), position, step.id


def _whole_trace(steps: Sequence[tuple[str, EpisodicPayload]]) -> EpisodicPayload:
    calls = _Calls()
    for record_id, episode in steps:
        calls.add(record_id, episode)
    ended = [episode for _, episode in steps if episode.outcome is not None]
    artifacts = dict.fromkeys(each for _, episode in steps for each in episode.artifacts)
    return EpisodicPayload(
        kind="episodic",
        timeline=tuple(event for _, episode in steps for event in episode.timeline),
        tool_graph=calls.in_order(),
        outcome=ended[-1].outcome if ended else None,
        outcome_reason=ended[-1].outcome_reason if ended else "",
        artifacts=tuple(artifacts)[:MAX_ARTIFACTS],
    )


@dataclass(slots=True)
class _Calls:
    """The calls of a trace, and the positions of the calls that a name stands for."""

    _nodes: list[ToolNode] = field(default_factory=list)
    _by_node: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _by_record: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _by_ref: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, record_id: str, episode: EpisodicPayload) -> None:
        position = None
        for node in episode.tool_graph:
            position = self._add_node(_with_failure(node, episode))
        if position is not None:
            self._by_record[record_id].append(position)
            for event in episode.timeline:
                self._by_ref[event.ref].append(position)

    def in_order(self) -> tuple[ToolNode, ...]:
        """The calls with distinct ids and resolved dependencies."""
        ids = self._distinct_ids()
        return tuple(
            node.model_copy(
                update={
                    "id": ids[position],
                    "depends_on": tuple(ids[each] for each in self._dependencies(position)),
                }
            )
            for position, node in enumerate(self._nodes)
        )

    def _add_node(self, node: ToolNode) -> int:
        for position in self._by_node[node.id]:
            call = self._nodes[position]
            is_asked = (call.tool, call.args, call.result) == (node.tool, node.args, None)
            if is_asked and node.result is not None:
                depends_on = (*call.depends_on, *node.depends_on)
                answered = {"result": node.result, "depends_on": depends_on}
                self._nodes[position] = call.model_copy(update=answered)
                return position
        self._nodes.append(node)
        self._by_node[node.id].append(len(self._nodes) - 1)
        return len(self._nodes) - 1

    def _dependencies(self, position: int) -> Iterator[int]:
        found = (self._earlier(name, position) for name in self._nodes[position].depends_on)
        yield from dict.fromkeys(each for each in found if each is not None)

    def _earlier(self, name: str, position: int) -> int | None:
        """The last call before `position` that `name` stands for."""
        for positions in (self._by_node, self._by_record, self._by_ref):
            earlier = [each for each in positions.get(name, ()) if each < position]
            if earlier:
                return max(earlier)
        return None

    def _distinct_ids(self) -> list[str]:
        taken = {node.id for node in self._nodes}
        seen = set[str]()
        ids = []
        for node in self._nodes:
            distinct, number = node.id, 2
            while distinct in seen or (distinct != node.id and distinct in taken):
                distinct, number = f"{node.id}~{number}", number + 1
            seen.add(distinct)
            ids.append(distinct)
        return ids


def _with_failure(node: ToolNode, episode: EpisodicPayload) -> ToolNode:
    """The call with the failure of its own step in the result, which keeps the failure's place."""
    is_failure = episode.outcome is OutcomeStatus.FAILURE and len(episode.tool_graph) == 1
    if not is_failure or error_of(node.result) is not None:
        return node
    told = node.result if isinstance(node.result, str) else ""
    result = {ERROR: episode.outcome_reason or told or OutcomeStatus.FAILURE.value}
    if node.result not in (None, result[ERROR]) and not isinstance(node.result, LargeValue):
        result["result"] = node.result
    return node.model_copy(update={"result": result})


class _Limits:
    """The limits of the values in a trace, divided by `divisor`."""

    def __init__(self, max_characters: int, max_whole_bytes: int, divisor: int) -> None:
        self._characters = max(1, max_characters // divisor)
        self._whole_bytes = max_whole_bytes // divisor

    def short_trace(self, trace: EpisodicPayload) -> EpisodicPayload:
        return trace.model_copy(
            update={
                "timeline": tuple(map(self._event, trace.timeline)),
                "tool_graph": tuple(map(self._call, trace.tool_graph)),
                "outcome_reason": self._text(trace.outcome_reason),
                "artifacts": tuple(map(self._text, trace.artifacts)),
            }
        )

    def _event(self, event: TimelineEvent) -> TimelineEvent:
        return event.model_copy(update={"summary": self._text(event.summary)})

    def _call(self, node: ToolNode) -> ToolNode:
        args = {} if isinstance(node.args, LargeValue) else self._value(node.args)
        return node.model_copy(update={"args": args, "result": self._result(node.result)})

    def _result(self, result: Any) -> Any:
        if isinstance(result, LargeValue):
            return None
        if isinstance(result, str):
            return self._text(result)
        if len(compact_json(result).encode()) <= self._whole_bytes:
            return result
        shorter = self._value(result)
        text = compact_json(shorter)
        return shorter if len(text.encode()) <= 2 * self._whole_bytes else self._text(text)

    def _value(self, value: Any, levels: int = _MAX_LEVELS) -> Any:
        """The value with short texts, few members and few levels; types stay."""
        match value:
            case str():
                return self._text(value)
            case dict():
                fields = list(value.items())[: _MAX_MEMBERS if levels else 0]
                return {
                    name[:_MAX_NAME_CHARACTERS]: self._value(each, levels - 1)
                    for name, each in fields
                }
            case list():
                elements = value[: _MAX_MEMBERS if levels else 0]
                return [self._value(each, levels - 1) for each in elements]
            case _:
                return value

    def _text(self, text: str) -> str:
        is_short = len(text) <= self._characters
        return text if is_short else text[: self._characters - len(_CUT)] + _CUT
