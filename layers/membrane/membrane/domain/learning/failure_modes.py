"""What went wrong in a trace, and what helped."""

import re
from collections.abc import Sequence
from itertools import pairwise

from membrane.domain.learning.call_errors import error_of
from membrane.domain.records.payloads import EpisodicPayload, ToolNode

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
