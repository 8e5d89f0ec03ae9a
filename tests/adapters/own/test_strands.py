"""Strands' adapters beyond Strands' own tests: rights, races, deletion, errors, event loops."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.request import Request, urlopen

import pytest
from local_stack import API_KEY, URL
from strands import Agent
from strands.memory import AddMessagesContext, MemoryManager
from strands.models import Model
from strands.session import RepositorySessionManager
from strands.session.snapshot_session_manager import SnapshotSessionManager
from strands.types.content import Message
from strands.types.exceptions import SessionException, StorageError
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

from membrane_client import (
    AsyncMembrane,
    BadRequest,
    ConnectionFailed,
    Forbidden,
    InvalidCall,
    Membrane,
    NotFound,
)
from membrane_client.strands import (
    MembraneMemoryStore,
    MembraneSessionRepository,
    MembraneStorage,
)

NOWHERE = Membrane("http://127.0.0.1:9", "key", max_retries=0)
ADAPTERS: Sequence[Any] = (MembraneMemoryStore, MembraneSessionRepository, MembraneStorage)


@pytest.fixture
def sessions(client: Membrane, scope: str) -> MembraneSessionRepository:
    """With a session s of the agents a and b."""
    repository = MembraneSessionRepository(client, scope=scope)
    repository.create_session(Session("s", SessionType.AGENT))
    for agent_id in "ab":
        repository.create_agent("s", SessionAgent(agent_id, {"n": 1}, {}))
    return repository


@pytest.fixture
def storage(client: Membrane, scope: str) -> MembraneStorage:
    return MembraneStorage(client, scope=scope)


@pytest.fixture
def memory(client: Membrane, scope: str) -> MembraneMemoryStore:
    return MembraneMemoryStore(client, name="notes", scope=scope)


@pytest.fixture
def weak(scope: str) -> Iterator[Membrane]:
    """The client of a key without `admin` and `revise`, for the test's scope alone."""
    with _client_of("weak", ("ingest", "read"), scope) as client:
        yield client


def _client_of(
    actor: str, permissions: Sequence[str], scope: str, ceiling: str = "high"
) -> Membrane:
    asked = {
        "actor_id": actor,
        "permissions": [*permissions],
        "scopes": [scope],
        "max_sensitivity": ceiling,
    }
    request = Request(  # noqa: S310 - loopback
        f"{URL}/_dev/keys",
        method="POST",
        data=json.dumps(asked).encode(),
        headers={"authorization": f"Bearer {API_KEY}"},
    )
    with urlopen(request) as reply:  # noqa: S310 - loopback
        return Membrane(URL, json.load(reply)["secret"])


def _said(text: str, number: int, role: str = "user") -> SessionMessage:
    return SessionMessage({"role": role, "content": [{"text": text}]}, number)  # type: ignore[typeddict-item]


def _texts(messages: Sequence[SessionMessage]) -> list[str]:
    return [each.to_message()["content"][0]["text"] for each in messages]


def _entries(memory: MembraneMemoryStore, query: str, **options: Any) -> list[str]:
    found = asyncio.run(memory.search(query, {**options} or None))  # type: ignore[arg-type]
    return [each.content for each in found]


