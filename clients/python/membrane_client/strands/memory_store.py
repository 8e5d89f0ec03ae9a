"""Long-term memory of Strands agents as records: notes that an agent adds, and conversations."""

import asyncio
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from strands.memory import MemoryEntry
from strands.memory.types import AddMessagesContext, MemoryStore, SearchOptions
from strands.types import content

from membrane_client import verbs
from membrane_client.client import Membrane
from membrane_client.core import adapters
from membrane_client.core.adapters import MAX_OPERATIONS
from membrane_client.core.protocol import NOT_GIVEN, User, is_blank, require_scope, require_user
from membrane_client.errors import Gone
from membrane_client.values.payloads import EpisodicPayload, Payload, SemanticPayload
from membrane_client.values.records import MemoryRecord
from membrane_client.values.words import RevisionStatus

if TYPE_CHECKING:
    from strands.memory.extraction.types import ExtractionConfig

USUAL_RESULTS, MAX_RESULTS = 10, 100
MAX_QUERY_CHARACTERS = 100_000
MAX_BATCH_CHARACTERS = 1_000_000  # As JSON; a request carries 6 MB
MAX_CHARACTERS = 100_000  # Of a message's content; a longer content becomes several messages
TOOL_CALL = "tool_call"  # The kind of an event that only repeats the calls in the tool graph

Said: TypeAlias = dict[str, Any]
"""A message as the service takes it."""


