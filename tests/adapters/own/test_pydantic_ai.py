"""MembraneMemoryStore beyond its contract tests: receipts, metadata, paths, rights, errors."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from local_stack import API_KEY, URL, new_async_client
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai_harness.memory import (
    Memory,
    MemoryConflictError,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MetadataMemoryStore,
    SearchableMemoryStore,
)

from membrane_client import (
    AsyncMembrane,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Membrane,
    NotFound,
    UnexpectedReply,
)
from membrane_client.pydantic_ai import MembraneMemoryStore

pytestmark = pytest.mark.anyio

PATH = "ada/main/notes.md"
WRITERS = 8
BOUNDS = {"limit": 10, "max_files": 10, "max_chars": 1_000, "max_file_chars": 1_000}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(scope: str) -> AsyncIterator[AsyncMembrane]:
    async with new_async_client() as client:
        yield client.with_options(scope=scope)


@pytest.fixture
def store(client: AsyncMembrane) -> MembraneMemoryStore:
    return MembraneMemoryStore(client)


def operation(id_: str = "run-1:call-1", fingerprint: str = "same") -> MemoryOperation:
    return MemoryOperation(id=id_, fingerprint=fingerprint)


async def content_of(store: MembraneMemoryStore, path: str = PATH) -> str | None:
    file = await store.read(path, max_chars=10_000)
    return None if file is None else file.content


async def version_of(store: MembraneMemoryStore, path: str = PATH) -> str | None:
    file = await store.read(path, max_chars=1)
    return None if file is None else file.version


def test_a_client_for_synchronous_code_is_refused() -> None:
    client: Any = Membrane("http://127.0.0.1:9", "key")
    with pytest.raises(TypeError, match="Membrane: expected AsyncMembrane"):
        MembraneMemoryStore(client)


async def test_a_text_in_place_of_a_namespace_is_refused(client: AsyncMembrane) -> None:
    with pytest.raises(TypeError, match="namespace is 'mem': expected a sequence"):
        MembraneMemoryStore(client, namespace="mem")


async def test_the_store_fits_the_protocols(store: MembraneMemoryStore) -> None:
    assert isinstance(store, MetadataMemoryStore)
    assert isinstance(store, SearchableMemoryStore)


async def test_a_version_never_comes_back(store: MembraneMemoryStore) -> None:
    first = await store.write(PATH, "same", expected_version=None)
    await store.delete(PATH, expected_version=first.version)

    again = await store.write(PATH, "same", expected_version=None)

    assert again.version != first.version
    with pytest.raises(MemoryConflictError):
        await store.write(PATH, "stale", expected_version=first.version)
    with pytest.raises(MemoryConflictError):
        await store.delete(PATH, expected_version=first.version)


@pytest.mark.parametrize("version", ["0", "01", "-1", "x", "", "1.0", "²", "9" * 40])
async def test_a_version_that_no_file_had_is_a_conflict(
    store: MembraneMemoryStore, version: str
) -> None:
    await store.write(PATH, "kept", expected_version=None)

    with pytest.raises(MemoryConflictError):
        await store.write(PATH, "lost", expected_version=version)
    with pytest.raises(MemoryConflictError):
        await store.delete(PATH, expected_version=version)
    with pytest.raises(MemoryConflictError):
        await store.write("absent.md", "lost", expected_version=version)

    assert await content_of(store) == "kept"
    assert await content_of(store, "absent.md") is None


async def test_an_operation_is_done_once_whatever_a_repeat_expects(
    store: MembraneMemoryStore,
) -> None:
    first = await store.write(PATH, "one", expected_version=None, operation=operation())
    second = await store.write(PATH, "two", expected_version=first.version)

    done = MemoryMutation(version=first.version, replayed=True, existed=False)
    for version in (None, second.version, first.version, "never"):
        again = await store.write(PATH, "other", expected_version=version, operation=operation())
        assert again == done
    assert await store.get_operation(operation()) == done
    assert await content_of(store) == "two"


@pytest.mark.parametrize("is_created_later", [False, True])
async def test_a_deletion_is_done_once_even_if_the_file_comes_back(
    store: MembraneMemoryStore, *, is_created_later: bool
) -> None:
    written = await store.write(PATH, "one", expected_version=None)
    await store.delete(PATH, expected_version=written.version, operation=operation())
    if is_created_later:
        await store.write(PATH, "new", expected_version=None)

    done = MemoryMutation(version=None, replayed=True, existed=True)
    assert await store.get_operation(operation()) == done
    for version in (written.version, None, await version_of(store)):
        assert await store.delete(PATH, expected_version=version, operation=operation()) == done
    with pytest.raises(MemoryOperationConflictError):
        await store.get_operation(operation(fingerprint="other"))
    with pytest.raises(MemoryOperationConflictError):
        await store.delete(
            PATH, expected_version=written.version, operation=operation(fingerprint="other")
        )
    assert await content_of(store) == ("new" if is_created_later else None)


async def test_a_deletion_of_nothing_has_a_receipt_too(store: MembraneMemoryStore) -> None:
    first = await store.delete(PATH, expected_version=None, operation=operation())
    assert first == MemoryMutation(version=None, replayed=False, existed=False)
    written = await store.write(PATH, "new", expected_version=None)

    for version in (None, written.version):
        again = await store.delete(PATH, expected_version=version, operation=operation())
        assert again == MemoryMutation(version=None, replayed=True, existed=False)
    with pytest.raises(MemoryOperationConflictError):
        await store.get_operation(operation(fingerprint="other"))

    assert await content_of(store) == "new"
    assert await store.list_paths(limit=10) == [PATH]


async def test_an_operation_stands_for_one_change_at_one_path(store: MembraneMemoryStore) -> None:
    await store.write(PATH, "one", expected_version=None, operation=operation())
    other = operation(fingerprint="other")

    for change in (
        store.write("b.md", "two", expected_version=None, operation=other),
        store.delete(PATH, expected_version="1", operation=other),
        store.delete("absent.md", expected_version=None, operation=other),
    ):
        with pytest.raises(MemoryOperationConflictError):
            await change

    assert await store.list_paths(limit=10) == [PATH]


async def test_a_refused_operation_leaves_no_receipt(store: MembraneMemoryStore) -> None:
    written = await store.write(PATH, "one", expected_version=None)
    for change in (
        store.write(PATH, "two", expected_version=None, operation=operation()),
        store.delete(PATH, expected_version=None, operation=operation()),
        store.delete(PATH, expected_version="9", operation=operation()),
    ):
        with pytest.raises(MemoryConflictError):
            await change
        assert await store.get_operation(operation()) is None

    done = await store.delete(PATH, expected_version=written.version, operation=operation())

    assert done == MemoryMutation(version=None, replayed=False, existed=True)


async def test_an_operation_whose_fingerprint_was_erased_is_never_done_again(
    store: MembraneMemoryStore, client: AsyncMembrane
) -> None:
    first = await store.write(PATH, "secret", expected_version=None, operation=operation())

    await client.delete_document(("memory", "ada", "main"), "notes.md", erase=True)

    again = await store.write(PATH, "secret", expected_version=None, operation=operation())
    assert again == MemoryMutation(version=first.version, replayed=True, existed=False)
    for content, version in (("secret", first.version), ("other", None)):
        with pytest.raises(MemoryOperationConflictError):
            await store.write(PATH, content, expected_version=version, operation=operation())
    with pytest.raises(MemoryOperationConflictError):
        await store.get_operation(operation())
    assert await content_of(store) is None


async def test_a_deletion_is_known_after_the_erasure(
    store: MembraneMemoryStore, client: AsyncMembrane
) -> None:
    written = await store.write(PATH, "secret", expected_version=None)
    await store.delete(PATH, expected_version=written.version, operation=operation())

    await client.delete_document(("memory", "ada", "main"), "notes.md", erase=True)

    done = MemoryMutation(version=None, replayed=True, existed=True)
    assert await store.get_operation(operation()) == done
    assert await store.delete(PATH, expected_version=None, operation=operation()) == done


async def test_receipts_of_the_newest_writes_are_found_behind_later_versions(
    store: MembraneMemoryStore,
) -> None:
    version = None
    for number in range(16):
        done = await store.write(
            PATH, "x" * 1_000, expected_version=version, operation=operation(f"op {number}")
        )
        version = done.version

    receipts = [await store.get_operation(operation(f"op {number}")) for number in range(16)]

    assert [each and each.version for each in receipts] == [str(each) for each in range(1, 17)]


async def test_two_stores_may_use_the_same_operation_id(
    store: MembraneMemoryStore, client: AsyncMembrane
) -> None:
    other = MembraneMemoryStore(client, namespace=("teams", "blue"))
    await store.write(PATH, "one", expected_version=None, operation=operation())

    done = await other.write(PATH, "two", expected_version=None, operation=operation())

    assert not done.replayed
    assert (await content_of(store), await content_of(other)) == ("one", "two")


async def test_an_operation_under_way_twice_at_once_is_done_once(
    store: MembraneMemoryStore,
) -> None:
    done = await asyncio.gather(
        *(
            store.write(PATH, "once", expected_version=None, operation=operation())
            for _ in range(WRITERS)
        )
    )

    assert {each.version for each in done} == {"1"}
    assert [each.replayed for each in done].count(False) == 1


async def test_of_parallel_writers_one_wins(store: MembraneMemoryStore) -> None:
    done = await asyncio.gather(
        *(store.write(PATH, str(each), expected_version=None) for each in range(WRITERS)),
        return_exceptions=True,
    )

    winners = [each for each in done if isinstance(each, MemoryMutation)]
    assert len(winners) == 1
    assert sum(isinstance(each, MemoryConflictError) for each in done) == WRITERS - 1


async def test_metadata_is_of_the_newest_write(store: MembraneMemoryStore) -> None:
    first = await store.write_with_metadata(
        PATH, "one", expected_version=None, metadata={"by": "ada"}, operation=operation()
    )
    file = await store.read(PATH, max_chars=10)
    assert file is not None
    assert (file.metadata, file.operation_id) == ({"by": "ada"}, "run-1:call-1")

    second = await store.write(PATH, "two", expected_version=first.version)
    again = await store.write_with_metadata(
        PATH,
        "one",
        expected_version=second.version,
        metadata={"by": "bob"},
        operation=operation(),
    )

    assert again.replayed
    file = await store.read(PATH, max_chars=10)
    assert file is not None
    assert (file.content, file.metadata, file.operation_id) == ("two", None, None)


@pytest.mark.parametrize(
    ("metadata", "error"),
    [({"n": 1}, TypeError), ({"n": "\0"}, ValueError), ({"n": "x" * 5_000}, ValueError)],
)
async def test_metadata_other_than_a_few_texts_is_refused(
    store: MembraneMemoryStore, metadata: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match="metadata"):
        await store.write_with_metadata(PATH, "x", expected_version=None, metadata=metadata)

    assert await content_of(store) is None


async def test_long_segments_have_places(store: MembraneMemoryStore) -> None:
    paths = [f"{'a' * 200}/{'b' * 128}/{'c' * 129}/{'d' * 200}", f"{'a' * 127}/x", "a/x", "x"]

    for path in paths:
        await store.write(path, f"to find {path[:1]}", expected_version=None)

    assert await store.list_paths(limit=10) == sorted(paths)
    for path in paths:
        assert await content_of(store, path) == f"to find {path[:1]}"
        assert await store.list_paths(path, limit=10) == sorted(
            each for each in paths if each.startswith(path)
        )
    folder = paths[0].rpartition("/")[0] + "/"
    found = await store.search(folder, "find", **BOUNDS)
    assert [each.path for each in found.matches] == paths[:1]
    assert (await store.search(folder, "aaa", **BOUNDS)).matches == []


async def test_a_listing_is_in_the_order_of_paths(store: MembraneMemoryStore) -> None:
    paths = ["a-b", "a.md", "a/b", "a/b-c/d", "a/b/c", "a0", "A", "a/-x/y", "a/_"]
    for path in paths:
        await store.write(path, "x", expected_version=None)

    assert await store.list_paths(limit=100) == sorted(paths)
    for prefix in ("a", "a/", "a/b", "a/b/", "b"):
        below = sorted(each for each in paths if each.startswith(prefix))
        assert await store.list_paths(prefix, limit=100) == below
        assert await store.list_paths(prefix, limit=2) == below[:2]


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "./a", "a b", "a/..b", "é", "x" * 201])
async def test_an_unusual_path_is_refused(store: MembraneMemoryStore, path: str) -> None:
    with pytest.raises(ValueError, match="invalid memory path"):
        await store.read(path, max_chars=1)
    with pytest.raises(ValueError, match="invalid memory path"):
        await store.write(path, "x", expected_version=None)
    with pytest.raises(ValueError, match="invalid memory path"):
        await store.delete(path, expected_version=None)


@pytest.mark.parametrize("folders", ["a/" * 16, f"{'a' * 129}/" * 8])
async def test_a_path_with_too_many_folders_is_refused(
    store: MembraneMemoryStore, folders: str
) -> None:
    path = f"{folders}x"
    for call in (
        store.read(path, max_chars=1),
        store.write(path, "x", expected_version=None),
        store.delete(path, expected_version=None),
        store.list_paths(folders, limit=1),
        store.search(folders, "x", **BOUNDS),
    ):
        with pytest.raises(ValueError, match=r"invalid memory path.*expected at most 15"):
            await call

    fits = folders[folders.index("/") + 1 :]
    await store.write(f"{fits}x", "x", expected_version=None)
    assert await store.list_paths(fits, limit=10) == [f"{fits}x"]


async def test_a_search_stays_in_its_folder_and_its_bounds(store: MembraneMemoryStore) -> None:
    for path, content in (
        ("a/main/1.md", "tea"),
        ("a/main/2.md", "tea tea"),
        ("a/main/-deep/tea.md", "tea tea tea"),
        ("a/main/zdeep/tea.md", "tea tea tea"),
        ("a/main2/3.md", "tea"),
        ("a/main/3.md", "x" * 600 + "tea"),
    ):
        await store.write(path, content, expected_version=None)

    async def found(query: str = "tea", **bounds: int) -> tuple[list[str], int, bool]:
        result = await store.search("a/main/", query, **{**BOUNDS, **bounds})
        return [each.path[-4] for each in result.matches], result.scanned, result.truncated

    assert await found() == (["2", "1", "3"], 3, False)
    assert await found("TEA coffee") == (["2", "1", "3"], 3, False)
    assert await found("coffee") == ([], 3, False)
    assert await found(limit=1) == (["2"], 3, True)
    assert await found(max_files=1) == (["1"], 1, True)
    assert await found(max_file_chars=600) == (["2", "1"], 3, True)
    assert await found(max_chars=12) == (["2"], 3, True)


async def test_a_snippet_shows_the_word(store: MembraneMemoryStore) -> None:
    await store.write("a", "012345alpha-tail", expected_version=None)

    result = await store.search("", "alpha", **{**BOUNDS, "max_chars": 12})

    assert result.matches[0].snippet == "...alpha..."


async def test_a_large_file_is_read_as_written(store: MembraneMemoryStore) -> None:
    content = "é" * 400_000
    written = await store.write(PATH, content, expected_version=None, operation=operation())

    file = await store.read(PATH, max_chars=400_000)

    assert file is not None
    assert (file.content == content, file.truncated) == (True, False)
    receipt = await store.get_operation(operation())
    assert receipt is not None
    assert receipt.version == written.version


@pytest.mark.parametrize(
    "value", [[1], {"content": 1}, "text", {"text": "x"}, {"content": "x", "operation": "x"}]
)
async def test_a_document_that_is_no_file_stays_as_it_is(
    store: MembraneMemoryStore, client: AsyncMembrane, value: Any
) -> None:
    place = ("memory", "ada", "main"), "notes.md"
    version = str((await client.put_document(*place, value)).version)
    await store.write("ada/main/b.md", "x", expected_version=None)

    for call in (
        store.read(PATH, max_chars=10),
        store.write(PATH, "lost", expected_version=version),
        store.write(PATH, "lost", expected_version=version, operation=operation()),
        store.delete(PATH, expected_version=version),
    ):
        with pytest.raises(UnexpectedReply, match="document of"):
            await call
    for change in (
        store.write(PATH, "lost", expected_version=None),
        store.delete(PATH, expected_version=None),
    ):
        with pytest.raises(MemoryConflictError):
            await change

    assert await store.list_paths(limit=10) == ["ada/main/b.md"]
    found = await store.search("ada/main/", "x", **{**BOUNDS, "max_files": 1})
    assert ([each.path for each in found.matches], found.truncated) == (["ada/main/b.md"], False)
    assert (await client.get_document(*place)).value == value


async def test_a_document_at_the_place_of_no_path_is_left_out(
    store: MembraneMemoryStore, client: AsyncMembrane
) -> None:
    for namespace, key in (("memory", "a b"), "x"), (("memory", "a+"), "x"), (("memory",), "é"):
        await client.put_document(namespace, key, {"content": "x"})

    assert await store.list_paths(limit=10) == []
    assert (await store.search("", "x", **BOUNDS)).matches == []


async def test_an_operation_is_known_where_a_document_took_the_place_of_the_file(
    store: MembraneMemoryStore, client: AsyncMembrane
) -> None:
    written = await store.write(PATH, "one", expected_version=None, operation=operation())
    taken = await client.put_document(("memory", "ada", "main"), "notes.md", [1])

    again = await store.write(
        PATH, "two", expected_version=str(taken.version), operation=operation()
    )

    assert again == MemoryMutation(version=written.version, replayed=True, existed=False)


async def test_the_file_of_another_actor_stays_without_revise(
    store: MembraneMemoryStore, scope: str
) -> None:
    written = await store.write(PATH, "the owner's", expected_version=None)

    async with weak_client(scope) as client:
        weak = MembraneMemoryStore(client)
        with pytest.raises(Forbidden, match="revise"):
            await weak.write(PATH, "x", expected_version=written.version, operation=operation())
        with pytest.raises(Forbidden, match="revise"):
            await weak.delete(PATH, expected_version=written.version, operation=operation())
        assert await weak.get_operation(operation()) is None
        assert await content_of(weak) == "the owner's"
        await weak.write("own.md", "x", expected_version=None, operation=operation())

    assert await store.list_paths(limit=10) == [PATH, "own.md"]


async def test_a_place_that_a_hidden_document_holds_is_said(
    store: MembraneMemoryStore, client: AsyncMembrane, scope: str
) -> None:
    await client.put_document(
        ("memory", "ada", "main"), "notes.md", {"content": "secret"}, sensitivity="high"
    )

    async with weak_client(scope, "low") as low:
        weak = MembraneMemoryStore(low)
        assert await content_of(weak) is None
        with pytest.raises(Conflict, match="may not see"):
            await weak.write(PATH, "x", expected_version=None)

    assert await content_of(store) == "secret"


async def test_a_wrong_address_does_not_read_as_an_absent_file() -> None:
    async with AsyncMembrane(f"{URL}/elsewhere", API_KEY) as client:
        store = MembraneMemoryStore(client)
        with pytest.raises(NotFound, match="is `url` right"):
            await store.read(PATH, max_chars=1)
        with pytest.raises(NotFound, match="is `url` right"):
            await store.get_operation(operation())


async def test_no_failure_is_swallowed() -> None:
    async with AsyncMembrane("http://127.0.0.1:9", "key", max_retries=0) as client:
        store = MembraneMemoryStore(client)
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: store.read(PATH, max_chars=1),
            lambda: store.get_operation(operation()),
            lambda: store.write(PATH, "x", expected_version=None),
            lambda: store.delete(PATH, expected_version=None, operation=operation()),
            lambda: store.list_paths(limit=1),
            lambda: store.search("", "x", **BOUNDS),
        ]
        for call in calls:
            with pytest.raises(ConnectionFailed):
                await call()


async def test_an_agent_remembers_for_one_user(store: MembraneMemoryStore) -> None:
    read: list[str] = []

    def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        prompt = str(messages)
        read.append(prompt)
        if "green tea" in prompt or "what I drink" not in prompt:
            return ModelResponse(parts=[TextPart("ok")])
        fact = {"content": "Ada drinks green tea."}
        return ModelResponse(parts=[ToolCallPart(tool_name="write_memory", args=fact)])

    agent: Agent[str, str] = Agent(
        FunctionModel(scripted),
        deps_type=str,
        capabilities=[
            Memory(
                store=store,
                namespace=lambda context: context.deps,
                write_metadata={"by": "agent"},
                injection_errors="raise",
            )
        ],
    )

    await agent.run("remember what I drink", deps="ada")
    await agent.run("plan a trip", deps="ada")
    assert "Ada drinks green tea." in read[-1]
    await agent.run("plan a trip", deps="bob")
    assert "green tea" not in read[-1]

    file = await store.read("ada/main/MEMORY.md", max_chars=1_000)
    assert file is not None
    assert file.metadata == {"by": "agent"}


def test_the_adapter_needs_no_other_framework() -> None:
    others = ("agents", "anthropic", "google.adk", "langgraph", "strands")
    for absent, module in (
        (others, "membrane_client.pydantic_ai"),
        (("pydantic_ai", "pydantic_ai_harness"), "membrane_client"),
    ):
        program = f"import sys; sys.modules.update(dict.fromkeys({absent!r})); import {module}"
        subprocess.run([sys.executable, "-c", program], check=True)


@asynccontextmanager
async def weak_client(scope: str, ceiling: str = "high") -> AsyncIterator[AsyncMembrane]:
    """The client of a key with `ingest` and `read` alone."""
    asked = {
        "actor_id": "weak",
        "permissions": ["ingest", "read"],
        "scopes": [scope],
        "max_sensitivity": ceiling,
    }
    headers = {"authorization": f"Bearer {API_KEY}"}
    async with httpx2.AsyncClient() as http:
        made = await http.post(f"{URL}/_dev/keys", json=asked, headers=headers)
    secret = made.raise_for_status().json()["secret"]
    async with AsyncMembrane(URL, secret) as client:
        yield client
