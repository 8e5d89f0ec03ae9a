"""The tool `recall`: the memories that answer a question, with a receipt for the outcome."""

from membrane.domain.search.prompts import tokens_in
from membrane.domain.search.requests import BRIEF, Retrieve
from membrane.domain.tools.arguments import Recall
from membrane.domain.tools.replies import Recalled
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, NOTICE, count_words, scope_words, show
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.search.retrieve import retrieve
from membrane.usecases.tools.tool import ToolAnswer, searched_scopes, trust_of

_TAIL_TOKENS = 160
"""Room for the end of the text, without the cursor."""

_CURSOR_TOKENS = 600
"""The most tokens of a cursor in the text."""


def recall(asked: Recall, call: Call, world: World) -> ToolAnswer:
    """The best memories, cut to fit; raises PermissionDenied for a foreign scope.

    Further errors are those of `retrieve`.
    """
    scopes = searched_scopes(call.principal, asked.scope)
    request = Retrieve(
        task_descriptor=asked.query,
        trust=trust_of(asked.scope),
        memory_types=asked.types,
        limit=asked.limit,
        cursor=asked.cursor,
        subject=asked.subject,
        predicate=asked.predicate,
        as_of=asked.as_of,
        view=BRIEF,
        consistency_tokens=tuple(world.recent_writes.read(call.principal.identity)),
    )
    found = retrieve(request, call, world)
    readable = [each for each in found.records if each["text"] is not None]
    withheld = len(found.records) - len(readable) + found.withheld
    head = _head(len(readable), withheld, scope_words(scopes))
    more = _more(found.next_cursor)
    shown = show(readable, MAX_TEXT_TOKENS - tokens_in(head) - tokens_in(more) - _TAIL_TOKENS)
    reply: Recalled = {"memories": shown.memories, "scopes": [*scopes], "withheld": withheld}
    if shown.not_shown:
        reply["not_shown"] = shown.not_shown
    elif found.next_cursor is not None:
        reply["next_cursor"] = found.next_cursor
    if found.receipt_id is not None and shown.memories:
        reply["receipt_id"] = found.receipt_id
    text = "\n".join([head, *shown.lines, *_how_to_go_on(reply, more)])
    return ToolAnswer(reply, text)


def _head(count: int, withheld: int, scopes: str) -> str:
    found = f"Searched {scopes}: {count_words(count, 'memory', 'memories')}"
    order = ", the best first" if count > 1 else ""
    kept_back = f"; {withheld} withheld, beyond the rights of the key" if withheld else ""
    notice = f"\n{NOTICE}" if count else ""
    return f"{found}{order}{kept_back}.{notice}"


def _more(cursor: str | None) -> str:
    """The line that leads to the next page; a long cursor stands in the structured content."""
    if cursor is None:
        return ""
    named = cursor if tokens_in(cursor) <= _CURSOR_TOKENS else "next_cursor"
    return f"More: recall with the same arguments and cursor {named}"


def _how_to_go_on(reply: Recalled, more: str) -> list[str]:
    memories, lines = reply["memories"], list[str]()
    if any(each.get("cut") for each in memories):
        lines.append("Texts that end in … go on: read with the id shows the rest.")
    if "not_shown" in reply:
        fewer = f"recall again with limit {len(memories)}, then go on by cursor"
        lines.append(f"{reply['not_shown']} more had no room: {fewer}.")
    elif "next_cursor" in reply:
        lines.append(more)
    if "receipt_id" in reply:
        lines.append(
            "After the task: record_outcome with the ids that helped and receipt_id "
            f"{reply['receipt_id']}"
        )
    if not memories:
        lines.append("Try other words or another scope; remember what you find out.")
    return lines