class MembraneMemoryStore(MemoryStore):
    """A store of a `MemoryManager`: `add` keeps facts, `add_messages` keeps conversations.

    `scope` and `user` say whose memory the store is; `tags` label what the store writes and select
    what the store finds. `session` names the thread of the messages; without a session each agent
    has a thread of its own. Each agent with `extraction` needs a store of its own: agents number
    their messages alike. Calls raise MembraneError, and ValueError for an unfit argument.

    Raises TypeError for an AsyncMembrane and for `tags` that are a text, ValueError for an empty
    `name`, `user` or `scope`, for `max_search_results` below 1, and for a `scope` beside a user, of
    the store or of the client.
    """

    def __init__(
        self,
        client: Membrane,
        *,
        name: str = "membrane",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: "ExtractionConfig | bool | None" = None,
        scope: str | None = None,
        user: User = NOT_GIVEN,
        session: str | None = None,
        tags: Sequence[str] = (),
    ) -> None:
        adapters.require_client(client, Membrane)
        if not name.strip():
            raise ValueError("name must not be empty")
        _require_results(max_search_results)
        self.name, self.description = name, description
        self.max_search_results = max_search_results
        self.writable, self.extraction = writable, extraction
        require_user(user)
        require_scope(scope)
        self._client, self._scope, self._user, self._session = client, scope, user, session
        self._tags = adapters.labels_in("tags", tags)
        options = client._api.options  # noqa: SLF001 - of the same package
        self._place = user or options.user or "", scope or options.scope or ""
        if scope and self._place[0]:
            raise ValueError(f"scope is {scope!r} beside a user: a user has a scope already")
        self._run_id = uuid.uuid4().hex
        self._has_agent = False

    async def initialize(self) -> None:
        """Begin a run of messages; raises ValueError for a second agent with `extraction`."""
        if self._has_agent and self.extraction:
            raise ValueError(
                f"the store {self.name!r} extracts for another agent already: "
                "make a MembraneMemoryStore for each agent"
            )
        self._has_agent = True
        self._run_id = uuid.uuid4().hex

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Memories for the query, the best first, the store's own writes of a moment ago included.

        At most `max_search_results` of the options, else of the store, else 10; never above 100. A
        query of blanks finds nothing. A query counts up to its first 100,000 characters.
        """
        asked = (options or {}).get("max_search_results")
        _require_results(asked)
        limit = min(asked or self.max_search_results or USUAL_RESULTS, MAX_RESULTS)
        if not query.strip():
            return []
        return await asyncio.to_thread(self._search, query[:MAX_QUERY_CHARACTERS], limit)

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> MemoryRecord:
        """Keep a text as a fact `noted`, once until the record is deleted or replaced."""
        self._require_writable()
        if is_blank(content):
            raise ValueError("content must not be empty")
        return await asyncio.to_thread(self._add, note_of(content, metadata))

    async def add_messages(
        self, messages: list[content.Message], context: AddMessagesContext | None = None
    ) -> None:
        """Keep texts, calls of tools and results of tools, each as a record, once in a run."""
        self._require_writable()
        await asyncio.to_thread(self._add_messages, messages, context)

    def _search(self, query: str, limit: int) -> list[MemoryEntry]:
        found: list[MemoryEntry] = []
        cursor: str | None = ""
        while cursor is not None and len(found) < limit:
            page = self._client.retrieve(
                query,
                limit=limit - len(found),
                cursor=cursor or None,
                user=self._user,
                trust={"scopes": [self._scope]} if self._scope else None,
                tags=self._tags or None,
            )
            entries = (entry_of(each, page.scores.get(each.id)) for each in page.records)
            found += [each for each in entries if each is not None]
            cursor = page.next_cursor
        return found[:limit]

    def _add(self, note: Any) -> MemoryRecord:
        """The record of the note: the first that was neither deleted nor replaced since."""
        key = _digest(self.name, *self._place, json.dumps(note, sort_keys=True), *self._tags)
        while True:
            try:
                record = self._client.ingest_observation(
                    next(filter(None, self._place), "user"),  # as in `remember`
                    verbs.NOTED,
                    note,
                    on_conflict="keep",
                    source=self.name,
                    tags=self._tags or None,
                    scope=self._scope or None,
                    user=self._user,
                    idempotency_key=key,
                )
            except Gone as gone:
                key = _digest(key, gone.record_id)
                continue
            revision = getattr(record.payload, "revision", None)
            if revision is None or revision.status != RevisionStatus.RETRACTED:
                return record
            key = _digest(key, record.id)

    def _add_messages(
        self, messages: Sequence[content.Message], context: AddMessagesContext | None
    ) -> None:
        items = self._items(messages, context.sequence_numbers if context else None)
        for batch in adapters.batches(
            items, lambda each: len(json.dumps(each)), MAX_OPERATIONS, MAX_BATCH_CHARACTERS
        ):
            for result in self._client.ingest_batch(batch, user=self._user).results:
                if error := adapters.refusal_of(result):
                    raise error

    def _items(
        self, messages: Sequence[content.Message], numbers: Sequence[int] | None
    ) -> Iterator[dict[str, Any]]:
        """A request for each part of a message; a repeat of the message has the same keys."""
        session = self._session or self._run_id
        fields: dict[str, Any] = {"rpc": "IngestMessages", "session": session}
        if self._tags:
            fields["tags"] = [*self._tags]
        if self._scope:
            fields["scope"] = self._scope
        tools = tools_of(messages)
        for at, message in enumerate(messages):
            for part, said in enumerate(messages_of(message, tools)):
                item = {**fields, "messages": [said]}
                if numbers is not None:
                    number = f"{numbers[at]}.{part}"
                    item["idempotency_key"] = _digest(self._run_id, number, json.dumps(item))
                yield item

    def _require_writable(self) -> None:
        if not self.writable:
            raise ValueError(f"the store {self.name!r} is not writable")


def _require_results(number: int | None) -> None:
    if number is not None and number < 1:
        raise ValueError(f"max_search_results is {number}: must be at least 1")


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()


def note_of(content: str, metadata: Mapping[str, Any] | None) -> Any:
    return {"text": content, "metadata": dict(metadata)} if metadata else content


def entry_of(record: MemoryRecord, score: float | None) -> MemoryEntry | None:
    """The record as an entry; None for a record whose content the key may not see.

    The metadata of a note are as they were given, beside `record_id`, `type`, `score`, `salience`,
    `when` and `scope`.
    """
    if record.payload is None:
        return None
    text, metadata = _content(record.payload)
    about = {
        "record_id": record.id,
        "type": str(record.type),
        "score": score,
        "salience": record.salience,
        "when": record.created_at.isoformat(),
        "scope": record.scope,
    }
    return MemoryEntry(content=text, metadata={**about, **metadata})


def _content(payload: Payload) -> tuple[str, Mapping[str, Any]]:
    match payload:
        case SemanticPayload(predicate=verbs.NOTED, object=str(text)):
            return text, {}
        case SemanticPayload(
            predicate=verbs.NOTED, object={"text": str(text), "metadata": dict(metadata)}
        ):
            return text, metadata
        case SemanticPayload() as fact:
            return f"{fact.subject} {fact.predicate} {_words(fact.object)}", {}
        case EpisodicPayload() as episode:
            return "\n".join(_lines(episode)), {}
        case other:
            return _words(other.raw), {}


def _lines(episode: EpisodicPayload) -> Iterator[str]:
    for event in episode.timeline:
        if event.event_kind != TOOL_CALL or not episode.tool_graph:
            yield event.summary or f"{event.event_kind} {event.ref}"
    for node in episode.tool_graph:
        yield " ".join(filter(None, [node.tool, _words(node.args), _words(node.result)]))


def _words(value: Any) -> str:
    """The text, or the value as JSON; "" for none."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def tools_of(messages: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The names of the tools that the messages call, by the ids of the calls."""
    blocks = (block for message in messages for block in message["content"])
    uses = (block["toolUse"] for block in blocks if "toolUse" in block)
    return {use["toolUseId"]: use["name"] for use in uses}


