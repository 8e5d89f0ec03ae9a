"""The tools that read: `recall`, `read` with versions, and `search` and `fetch` over both."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import ReadVersions, RetrieveById
from membrane.domain.records.standing import is_contested, is_retracted, successor_of
from membrane.domain.search.prompts import clean_text, in_brief, tokens_in
from membrane.domain.search.rendering import readable
from membrane.domain.search.requests import BRIEF, Retrieve
from membrane.domain.tools import texts
from membrane.domain.tools.arguments import Fetch, Read, Recall, Search
from membrane.domain.tools.replies import Recalled
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records.read_record import read_versions, retrieve_by_id
from membrane.usecases.search.retrieve import retrieve
from membrane.usecases.tools.tool import ToolAnswer, searched_scopes, trust_of

if TYPE_CHECKING:
    from membrane.domain.tools.replies import FetchedMemory, ReadMemory, SearchResults


_TAIL_TOKENS = 160
"""Room for the end of the text, without the cursor."""

_CURSOR_TOKENS = 600
"""The most tokens of a cursor in the text."""


def recall(asked: Recall, call: Call, world: World) -> ToolAnswer:
    """The best memories, cut to fit. Raises PermissionDenied, and as `retrieve`."""
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
    head = _head(len(readable), withheld, texts.scope_words(scopes))
    more = _more(found.next_cursor)
    shown = texts.show(
        readable, texts.MAX_TEXT_TOKENS - tokens_in(head) - tokens_in(more) - _TAIL_TOKENS
    )
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
    found = f"Searched {scopes}: {texts.count_words(count, 'memory', 'memories')}"
    order = ", the best first" if count > 1 else ""
    kept_back = f"; {withheld} withheld, beyond the rights of the key" if withheld else ""
    notice = f"\n{texts.NOTICE}" if count else ""
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


MAX_CHARACTERS = 1_000_000
"""Characters of the text of a record; large values in the bucket are named with their size."""

_TAG_TOKENS = 150
_VERSION_TOKENS = 800
"""The most tokens of all versions, the newest first."""
_CHANGE_TOKENS = 60
_READ_TAIL_TOKENS = 100


def read(asked: Read, call: Call, world: World) -> ToolAnswer:
    """The memory from the asked character on.

    Raises NotFound for an absent or hidden memory, and InvalidArgument for an offset behind
    the end.
    """
    record = retrieve_by_id(RetrieveById(id=asked.id), call, world)
    brief = in_brief(record, is_redacted=False)
    versions = _versions(asked, call, world) if asked.history else []
    version_lines = [f"version {compact_json(each)}" for each in versions]
    head = _description(record, str(brief["who"]), brief["when"])
    used = tokens_in("\n".join([head, *version_lines]))
    whole = clean_text(readable(record, MAX_CHARACTERS))
    if asked.offset and asked.offset >= len(whole):
        raise InvalidArgument(f"offset must be below {len(whole)}, where the text ends").at(
            "offset"
        )
    text = texts.up_to_tokens(
        whole[asked.offset :], texts.MAX_TEXT_TOKENS - used - _READ_TAIL_TOKENS
    )
    reply: ReadMemory = {
        "id": record.id,
        "type": record.type,
        "text": text,
        "when": brief["when"],
        "scope": record.scope,
        "who": str(brief["who"]),
        "salience": record.salience,
        "tags": texts.fitting(record.tags, _TAG_TOKENS),
    }
    lines = [head, compact_json(text)]
    end = asked.offset + len(text)
    if end < len(whole):
        reply["next_offset"] = end
        lines.append(f"{len(whole) - end} characters more: read with offset {end}.")
    successor = successor_of(record.payload)
    if successor is not None:
        reply["superseded_by"] = successor
        lines.append(f"Superseded: read {successor} for what holds now.")
    if is_retracted(record.payload):
        reply["retracted"] = True
    if versions:
        reply["versions"] = versions
    return ToolAnswer(reply, "\n".join([*lines, *version_lines]))


def _description(record: MemoryRecord, who: str, when: str) -> str:
    state = ", retracted" if is_retracted(record.payload) else ""
    state = ", contested" if is_contested(record.payload) else state
    by = f" by {compact_json(clean_text(who))}" if who else ""
    return (
        f"Memory {record.id}: {record.type}{state}, in {texts.place_words(record.scope)}, "
        f"from {when}{by}, salience {record.salience:.3g}.\n{texts.NOTICE}"
    )


def _versions(asked: Read, call: Call, world: World) -> list[dict[str, Any]]:
    """The newest versions with room, the newest first, with long values cut."""
    every = read_versions(ReadVersions(id=asked.id), call, world)["versions"]
    shown, room = list[dict[str, Any]](), _VERSION_TOKENS
    for version in reversed(every):
        short = _short(version)
        room -= tokens_in(compact_json(short))
        if room < 0 and shown:
            return shown
        shown.append(short)
    return shown


def _short(version: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("number", "valid_from", "action", "principal", "withheld")
    short = {name: version[name] for name in kept if name in version}
    if version.get("rationale"):
        short["rationale"] = texts.up_to_tokens(clean_text(version["rationale"]), _CHANGE_TOKENS)
    changes: Sequence[Mapping[str, Any]] = version.get("changes", ())
    if changes:
        short["changes"] = texts.fitting([_change(each) for each in changes], 3 * _CHANGE_TOKENS)
    return short


def _change(change: Mapping[str, Any]) -> str:
    before, after = (change.get(name) for name in ("before", "after"))
    values = f"{compact_json(before)} -> {compact_json(after)}"
    if "added" in change:
        values = f"added {compact_json(change['added'])}"
    return texts.up_to_tokens(clean_text(f"{change['field']}: {values}"), _CHANGE_TOKENS)


TITLE_CHARACTERS = 80


def search(asked: Search, call: Call, world: World) -> ToolAnswer:
    """The best memories with title and address; raises the errors of `recall`."""
    found = recall(Recall(query=asked.query), call, world).reply["memories"]
    reply: SearchResults = {
        "results": [
            {"id": each["id"], "title": _title_of(each["text"]), "url": _address_of(each["id"])}
            for each in found
        ]
    }
    return ToolAnswer(reply, compact_json(reply))


def fetch(asked: Fetch, call: Call, world: World) -> ToolAnswer:
    """One memory with the beginning of the text; raises the errors of `read`."""
    memory = read(Read(id=asked.id), call, world).reply
    metadata = {name: str(memory[name]) for name in ("type", "when", "who", "scope")}
    reply: FetchedMemory = {
        "id": asked.id,
        "title": _title_of(memory["text"]),
        "text": memory["text"],
        "url": _address_of(asked.id),
        "metadata": {**metadata, "notice": texts.NOTICE},
    }
    while tokens_in(text := compact_json(reply)) > texts.MAX_TEXT_TOKENS:
        reply["text"] = f"{reply['text'][: len(reply['text']) * 3 // 4]}…"
    return ToolAnswer(reply, text)


def _title_of(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[:TITLE_CHARACTERS]}…"


def _address_of(record_id: str) -> str:
    return f"membrane://records/{record_id}"
