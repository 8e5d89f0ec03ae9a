"""The flow of data in a trace: an argument of a call that an earlier result brought up."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from membrane.domain.learning.likeness import task_of
from membrane.domain.records.payloads import EpisodicPayload

MIN_TOKEN_CHARACTERS = 4
"""Characters of a part of a text that counts as a value of its own: an id, a path, a name."""

MIN_VALUE_CHARACTERS = 2
"""Characters of a whole value; shorter values are equal by chance."""

MAX_LEAVES = 200
"""Values of a result, or of an argument, that are looked at."""

MAX_LEAF_CHARACTERS = 1_024
"""Characters of a value that are looked at."""

MAX_FOLDERS = 16
"""Parts of a path whose beginnings are looked at."""

_RUN = re.compile(r"[^\s\"'`<>(){}\[\],;|…]+")
_PIECE = re.compile(r"\w+(?:[-+@.:]\w+)*")
_NAME = re.compile(r"\w+(?:-\w+)*")


class Flow(NamedTuple):
    """A value that passes from the result of a call to an argument of a later call."""

    source: int
    """The position of the call whose result brought up the value."""
    target: int
    argument: str
    value: str


def flows_of(trace: EpisodicPayload) -> Iterator[Flow]:
    """The flows of a trace, each from the call that brought up the value first.

    A value that the task or the arguments of an earlier call gave flows from no result.
    """
    given = set(_tokens(task_of(trace)))
    origin = dict[str, int]()
    for position, call in enumerate(trace.tool_graph):
        named = call.args.items() if isinstance(call.args, dict) else ()
        arguments = [(name, _tokens_in(value)) for name, value in named]
        for name, tokens in arguments:
            known = next((token for token in tokens if token in origin), None)
            if known is not None:
                yield Flow(origin[known], position, name, known)
        given.update(token for _, tokens in arguments for token in tokens)
        for token in _tokens_in(call.result):
            if token not in given:
                origin.setdefault(token, position)


def _tokens_in(value: Any) -> list[str]:
    """The values and the parts of texts in a JSON value, each value before its parts."""
    found = dict[str, None]()
    for leaf in _leaves(value):
        found.update(dict.fromkeys(_tokens(leaf)))
    return list(found)


def _leaves(value: Any) -> Iterator[str]:
    """The texts and numbers of a JSON value, as text."""
    left, seen = [value], 0
    while left and seen < MAX_LEAVES:
        match left.pop():
            case dict() as fields:
                left.extend(reversed(fields.values()))
            case list() as elements:
                left.extend(reversed(elements))
            case bool() | None:
                continue
            case leaf:
                seen += 1
                yield str(leaf)


def _tokens(text: str) -> Iterator[str]:
    """The text, and its paths with all their beginnings, pieces and names."""
    whole = text[:MAX_LEAF_CHARACTERS].strip()
    if len(whole) >= MIN_VALUE_CHARACTERS:
        yield whole
    for run in _RUN.findall(whole):
        parts = run.rstrip(".:/").split("/")
        beginnings = ("/".join(parts[:end]) for end in range(min(len(parts), MAX_FOLDERS), 0, -1))
        for token in (*beginnings, *_PIECE.findall(run), *_NAME.findall(run)):
            if len(token) >= MIN_TOKEN_CHARACTERS:
                yield token