def messages_of(message: Mapping[str, Any], tools: Mapping[str, str]) -> Sequence[Said]:
    """The results of tools first, then what was said, with the calls of tools.

    Images, documents, videos and the reasoning of the model are left out. `tools` is of `tools_of`.
    """
    role, blocks = message["role"], message["content"]
    texts = [text for block in blocks for text in _texts_in(block)]
    said: list[Said] = [{"role": role, "content": each} for each in _parts(texts)]
    calls = [_call(block["toolUse"]) for block in blocks if "toolUse" in block]
    if role == "assistant" and calls:
        said = said or [{"role": role}]
        said[-1]["tool_calls"] = calls
    return [*_results(blocks, tools), *said]


def _texts_in(block: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a block, also those of an answer with citations."""
    for part in (block, *block.get("citationsContent", {}).get("content", ())):
        if part.get("text"):
            yield part["text"]


def _call(use: Mapping[str, Any]) -> Said:
    given = use.get("input")
    arguments = given if isinstance(given, dict) else {"input": given}
    function = {"name": use["name"], "arguments": arguments}
    return {"id": use["toolUseId"], "type": "function", "function": function}


def _results(blocks: Sequence[Mapping[str, Any]], tools: Mapping[str, str]) -> Iterator[Said]:
    for result in (block["toolResult"] for block in blocks if "toolResult" in block):
        texts = [text for part in result["content"] for text in _texts_of_result(part)]
        for each in [*_parts(texts)] or [result.get("status", "")]:
            call_id = result["toolUseId"]
            named = {"name": tools[call_id]} if call_id in tools else {}
            yield {"role": "tool", "tool_call_id": call_id, "content": each, **named}


def _texts_of_result(part: Mapping[str, Any]) -> Iterator[str]:
    if "json" in part:
        yield json.dumps(part["json"], ensure_ascii=False)
    if part.get("text"):
        yield part["text"]


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """The texts as lines, in parts that fit a message, without parts of blanks alone."""
    text = "\n".join(texts)
    for start in range(0, len(text), MAX_CHARACTERS):
        part = text[start : start + MAX_CHARACTERS]
        if part.strip():
            yield part