def _entries_in_time(memory: MembraneMemoryStore, query: str) -> list[str]:
    """The entries once there are any: the index has writes of other clients after seconds."""
    end = time.monotonic() + 30
    while not (found := _entries(memory, query)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


class Scripted(Model):
    """Says the same every time, and keeps what it read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def update_config(self, **model_config: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {"context_window_limit": 100_000}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("nobody asks for structured output")

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        self.read.append(json.dumps(messages))
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "Noted."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_client_for_asynchronous_code_is_refused(adapter: Any) -> None:
    with pytest.raises(TypeError, match="AsyncMembrane: expected Membrane"):
        adapter(AsyncMembrane("http://127.0.0.1:9", "key"))


@pytest.mark.parametrize(
    ("adapter", "name"),
    [
        (MembraneMemoryStore, "tags"),
        (MembraneSessionRepository, "namespace"),
        (MembraneStorage, "namespace"),
    ],
)
def test_a_text_in_place_of_labels_is_refused(adapter: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} is 'abc': expected a sequence"):
        adapter(NOWHERE, **{name: "abc"})


# --- sessions -----------------------------------------------------------------------------------


def test_the_agents_of_a_session_keep_their_messages_apart(
    sessions: MembraneSessionRepository,
) -> None:
    sessions.create_message("s", "a", _said("to a", 0))
    sessions.create_message("s", "b", _said("to b", 0))

    assert _texts(sessions.list_messages("s", "a")) == ["to a"]
    assert _texts(sessions.list_messages("s", "b")) == ["to b"]


def test_appends_of_many_agents_at_once_are_all_kept_in_order(
    sessions: MembraneSessionRepository,
) -> None:
    def append(agent_id: str) -> None:
        for number in range(12):
            sessions.create_message("s", agent_id, _said(f"{agent_id}{number}", number))

    with ThreadPoolExecutor() as pool:
        assert [*pool.map(append, "ab")] == [None, None]

    for agent_id in "ab":
        kept = _texts(sessions.list_messages("s", agent_id))
        assert kept == [f"{agent_id}{number}" for number in range(12)]


def test_of_two_writers_of_one_message_exactly_one_is_refused(
    sessions: MembraneSessionRepository,
) -> None:
    def append(text: str) -> bool:
        try:
            sessions.create_message("s", "a", _said(text, 0))
        except SessionException:
            return False
        return True

    with ThreadPoolExecutor() as pool:
        written = dict(zip("xyz", pool.map(append, "xyz"), strict=True))

    assert _texts(sessions.list_messages("s", "a")) == [text for text in "xyz" if written[text]]


@pytest.mark.parametrize(
    ("limit", "offset", "expected"),
    [
        (None, 0, [0, 1, 2, 5, 6, 9]),
        (None, 2, [2, 5, 6, 9]),
        (None, 4, [6, 9]),
        (2, 3, [5, 6]),
        (1, 5, [9]),
        (3, 1, [1, 2, 5]),
        (2, 9, []),
        (0, 0, []),
    ],
)
def test_limit_and_offset_count_messages_even_where_numbers_are_missing(
    limit: int | None,
    offset: int,
    expected: Sequence[int],
    sessions: MembraneSessionRepository,
) -> None:
    for number in (0, 1, 2, 5, 6, 9):
        sessions.create_message("s", "a", _said("x", number))

    listed = sessions.list_messages("s", "a", limit, offset)

    assert [each.message_id for each in listed] == expected


def test_an_offset_holds_over_the_pages_of_long_messages(
    sessions: MembraneSessionRepository,
) -> None:
    for number in range(56):
        sessions.create_message("s", "a", _said(f"{number}" + "x" * 120_000, number))

    for limit, offset, expected in ((None, 3, range(3, 56)), (50, 4, range(4, 54))):
        listed = sessions.list_messages("s", "a", limit, offset)
        assert [each.message_id for each in listed] == [*expected]


def test_a_redaction_stays_in_its_place_and_keeps_the_time(
    sessions: MembraneSessionRepository,
) -> None:
    for number, text in enumerate(("first", "secret", "last")):
        sessions.create_message("s", "a", _said(text, number))
    before = sessions.list_messages("s", "a")

    redacted = _said("secret", 1)
    redacted.redact_message = {"role": "user", "content": [{"text": "[redacted]"}]}
    sessions.update_message("s", "a", redacted)

    after = sessions.list_messages("s", "a")
    assert _texts(after) == ["first", "[redacted]", "last"]
    assert [each.created_at for each in after] == [each.created_at for each in before]


def test_bytes_and_large_messages_are_read_back_whole(sessions: MembraneSessionRepository) -> None:
    image = {"image": {"format": "png", "source": {"bytes": bytes(range(256)) * 14_000}}}
    sessions.create_message("s", "a", SessionMessage({"role": "user", "content": [image]}, 0))  # type: ignore[list-item]

    [message] = sessions.list_messages("s", "a")

    assert message.message == {"role": "user", "content": [image]}


class _Team:
    id = "team/1"

    def __init__(self, **state: Any) -> None:
        self.state = state

    def serialize_state(self) -> dict[str, Any]:
        return self.state


def test_the_state_of_a_team_is_kept_beside_the_agents(
    sessions: MembraneSessionRepository,
) -> None:
    sessions.create_multi_agent("s", _Team(turn=1, raw=b"\0\xff"))  # type: ignore[arg-type]
    assert sessions.read_multi_agent("s", "team/1") == {"turn": 1, "raw": b"\0\xff"}

    sessions.update_multi_agent("s", _Team(turn=2))  # type: ignore[arg-type]

    assert sessions.read_multi_agent("s", "team/1") == {"turn": 2}
    assert sessions.read_multi_agent("s", "other") is None


def test_what_does_not_exist_is_not_written_to(sessions: MembraneSessionRepository) -> None:
    agent = SessionAgent("c", {}, {})
    for call in (
        lambda: sessions.create_agent("other", agent),
        lambda: sessions.update_agent("s", agent),
        lambda: sessions.create_message("s", "c", _said("x", 0)),
        lambda: sessions.update_message("s", "a", _said("x", 7)),
        lambda: sessions.list_messages("s", "c"),
        lambda: sessions.create_multi_agent("other", _Team()),  # type: ignore[arg-type]
        lambda: sessions.update_multi_agent("s", _Team()),  # type: ignore[arg-type]
        lambda: sessions.delete_session("other"),
    ):
        with pytest.raises(SessionException, match="does not exist"):
            call()

    assert sessions.read_agent("s", "c") is None
    assert sessions.read_message("s", "c", 0) is None
    assert sessions.list_messages("s", "a") == []


def test_what_exists_is_not_created_again(sessions: MembraneSessionRepository) -> None:
    sessions.create_message("s", "a", _said("kept", 0))
    for call in (
        lambda: sessions.create_session(Session("s", SessionType.AGENT)),
        lambda: sessions.create_agent("s", SessionAgent("a", {"n": 2}, {})),
        lambda: sessions.create_message("s", "a", _said("lost", 0)),
    ):
        with pytest.raises(SessionException, match="already exists"):
            call()

    agent = sessions.read_agent("s", "a")
    assert agent is not None
    assert agent.state == {"n": 1}
    assert _texts(sessions.list_messages("s", "a")) == ["kept"]


def test_a_deleted_session_leaves_nothing_in_search_and_history(
    sessions: MembraneSessionRepository, client: Membrane, scope: str
) -> None:
    for number in range(120):
        sessions.create_message("s", "a", _said(f"secret {number}", number))
    sessions.create_multi_agent("s", _Team(plan="secret"))  # type: ignore[arg-type]
    sessions.update_message("s", "a", _said("other secret", 0))
    sessions.create_session(Session("s2", SessionType.AGENT))

    sessions.delete_session("s")

    assert sessions.read_session("s") is None
    assert sessions.read_agent("s", "a") is None
    assert sessions.read_session("s2") is not None
    left = client.search_documents(("strands", "sessions", "s"), scope=scope)
    assert [*left] == []
    message = client.get_document(
        ("strands", "sessions", "s", "agents", "a"), f"{0:012}", scope=scope, history=10
    )
    assert message.deleted
    assert len(message.history) >= 2
    assert [each.value for each in message.history] == [None] * len(message.history)
    with pytest.raises(SessionException):
        sessions.delete_session("s")
    sessions.create_session(Session("s", SessionType.AGENT))
    sessions.create_agent("s", SessionAgent("a", {}, {}))
    assert sessions.list_messages("s", "a") == []


def test_a_key_without_admin_deletes_and_the_history_stays(weak: Membrane, scope: str) -> None:
    sessions = MembraneSessionRepository(weak, scope=scope)
    sessions.create_session(Session("s", SessionType.AGENT))
    sessions.create_agent("s", SessionAgent("a", {}, {}))
    sessions.create_message("s", "a", _said("x", 0))

    with pytest.raises(Forbidden, match="admin"):
        MembraneSessionRepository(weak, scope=scope, erase=True).delete_session("s")
    assert _texts(sessions.list_messages("s", "a")) == ["x"]
    sessions.delete_session("s")

    assert sessions.read_session("s") is None
    assert [*weak.search_documents(("strands", "sessions"), scope=scope)] == []
    place = ("strands", "sessions", "s", "agents", "a"), f"{0:012}"
    assert weak.get_document(*place, scope=scope, history=1).history[0].value is not None


def test_a_session_of_another_actor_is_not_deleted_without_the_right(
    sessions: MembraneSessionRepository, weak: Membrane, scope: str
) -> None:
    sessions.create_message("s", "a", _said("kept", 0))

    with pytest.raises(Forbidden, match="revise"):
        MembraneSessionRepository(weak, scope=scope).delete_session("s")

    assert _texts(sessions.list_messages("s", "a")) == ["kept"]


def test_an_agent_of_another_actor_does_not_go_on_without_the_right(
    sessions: MembraneSessionRepository, weak: Membrane, scope: str
) -> None:
    def agent(repository: MembraneSessionRepository) -> Agent:
        manager = RepositorySessionManager("s", session_repository=repository)
        return Agent(model=Scripted(), agent_id="c", session_manager=manager, callback_handler=None)

    weak_sessions = MembraneSessionRepository(weak, scope=scope)
    running = agent(sessions)
    running("first")

    for _ in range(2):
        with pytest.raises(Forbidden, match="revise"):
            agent(weak_sessions)("mine")
    assert _texts(weak_sessions.list_messages("s", "c")) == ["first", "Noted."]
    running("second")

    kept = [each["content"][0]["text"] for each in agent(sessions).messages]
    assert kept == ["first", "Noted.", "second", "Noted."]


def test_an_agent_of_another_actor_goes_on_with_the_right(
    weak: Membrane, client: Membrane, scope: str
) -> None:
    owners = MembraneSessionRepository(weak, scope=scope)
    owners.create_session(Session("s", SessionType.AGENT))
    owners.create_agent("s", SessionAgent("a", {"n": 1}, {}))
    owners.create_message("s", "a", _said("first", 0))
    sessions = MembraneSessionRepository(client, scope=scope)

    agent = sessions.read_agent("s", "a")
    owners.update_agent("s", SessionAgent("a", {"n": 2}, {}))
    sessions.create_message("s", "a", _said("second", 1))

    assert agent is not None
    assert _texts(owners.list_messages("s", "a")) == ["first", "second"]
    assert (after := owners.read_agent("s", "a"))
    assert after.state == {"n": 2}


def test_a_message_to_an_agent_that_was_deleted_since_the_read_is_refused(
    sessions: MembraneSessionRepository, client: Membrane, scope: str
) -> None:
    sessions.read_agent("s", "a")
    sessions.delete_session("s")

    with pytest.raises(SessionException, match="does not exist"):
        sessions.create_message("s", "a", _said("lost", 0))

    assert [*client.search_documents(("strands",), scope=scope)] == []


def test_an_old_agent_writes_to_the_session_that_uses_the_id_again(
    sessions: MembraneSessionRepository,
) -> None:
    sessions.create_message("s", "a", _said("old", 0))
    sessions.delete_session("s")
    sessions.create_session(Session("s", SessionType.AGENT))
    sessions.create_agent("s", SessionAgent("a", {}, {}))

    sessions.create_message("s", "a", _said("of the old agent", 1))

    assert _texts(sessions.list_messages("s", "a")) == ["of the old agent"]


def test_an_append_after_the_deletion_is_refused_and_leaves_nothing(
    sessions: MembraneSessionRepository, client: Membrane, scope: str
) -> None:
    manager = RepositorySessionManager("s", session_repository=sessions)
    agent = Agent(model=Scripted(), agent_id="c", session_manager=manager, callback_handler=None)
    sessions.delete_session("s")

    with pytest.raises(SessionException, match="does not exist"):
        agent("hello")

    assert [*client.search_documents(("strands",), scope=scope)] == []


def test_deletions_and_appends_at_once_leave_nothing(
    sessions: MembraneSessionRepository, client: Membrane, scope: str
) -> None:
    def append(agent_id: str) -> int:
        for number in range(60):
            try:
                sessions.create_message("s", agent_id, _said("x", number))
            except SessionException:
                return number
        raise AssertionError("every append found the session")

    def delete(_: str) -> int:
        while len(sessions.list_messages("s", "a")) < 3:
            pass
        sessions.delete_session("s")
        return 0

    with ThreadPoolExecutor() as pool:
        appended = [*pool.map(lambda each: append(each) if each in "ab" else delete(each), "abd")]

    assert appended[0] >= 3
    assert [*client.search_documents(("strands",), scope=scope)] == []


def test_no_failure_reads_as_an_empty_session(scope: str) -> None:
    cut_off = MembraneSessionRepository(NOWHERE, scope=scope)
    with Membrane(URL, "unknown") as client:
        unknown = MembraneSessionRepository(client, scope=scope)
        for repository, error in ((cut_off, ConnectionFailed), (unknown, Forbidden)):
            for call in (
                lambda: repository.read_session("s"),  # noqa: B023 - called at once
                lambda: repository.read_agent("s", "a"),  # noqa: B023
                lambda: repository.read_message("s", "a", 0),  # noqa: B023
                lambda: repository.list_messages("s", "a"),  # noqa: B023
                lambda: repository.read_multi_agent("s", "t"),  # noqa: B023
                lambda: repository.create_message("s", "a", _said("x", 0)),  # noqa: B023
                lambda: repository.delete_session("s"),  # noqa: B023
            ):
                with pytest.raises(error):
                    call()


def test_a_wrong_address_does_not_read_as_an_empty_session(scope: str) -> None:
    with Membrane(f"{URL}/elsewhere", API_KEY) as client, pytest.raises(NotFound):
        MembraneSessionRepository(client, scope=scope).read_session("s")


@pytest.mark.parametrize("session_id", ["", ".", "..", "a\0b", "é" * 65])
def test_an_id_that_no_document_has_is_refused(
    session_id: str, client: Membrane, scope: str
) -> None:
    with pytest.raises((BadRequest, InvalidCall)):
        MembraneSessionRepository(client, scope=scope).create_session(
            Session(session_id, SessionType.AGENT)
        )


def test_an_agent_goes_on_where_it_stopped(sessions: MembraneSessionRepository) -> None:
    def agent() -> Agent:
        manager = RepositorySessionManager("chat", session_repository=sessions)
        return Agent(model=Scripted(), session_manager=manager, callback_handler=None)

    agent()("I moved to Lisbon")
    again = agent()
    again("Where do I live?")

    assert [each["content"][0]["text"] for each in agent().messages] == [
        "I moved to Lisbon",
        "Noted.",
        "Where do I live?",
        "Noted.",
    ]


# --- storage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [b"", b"\0\xff" * 3, "café".encode(), bytes(range(256)) * 20_000], ids=len
)
def test_any_bytes_are_read_as_written(data: bytes, storage: MembraneStorage) -> None:
    async def round_trip() -> bytes | None:
        await storage.write("a/b", data)
        return await storage.read("a/b")

    assert asyncio.run(round_trip()) == data


def test_the_largest_value_is_kept_and_a_byte_more_is_refused(storage: MembraneStorage) -> None:
    largest = b"z" * 7_864_308

    async def use() -> None:
        await storage.write("a", largest)
        with pytest.raises(StorageError, match="7,864,309 bytes, expected at most 7,864,308"):
            await storage.write("a", largest + b"z")
        assert await storage.read("a") == largest

    asyncio.run(use())


@pytest.mark.parametrize(
    "key", [".", "a/./b", "a/../b", "a\0b", "a\\b", "/".join("abcdefghijklmno")]
)
def test_a_key_that_no_document_has_is_refused(key: str, storage: MembraneStorage) -> None:
    with pytest.raises(StorageError):
        asyncio.run(storage.write(key, b""))
    assert asyncio.run(storage.list()) == []


def test_keys_of_any_signs_are_listed_as_written(storage: MembraneStorage) -> None:
    keys = sorted(
        [
            "session/s1/latest.json",
            "session/s10/latest.json",
            "session/*/50%/a?b#c",
            f"session/{'é' * 200}/{'x' * 300}/end",
            "top",
        ]
    )

    async def listed(prefix: str) -> list[str]:
        return await storage.list(prefix)

    async def write() -> None:
        await asyncio.gather(*(storage.write(each, each.encode()) for each in keys))
        assert [await storage.read(each) for each in keys] == [each.encode() for each in keys]

    asyncio.run(write())

    assert asyncio.run(listed("")) == keys
    for prefix in ("session/s1", "session/s1/", "ses", "session/*/", "t", f"session/{'é' * 90}"):
        assert asyncio.run(listed(prefix)) == [each for each in keys if each.startswith(prefix)]


def test_a_view_sees_its_own_keys_alone(storage: MembraneStorage) -> None:
    async def use() -> None:
        view = storage.namespace("tenant/a")
        await view.write("k", b"v")
        await storage.write("tenant/ab/k", b"other")
        assert await storage.read("tenant/a/k") == b"v"
        assert await view.list("") == ["k"]
        assert [each.key for each in await view.search("v other")] == ["k"]
        await view.delete("k")
        await view.delete("k")
        assert await storage.list("") == ["tenant/ab/k"]

    asyncio.run(use())


def test_deleted_bytes_leave_nothing_in_the_history(
    storage: MembraneStorage, client: Membrane, scope: str
) -> None:
    async def use() -> None:
        await storage.write("a", b"secret")
        await storage.write("a", b"another")
        await storage.delete("a")
        assert await storage.read("a") is None

    asyncio.run(use())

    document = client.get_document(("strands", "storage", "a"), "bytes", scope=scope, history=9)
    assert [each.value for each in document.history] == [None, None]


def test_failures_of_a_storage_have_the_cause(scope: str) -> None:
    storage = MembraneStorage(NOWHERE, scope=scope)
    for call in (
        storage.write("k", b""),
        storage.read("k"),
        storage.delete("k"),
        storage.list(""),
        storage.search("words"),
    ):
        with pytest.raises(StorageError) as failure:
            asyncio.run(call)
        assert isinstance(failure.value.__cause__, ConnectionFailed)


def test_a_snapshot_outlives_the_agent_and_the_session_ends_whole(storage: MembraneStorage) -> None:
    def agent() -> Agent:
        manager = SnapshotSessionManager("chat", storage=storage)
        return Agent(model=Scripted(), agent_id="a", session_manager=manager, callback_handler=None)

    agent()("I moved to Lisbon")

    assert agent().messages[0]["content"] == [{"text": "I moved to Lisbon"}]
    asyncio.run(SnapshotSessionManager("chat", storage=storage).delete_session())
    assert asyncio.run(storage.list("")) == []


# --- memory -------------------------------------------------------------------------------------


def test_a_note_is_found_at_once_word_for_word_with_its_metadata(
    memory: MembraneMemoryStore,
) -> None:
    note = asyncio.run(memory.add("Ada prefers green tea, 日本茶", {"source": "chat", "n": [1]}))
    asyncio.run(memory.add("The build runs on Lambda"))

    [first, *_] = asyncio.run(memory.search("Which tea does Ada like?"))

    assert first.content == "Ada prefers green tea, 日本茶"
    assert first.metadata is not None
    assert (first.metadata["source"], first.metadata["n"]) == ("chat", [1])
    assert first.metadata["record_id"] == note.id
    assert first.metadata["score"] > 0
    assert len(_entries(memory, "anything", max_search_results=1)) == 1


def test_a_note_is_kept_once_and_again_after_it_was_forgotten(
    memory: MembraneMemoryStore, client: Membrane, scope: str
) -> None:
    first = asyncio.run(memory.add("Ada lives in Lisbon"))
    again = MembraneMemoryStore(client, name="notes", scope=scope)
    assert asyncio.run(again.add("Ada lives in Lisbon")).id == first.id
    client.forget(first.id, why="Ada asked")
    assert _entries(memory, "Where does Ada live?") == []

    second = asyncio.run(memory.add("Ada lives in Lisbon"))

    assert second.id != first.id
    assert asyncio.run(again.add("Ada lives in Lisbon")).id == second.id
    assert _entries(memory, "Where does Ada live?") == ["Ada lives in Lisbon"]


def test_notes_added_at_once_are_all_kept(memory: MembraneMemoryStore) -> None:
    async def add() -> None:
        await asyncio.gather(*(memory.add(f"note {number}") for number in range(8)))

    asyncio.run(add())

    assert {*_entries(memory, "note")} == {f"note {number}" for number in range(8)}


def test_a_correction_takes_the_place_of_the_note(
    memory: MembraneMemoryStore, client: Membrane
) -> None:
    note = asyncio.run(memory.add("Ada lives in Lisbon"))

    client.correct(note.id, "Ada lives in Porto", why="she moved")

    assert _entries(memory, "Where does Ada live?") == ["Ada lives in Porto"]


def test_a_corrected_note_may_become_true_again(
    memory: MembraneMemoryStore, client: Membrane
) -> None:
    note = asyncio.run(memory.add("Ada lives in Lisbon"))
    moved = client.correct(note.id, "Ada lives in Porto", why="she moved")
    client.retract(moved.id, rationale="she moved back")

    again = asyncio.run(memory.add("Ada lives in Lisbon"))

    assert again.id not in {note.id, moved.id}
    assert _entries(memory, "Where does Ada live?") == ["Ada lives in Lisbon"]


def test_a_store_finds_its_own_scope_and_what_its_key_may_see(
    memory: MembraneMemoryStore, client: Membrane, scope: str
) -> None:
    asyncio.run(memory.add("Ada likes tea"))
    client.remember("Ada has a secret", scope=scope, sensitivity="hyper")
    client.remember("Bob likes tea", scope=f"{scope}:other")

    with _client_of("reader", ["read"], scope, "low") as reader:
        store = MembraneMemoryStore(reader, scope=scope)
        assert _entries_in_time(store, "Ada tea secret") == ["Ada likes tea"]
        with pytest.raises(Forbidden):
            asyncio.run(store.add("x"))
    assert {*_entries(memory, "Ada tea secret")} == {"Ada likes tea", "Ada has a secret"}


TALK: list[Message] = [
    {"role": "user", "content": [{"text": "ok"}]},
    {
        "role": "assistant",
        "content": [
            {"text": "I look."},
            {"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"city": "Lisbon"}}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "toolResult": {
                    "toolUseId": "t1",
                    "status": "success",
                    "content": [{"json": {"sky": "clear"}}],
                }
            }
        ],
    },
    {"role": "user", "content": [{"text": "ok"}]},
    {"role": "assistant", "content": [{"image": {"format": "png", "source": {"bytes": b"x"}}}]},
]


def _kept(memory: MembraneMemoryStore, client: Membrane, scope: str) -> list[str]:
    """What a search shows of the conversations, in alphabetical order."""
    number = sum(1 for _ in client.get_all(scope=scope, types="episodic"))
    found = _entries(memory, "anything", max_search_results=100)
    assert len(found) == number
    return sorted(found)


def test_a_repeated_batch_that_grew_writes_only_what_is_new(
    memory: MembraneMemoryStore, client: Membrane, scope: str
) -> None:
    asyncio.run(memory.initialize())
    asyncio.run(memory.add_messages(TALK[:2], AddMessagesContext([0, 1])))
    asyncio.run(memory.add_messages(TALK, AddMessagesContext([0, 1, 2, 4, 5])))

    assert _kept(memory, client, scope) == [
        'I look.\nweather {"city": "Lisbon"}',
        "ok",
        "ok",
        'weather {"sky": "clear"}',
    ]


def test_the_next_run_counts_from_zero_and_is_kept_as_well(
    memory: MembraneMemoryStore, client: Membrane, scope: str
) -> None:
    for _ in range(2):
        asyncio.run(memory.initialize())
        asyncio.run(memory.add_messages(TALK[:1], AddMessagesContext([0])))

    assert _kept(memory, client, scope) == ["ok", "ok"]


def test_a_text_beyond_the_limit_of_a_message_is_kept_whole(
    memory: MembraneMemoryStore, client: Membrane, scope: str
) -> None:
    text = "begin " * 16_666 + "abcd" + "end " * 10_000

    asyncio.run(memory.add_messages([{"role": "user", "content": [{"text": text}]}]))

    records = client.get_all(scope=scope, types="episodic")
    events = [each.raw["payload"]["timeline"][0] for each in records]
    kept = {each["ref"][-1]: each["summary"] for each in events}
    assert kept["1"] + kept["2"] == text


@pytest.mark.parametrize("content", ["", "  \n", "\u200b"])
def test_arguments_that_do_not_fit_are_refused(content: str, memory: MembraneMemoryStore) -> None:
    with pytest.raises(ValueError, match="empty"):
        asyncio.run(memory.add(content))
    with pytest.raises(ValueError, match="at least 1"):
        asyncio.run(memory.search("x", {"max_search_results": 0}))
    assert asyncio.run(memory.search(content)) == []


def test_a_scope_beside_a_user_of_store_or_client_is_refused(client: Membrane) -> None:
    with pytest.raises(ValueError, match="beside a user"):
        MembraneMemoryStore(client, scope="user:ada", user="ada")
    with pytest.raises(ValueError, match="beside a user"):
        MembraneMemoryStore(client.with_options(user="ada"), scope="user:ada")


def test_no_memory_is_made_for_a_scope_without_a_name(client: Membrane) -> None:
    with pytest.raises(InvalidCall, match="scope is empty"):
        MembraneMemoryStore(client, scope="")


def test_a_store_for_reading_refuses_writes(client: Membrane, scope: str) -> None:
    store = MembraneMemoryStore(client, scope=scope, writable=False)
    for call in (store.add("x"), store.add_messages(TALK)):
        with pytest.raises(ValueError, match="not writable"):
            asyncio.run(call)


def test_no_failure_reads_as_an_empty_memory(scope: str) -> None:
    store = MembraneMemoryStore(NOWHERE, scope=scope)
    for call in (store.search("x"), store.add("x"), store.add_messages(TALK)):
        with pytest.raises(ConnectionFailed):
            asyncio.run(call)


def test_a_refused_message_of_a_batch_raises(
    memory: MembraneMemoryStore, client: Membrane, scope: str
) -> None:
    with _client_of("reader", ["read"], scope) as reader:
        store = MembraneMemoryStore(reader, scope=scope)
        with pytest.raises(Forbidden):
            asyncio.run(store.add_messages(TALK))
    assert _kept(memory, client, scope) == []


@pytest.mark.parametrize("session", [None, "thread"])
def test_a_store_that_extracts_refuses_a_second_agent(
    session: str | None, client: Membrane, scope: str
) -> None:
    store = MembraneMemoryStore(client, scope=scope, extraction=True, session=session)

    def agent(store: MembraneMemoryStore) -> Agent:
        manager = MemoryManager([store])
        return Agent(model=Scripted(), memory_manager=manager, callback_handler=None)

    first = agent(store)
    with pytest.raises(ValueError, match="make a MembraneMemoryStore for each agent"):
        agent(store)
    first("ok")
    agent(MembraneMemoryStore(client, scope=scope, extraction=True, session=session))("ok")

    assert _kept(store, client, scope) == ["Noted.", "Noted.", "ok", "ok"]


def test_agents_share_a_store_that_does_not_extract(client: Membrane, scope: str) -> None:
    store = MembraneMemoryStore(client, scope=scope)
    asyncio.run(store.add("Ada drinks tea"))

    for model in (Scripted(), Scripted()):
        Agent(model=model, memory_manager=MemoryManager([store]), callback_handler=None)("ok")
        assert "Ada drinks tea" in model.read[-1]


def test_a_later_agent_reads_what_an_earlier_agent_was_told(client: Membrane, scope: str) -> None:
    def agent(model: Scripted) -> Agent:
        store = MembraneMemoryStore(client, name="talks", scope=scope, extraction=True)
        return Agent(model=model, memory_manager=MemoryManager([store]), callback_handler=None)

    agent(Scripted())("I moved to Lisbon in May")
    later = Scripted()
    agent(later)("In which month did I move?")

    assert "I moved to Lisbon in May" in later.read[-1]


# --- imports ------------------------------------------------------------------------------------


def test_the_adapters_need_no_other_framework_and_the_client_needs_none() -> None:
    script = """
import sys
for name in ("langgraph", "langchain_core", "anthropic", "agents", "openai", "pydantic_ai"):
    sys.modules[name] = None
import membrane_client
assert "strands" not in sys.modules
import membrane_client.strands
"""
    subprocess.run([sys.executable, "-c", script], check=True)
