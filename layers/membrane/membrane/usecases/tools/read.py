"""The tool `read`: one memory, part by part, with versions; and the tools `search` and `fetch`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.requests import ReadVersions, RetrieveById
from membrane.domain.records.standing import is_contested, is_retracted, successor_of
from membrane.domain.search.prompts import clean_text, in_brief, tokens_in
from membrane.domain.search.rendering import readable
from membrane.domain.tools.arguments import Fetch, Read, Recall, Search
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, NOTICE, fitting, place_words, up_to_tokens
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records.read_record import read_versions, retrieve_by_id
from membrane.usecases.tools.recall import recall
from membrane.usecases.tools.tool import ToolAnswer

if TYPE_CHECKING:
    from membrane.domain.tools.replies import FetchedMemory, ReadMemory, SearchResults


MAX_CHARACTERS = 1_000_000
"""Characters of the text of a record; large values in the bucket are named with their size."""

_TAG_TOKENS = 150
_VERSION_TOKENS = 800
"""The most tokens of all versions, the newest first."""
_CHANGE_TOKENS = 60
_TAIL_TOKENS = 100


def read(asked: Read, call: Call, world: World) -> ToolAnswer:
    """The memory from the asked character on.

    Raises NotFound for an absent or hidden memory, and InvalidArgument for an offset behind
    the end.
    """
    record = retrieve_by_id(RetrieveById(id=asked.id), call, world)
    brief = in_brief(record, is_redacted=False)
    versions = _versions(asked, call, world) if asked.history else []
    version_lines = [f"version {compact_json(each)}" for each in versions]
    head = _head(record, str(brief["who"]), brief["when"])
    used = tokens_in("\n".join([head, *version_lines]))
    whole = clean_text(readable(record, MAX_CHARACTERS))
    if asked.offset and asked.offset >= len(whole):
        raise InvalidArgument(f"offset must be below {len(whole)}, where the text ends").at(
            "offset"
        )
    text = up_to_tokens(whole[asked.offset :], MAX_TEXT_TOKENS - used - _TAIL_TOKENS)
    reply: ReadMemory = {
        "id": record.id,
        "type": record.type,
        "text": text,
        "when": brief["when"],
        "scope": record.scope,
        "who": str(brief["who"]),
        "salience": record.salience,
        "tags": fitting(record.tags, _TAG_TOKENS),
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


def _head(record: MemoryRecord, who: str, when: str) -> str:
    state = ", retracted" if is_retracted(record.payload) else ""
    state = ", contested" if is_contested(record.payload) else state
    by = f" by {compact_json(clean_text(who))}" if who else ""
    return (
        f"Memory {record.id}: {record.type}{state}, in {place_words(record.scope)}, "
        f"from {when}{by}, salience {record.salience:.3g}.\n{NOTICE}"
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
        short["rationale"] = up_to_tokens(clean_text(version["rationale"]), _CHANGE_TOKENS)
    changes: Sequence[Mapping[str, Any]] = version.get("changes", ())
    if changes:
        short["changes"] = fitting([_change(each) for each in changes], 3 * _CHANGE_TOKENS)
    return short


def _change(change: Mapping[str, Any]) -> str:
    before, after = (change.get(name) for name in ("before", "after"))
    values = f"{compact_json(before)} -> {compact_json(after)}"
    if "added" in change:
        values = f"added {compact_json(change['added'])}"
    return up_to_tokens(clean_text(f"{change['field']}: {values}"), _CHANGE_TOKENS)


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
        "metadata": {**metadata, "notice": NOTICE},
    }
    while tokens_in(text := compact_json(reply)) > MAX_TEXT_TOKENS:
        reply["text"] = f"{reply['text'][: len(reply['text']) * 3 // 4]}…"
    return ToolAnswer(reply, text)


def _title_of(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARACTERS else f"{line[:TITLE_CHARACTERS]}…"


def _address_of(record_id: str) -> str:
    return f"membrane://records/{record_id}"
