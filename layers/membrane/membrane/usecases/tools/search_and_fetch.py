"""The tools `search` and `fetch`: `recall` and `read` in the form of clients that know the two."""

from typing import TYPE_CHECKING

from membrane.domain.language.json_text import compact_json
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.arguments import Fetch, Read, Recall, Search
from membrane.domain.tools.texts import MAX_TEXT_TOKENS, NOTICE
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.read import read
from membrane.usecases.tools.recall import recall
from membrane.usecases.tools.tool import ToolAnswer

if TYPE_CHECKING:
    from membrane.domain.tools.replies import FetchedMemory, SearchResults

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
