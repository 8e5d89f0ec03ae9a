"""Facts that successful traces state: triples in results, and what several events say alike."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import canonical_json, parse_json
from membrane.domain.learning.skills import Evidence, in_order
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload

OBSERVED_IN = "observed_in"
"""The predicate of a fact that an event states."""

MIN_OBSERVATIONS = 2
"""Successful traces that must state an event alike: one summary is an occurrence, not a fact."""

MAX_TRIPLES = 100
"""Triples of one result."""

_Key = tuple[str, str, bytes]


@dataclass(frozen=True, slots=True)
class StatedFact:
    subject: str
    predicate: str
    object: Any
    """A JSON value."""
    evidence_ids: tuple[str, ...]
    """The ids of the traces that state the fact, in the order of time."""


def stated_facts(
    evidence: Sequence[Evidence], read_before: Collection[str] = ()
) -> tuple[StatedFact, ...]:
    """The facts of a group of traces, in the order of time.

    `read_before` are ids of traces whose results were read for triples before: none is read again.
    A triple is an object with `subject`, `predicate` and `object` anywhere in a result, also in a
    text that is JSON. Calls are no events here: their summaries only name tools.
    """
    successes = [each for each in in_order(evidence) if each.is_success]
    new = [each for each in successes if each.record_id not in read_before]
    triples = _distinct_triples((each.record_id, _triples(each.trace)) for each in new)
    observed = _distinct_triples((each.record_id, _observations(each.trace)) for each in successes)
    known = {key for key, _, _ in triples}
    repeated = [
        found for found in observed if len(found[2]) >= MIN_OBSERVATIONS and found[0] not in known
    ]
    return tuple(
        StatedFact(subject, predicate, value, ids)
        for (subject, predicate, _), value, ids in (*triples, *repeated)
    )


def _distinct_triples(
    stated: Iterator[tuple[str, Iterator[tuple[str, str, Any]]]],
) -> list[tuple[_Key, Any, tuple[str, ...]]]:
    """Each distinct triple with the value of its object and the ids of the traces."""
    values: dict[_Key, Any] = {}
    ids: dict[_Key, dict[str, None]] = defaultdict(dict)
    for record_id, triples in stated:
        for subject, predicate, value in triples:
            key = (subject, predicate, canonical_json(value))
            values.setdefault(key, value)
            ids[key][record_id] = None
    return [(key, value, tuple(ids[key])) for key, value in values.items()]


def _observations(trace: EpisodicPayload) -> Iterator[tuple[str, str, str]]:
    for event in trace.timeline:
        if event.event_kind != TOOL_CALL and event.summary.strip():
            yield event.event_kind, OBSERVED_IN, event.summary


def _triples(trace: EpisodicPayload) -> Iterator[tuple[str, str, Any]]:
    for call in trace.tool_graph:
        left, found = [_value_of(call.result)], 0
        while left and found < MAX_TRIPLES:
            match left.pop():
                case {"subject": str(subject), "predicate": str(predicate), "object": value} if (
                    subject.strip() and predicate.strip()
                ):
                    found += 1
                    yield subject.strip(), predicate.strip(), value
                case dict() as fields:
                    left.extend(reversed(fields.values()))
                case list() as elements:
                    left.extend(reversed(elements))
                case _:
                    continue


def _value_of(result: Any) -> Any:
    if not isinstance(result, str) or not result.lstrip().startswith(("{", "[")):
        return result
    try:
        return parse_json(result)
    except InvalidArgument:
        return None
