"""The answers of MemState's tools: `ok` with the result, or `ok` false with the error."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.tools.memstate.documents import (
    Document,
    Value,
    cost_of,
    cut_to_fit,
    part_at,
    rest_of,
)
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, up_to_tokens
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.tools.tool import ToolAnswer

Run = Callable[[Any, Call, World], ToolAnswer]

_ERROR_TOKENS = 1_800
"""The most tokens of an error, which may name a field or topic of the request."""

_BESIDE_TOKENS = 60
"""For the numbers beside a part of a document."""

CUT_HINT = "Where a part ends in …, memory_get_topic reads on."

_READ_ON = "Where a part ends in …, call {tool} again with path, as {sample}, and offset."


class Expected(InvalidArgument):
    """A refusal that MemState's tools expect: the answer does not name the tool."""


def with_refusals_as_answers(name: str, run: Run, expected: tuple[type[DomainError], ...]) -> Run:
    """The tool with refusals as answers; an unexpected refusal names the tool, as in MemState.

    A silent or busy store is reported to operators as well. Any exception but a DomainError passes.
    """

    def answer(asked: Any, call: Call, world: World) -> ToolAnswer:
        try:
            return run(asked, call, world)
        except DomainError as error:
            if isinstance(error, TRANSIENT):
                world.report(call.rpc, FAULT, error)
            reply: JsonObject = {"ok": False, "error": _text_of(error)}
            if not isinstance(error, (Expected, *expected)):
                reply["tool"] = name
            return ToolAnswer(reply, compact_json(reply), is_error=True)

    return answer


def answer_of(reply: Body, written: Sequence[str] = ()) -> ToolAnswer:
    """The answer with a reply that is known to fit the budget."""
    return ToolAnswer(reply, compact_json(reply), tuple(written))


def written_answer(document: Document, body: Body) -> ToolAnswer:
    """The answer of a tool that wrote; `body` is the reply of the use case, with the token."""
    return answer_of(cut_to_fit(document, CUT_HINT), [body["consistency_token"]])


def document_answer(
    document: Document, tool: str, sample: str, asked: Any, world: World
) -> ToolAnswer:
    """The document within the budget or, with a path, the part of the document from the offset on.

    `sample` is a path for the hint. Raises InvalidArgument for a path that leads nowhere.
    """
    hint = _READ_ON.format(tool=tool, sample=sample)
    if not asked.path:
        return answer_of(cut_to_fit(document, hint))
    part = _in_place(part_at(document, asked.path), world)
    beside: JsonObject = {"ok": True, "offset": asked.offset, "cut": hint}
    room = MAX_TEXT_TOKENS - cost_of(beside) - _BESIDE_TOKENS
    rest = rest_of(part, asked.offset, room)
    reply: JsonObject = {
        "ok": True,
        "part": rest.shown,
        "offset": asked.offset,
        "length": rest.total,
        "next_offset": rest.next_offset,
    }
    return answer_of({**reply, "cut": hint} if rest.has_cut else reply)


def require(given: Mapping[str, str]) -> None:
    """Raise MemState's refusal unless every argument is given and not blank."""
    if not all(each.strip() for each in given.values()):
        raise Expected(f"{' and '.join(given)} required")


def _in_place(part: Any, world: World) -> Any:
    """The part, with the value from the bucket in place of a LargeValue."""
    if isinstance(part, Value) and isinstance(part.value, LargeValue):
        return Value(json.loads(world.records.value(part.value)))
    return part


def _text_of(error: DomainError) -> str:
    whole = str(error)
    text = up_to_tokens(whole, _ERROR_TOKENS)
    return whole if text == whole else f"{text}…"
