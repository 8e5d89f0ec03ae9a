"""Claude's memory tool: what the tests of the package anthropic do not ask."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from local_stack import API_KEY, URL, new_async_client

from membrane_client import (
    ConnectionFailed,
    Forbidden,
    InvalidCall,
    Membrane,
    NotFound,
    ServerError,
    TooManyRequests,
)
from membrane_client.claude import AsyncMembraneMemoryTool, MembraneMemoryTool

WRITERS = 8
MAX_FILE_BYTES = 10_485_760
CROWD = 40
"""More writers than an edit has attempts."""


@pytest.fixture
def tool(client: Membrane, scope: str) -> MembraneMemoryTool:
    return MembraneMemoryTool(client, scope=scope)


def create(tool: MembraneMemoryTool, path: str, text: str = "text") -> Any:
    return tool.call({"command": "create", "path": path, "file_text": text})


def view(tool: MembraneMemoryTool, path: str = "/memories", **more: Any) -> str:
    return str(tool.call({"command": "view", "path": path, **more}))


def replace(tool: MembraneMemoryTool, path: str, old: str, new: str) -> Any:
    return tool.call({"command": "str_replace", "path": path, "old_str": old, "new_str": new})


def insert(tool: MembraneMemoryTool, path: str, line: int, text: str) -> Any:
    command = {"command": "insert", "path": path, "insert_line": line, "insert_text": text}
    return tool.call(command)


def delete(tool: MembraneMemoryTool, path: str) -> Any:
    return tool.call({"command": "delete", "path": path})


def rename(tool: MembraneMemoryTool, old: str, new: str) -> Any:
    return tool.call({"command": "rename", "old_path": old, "new_path": new})


def texts(client: Membrane, scope: str) -> dict[str, str]:
    """Every text by path."""
    found = client.search_documents(scope=scope, limit=100)
    return {"/".join(("", *each.namespace, each.key)): each.value["text"] for each in found}


class Interference(httpx2.BaseTransport):
    """Does something before a request is sent, or instead of sending the request."""

    def __init__(self, before: Callable[[httpx2.Request], httpx2.Response | None]) -> None:
        self._before = before
        self._inner = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._before(request) or self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def disturbed(scope: str) -> Iterator[Callable[..., MembraneMemoryTool]]:
    """A tool whose client calls a function before each request."""
    made: list[httpx2.Client] = []

    def tool(before: Callable[[httpx2.Request], httpx2.Response | None]) -> MembraneMemoryTool:
        made.append(httpx2.Client(transport=Interference(before)))
        client = Membrane(URL, api_key=API_KEY, max_retries=0, http_client=made[-1])
        return MembraneMemoryTool(client, scope=scope)

    yield tool
    for each in made:
        each.close()


def batched(request: httpx2.Request, op: str) -> bool:
    """Whether the request is a batch of such operations."""
    if not request.url.path.endswith("/batch"):
        return False
    return bool(json.loads(request.content)["operations"][0]["op"] == op)


# --- documents -----------------------------------------------------------------------------------


def test_a_file_is_a_document_at_its_labels(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/notes/tea.md", "green")

    document = client.get_document(["memories", "notes"], "tea.md", scope=scope)
    assert document.value == {"text": "green"}
    assert document.version == 1


def test_tools_of_other_scopes_and_namespaces_see_nothing(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/tea.md")

    beside = MembraneMemoryTool(client, scope=scope, namespace=("agents", "ann"))
    elsewhere = MembraneMemoryTool(client, scope=f"{scope}:other")
    assert "tea.md" in view(tool)
    assert "tea.md" not in view(beside) + view(elsewhere)
    create(beside, "/memories/tea.md", "other")
    assert texts(client, scope) == {"/memories/tea.md": "text", "/agents/ann/tea.md": "other"}


def test_every_write_is_seen_by_the_next_command_of_a_second_client(
    tool: MembraneMemoryTool, scope: str
) -> None:
    with Membrane(URL, api_key=API_KEY) as second:
        reader = MembraneMemoryTool(second, scope=scope)
        for number in range(10):
            create(tool, f"/memories/{number}.md", "old")
            replace(tool, f"/memories/{number}.md", "old", "new")
            assert view(reader, f"/memories/{number}.md").endswith("\n     1\tnew")
            assert f"/memories/{number}.md" in view(reader)


def test_a_namespace_has_a_label(client: Membrane) -> None:
    for namespace in ("memories", ()):
        with pytest.raises(InvalidCall, match="namespace"):
            MembraneMemoryTool(client, namespace=namespace)


def test_a_tool_takes_the_client_of_its_kind_alone(client: Membrane) -> None:
    asynchronous: Any = new_async_client()
    synchronous: Any = client

    with pytest.raises(TypeError, match=r"AsyncMembrane: expected Membrane$"):
        MembraneMemoryTool(asynchronous)
    with pytest.raises(TypeError, match=r"Membrane: expected AsyncMembrane$"):
        AsyncMembraneMemoryTool(synchronous)
    asyncio.run(asynchronous.close())


def test_files_have_the_properties_of_the_tool(client: Membrane, scope: str) -> None:
    tool = MembraneMemoryTool(
        client, scope=scope, sensitivity="high", index=True, ttl_seconds=3_600
    )
    create(tool, "/memories/a.md", "sailing boats")
    replace(tool, "/memories/a.md", "sailing", "rowing")

    (found,) = client.search_documents(["memories"], scope=scope, query="rowing boats")
    assert found.score is not None
    assert found.sensitivity == "high"
    assert found.expires_at is not None


# --- listings and files --------------------------------------------------------------------------


def test_a_listing_has_two_levels_with_sizes_and_no_hidden_files(tool: MembraneMemoryTool) -> None:
    assert view(tool).endswith("hidden items:\n0B\t/memories")
    for path, size in {
        "b.md": 12, "a/x.md": 1_024, "a/deep/y.md": 1_536, "a/deep/deeper/z.md": 512,
        ".hidden": 7, "a/.git/config": 5, "a/b/.env": 3, "empty.md": 0,
    }.items():  # fmt: skip
        create(tool, f"/memories/{path}", "x" * size)

    title = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:"
    assert view(tool).splitlines() == [
        title.format("/memories"),
        "3.0K\t/memories",
        "3.0K\t/memories/a/",
        "3B\t/memories/a/b/",
        "2K\t/memories/a/deep/",
        "1K\t/memories/a/x.md",
        "12B\t/memories/b.md",
        "0B\t/memories/empty.md",
    ]
    assert view(tool, "/memories/a/deep/").splitlines() == [
        title.format("/memories/a/deep/"),
        "2K\t/memories/a/deep/",
        "512B\t/memories/a/deep/deeper/",
        "512B\t/memories/a/deep/deeper/z.md",
        "1.5K\t/memories/a/deep/y.md",
    ]


def test_a_listing_has_every_file_of_several_pages(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    put = {"op": "put", "namespace": ["memories", "many"], "value": {"text": "x"}, "scope": scope}
    for start in (0, 65):
        client.batch_documents([{**put, "key": f"{start + n:03}"} for n in range(65)])

    assert view(tool, "/memories/many").count("\n1B\t") == 130
    delete(tool, "/memories/many")
    assert texts(client, scope) == {}


@pytest.mark.parametrize(
    ("view_range", "lines"),
    [([2, 3], [2, 3]), ([2, -1], [2, 3, 4]), ([0, 1], [1]), ([3, 9], [3, 4]), ([9, 12], [])],
    ids=str,
)
def test_a_range_of_lines_is_shown(
    tool: MembraneMemoryTool, view_range: list[int], lines: list[int]
) -> None:
    create(tool, "/memories/a.md", "l1\nl2\nl3\nl4")

    shown = view(tool, "/memories/a.md", view_range=view_range).split("\n")[1:]

    assert [each for each in shown if each] == [f"     {number}\tl{number}" for number in lines]


def test_line_breaks_of_other_kinds_stay_within_a_line(tool: MembraneMemoryTool) -> None:
    create(tool, "/memories/a.md", "one\u2028two\x0cthree\r\nfour")

    assert view(tool, "/memories/a.md").endswith("     1\tone\u2028two\x0cthree\r\n     2\tfour")


def test_a_large_file_is_created_changed_and_moved(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    text = "x" * 4_000_000
    create(tool, "/memories/large/a.md", f"{text}old")
    create(tool, "/memories/large/b.md", text)
    replace(tool, "/memories/large/a.md", "old", "new")
    rename(tool, "/memories/large", "/memories/moved")

    assert texts(client, scope) == {
        "/memories/moved/a.md": f"{text}new",
        "/memories/moved/b.md": text,
    }


def test_a_file_of_the_largest_size_is_written_and_a_larger_one_refused(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    frame = len('{"text":""}')
    create(tool, "/memories/largest.md", "x" * (MAX_FILE_BYTES - frame))

    for text in ("x" * (MAX_FILE_BYTES - frame + 1), "\n" * (MAX_FILE_BYTES // 2)):
        with pytest.raises(ToolError, match=r"refuses /memories/a\.md: .* as JSON text"):
            create(tool, "/memories/a.md", text)
    with pytest.raises(ToolError, match=r"refuses /memories/largest\.md: .* as JSON text"):
        insert(tool, "/memories/largest.md", 0, "x")

    assert texts(client, scope).keys() == {"/memories/largest.md"}


def test_the_document_of_another_program_is_no_file(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    client.put_document(["memories"], "data", {"n": 1}, scope=scope)

    assert "/memories/data" in view(tool)
    with pytest.raises(ToolError, match="Unsupported file type for /memories/data"):
        view(tool, "/memories/data")
    with pytest.raises(ToolError, match="is not a file"):
        replace(tool, "/memories/data", "n", "m")
    with pytest.raises(ToolError, match="Unsupported file type"):
        rename(tool, "/memories/data", "/memories/moved")
    with pytest.raises(ToolError, match="Unsupported file type for /memories/data"):
        delete(tool, "/memories/data")
    assert client.get_document(["memories"], "data", scope=scope).value == {"n": 1}


def test_a_directory_with_the_document_of_another_program_stays_whole(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/a/b.md")
    client.put_document(["memories", "a"], "data", {"n": 1}, scope=scope)

    for remove in (
        lambda: delete(tool, "/memories/a"),
        tool.clear_all_memory,
        lambda: rename(tool, "/memories/a", "/memories/c"),
    ):
        with pytest.raises(ToolError, match="Unsupported file type for /memories/a/data"):
            remove()

    assert client.get_document(["memories", "a"], "data", scope=scope).value == {"n": 1}
    assert view(tool, "/memories/a/b.md").endswith("\ttext")


def test_a_file_that_becomes_the_document_of_another_program_is_not_deleted(
    client: Membrane, scope: str, disturbed: Callable[..., MembraneMemoryTool]
) -> None:
    client.put_document(["memories"], "a.md", {"text": "x"}, scope=scope)

    def change(request: httpx2.Request) -> None:
        if batched(request, "delete"):
            client.put_document(["memories"], "a.md", {"n": 1}, scope=scope)

    with pytest.raises(ToolError, match=r"Unsupported file type for /memories/a\.md"):
        delete(disturbed(change), "/memories/a.md")

    assert client.get_document(["memories"], "a.md", scope=scope).value == {"n": 1}


def test_a_file_that_changes_before_its_deletion_is_deleted(
    client: Membrane, scope: str, disturbed: Callable[..., MembraneMemoryTool]
) -> None:
    changes: list[str] = []
    for name in ("a.md", "b.md"):
        client.put_document(["memories", "dir"], name, {"text": "x"}, scope=scope)

    def change(request: httpx2.Request) -> None:
        if batched(request, "delete") and not changes:
            changes.append("b.md")
            client.put_document(["memories", "dir"], "b.md", {"text": "y"}, scope=scope)

    assert delete(disturbed(change), "/memories/dir") == "Successfully deleted /memories/dir"
    assert changes
    assert texts(client, scope) == {}


# --- fields --------------------------------------------------------------------------------------

WHOLE: dict[str, dict[str, Any]] = {
    "view": {"path": "/memories/a.md", "view_range": [1, 2]},
    "create": {"path": "/memories/new.md", "file_text": "text"},
    "str_replace": {"path": "/memories/a.md", "old_str": "old", "new_str": "new"},
    "insert": {"path": "/memories/a.md", "insert_line": 0, "insert_text": "text"},
    "delete": {"path": "/memories/a.md"},
    "rename": {"old_path": "/memories/a.md", "new_path": "/memories/new.md"},
}


@pytest.mark.parametrize(
    ("command", "field"),
    [(command, field) for command, fields in WHOLE.items() for field in fields],
)
def test_a_field_that_is_missing_or_of_another_type_is_named_and_nothing_changes(
    tool: MembraneMemoryTool, client: Membrane, scope: str, command: str, field: str
) -> None:
    create(tool, "/memories/a.md", "old")
    whole = {"command": command, **WHOLE[command]}

    if field != "view_range":
        for missing in (
            {name: value for name, value in whole.items() if name != field},
            {**whole, field: None},
        ):
            with pytest.raises(ToolError, match=f"Missing `{field}` parameter of {command}"):
                tool.call(missing)
    for value in ({"a": 1}, 1.5, [1], ["a", "b"]):
        with pytest.raises(ToolError, match=f"Invalid `{field}` parameter of {command}"):
            tool.call({**whole, field: value})

    assert texts(client, scope) == {"/memories/a.md": "old"}


@pytest.mark.parametrize("given", [{"command": "write"}, {"path": "/memories"}, {}, [], None, "x"])
def test_an_unknown_command_is_answered_with_the_known_ones(
    tool: MembraneMemoryTool, given: object
) -> None:
    with pytest.raises(ToolError, match=r"Unknown `command`: .* one of view, create, str_replace"):
        tool.call(given)


def test_the_asynchronous_tool_names_a_missing_field(scope: str) -> None:
    async def run() -> None:
        async with new_async_client() as client:
            tool = AsyncMembraneMemoryTool(client, scope=scope)
            with pytest.raises(ToolError, match="Missing `file_text` parameter of create"):
                await tool.call({"command": "create", "path": "/memories/a.md"})

    asyncio.run(run())


# --- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("/memoriesa/x", "must start with /memories"),
        ("memories/x", "must start with /memories"),
        ("/etc/passwd", "must start with /memories"),
        ("/memories/..", "would escape"),
        ("/memories/a/../../x", "would escape"),
        ("/memories/../memoriesa", "would escape"),
        ("/memories/a\0b", "refuses"),
        ("/memories/" + "x" * 600, "refuses"),
        ("/memories/" + "y" * 200 + "/a", "refuses"),
        ("/memories/" + "d/" * 20 + "a", "refuses"),
    ],
    ids=lambda text: repr(text[:12] + text[-8:]),
)
def test_a_path_that_no_file_has_is_refused(
    tool: MembraneMemoryTool, client: Membrane, scope: str, path: str, refusal: str
) -> None:
    with pytest.raises(ToolError, match=refusal):
        create(tool, path)

    assert texts(client, scope) == {}


@pytest.mark.parametrize("path", ["/memories//a/./b.md/", "/memories/c/../a/b.md"])
def test_a_roundabout_path_is_the_straight_path(tool: MembraneMemoryTool, path: str) -> None:
    create(tool, path)

    assert "/memories/a/b.md" in view(tool)


@pytest.mark.parametrize("name", ["100%.md", "a b?c#d.md", "ü/日本.md", "*", "%2F..%2Fx"])
def test_signs_of_urls_are_ordinary_in_names(tool: MembraneMemoryTool, name: str) -> None:
    create(tool, f"/memories/{name}", "text")
    rename(tool, f"/memories/{name}", f"/memories/moved/{name}")

    assert view(tool, f"/memories/moved/{name}").endswith("\ttext")
    delete(tool, f"/memories/moved/{name}")
    assert view(tool).endswith("0B\t/memories")


def test_a_path_is_a_file_or_a_directory(tool: MembraneMemoryTool) -> None:
    create(tool, "/memories/a/b/c.md")

    with pytest.raises(ToolError, match="File /memories/a/b already exists"):
        create(tool, "/memories/a/b")
    with pytest.raises(ToolError, match="File /memories already exists"):
        create(tool, "/memories")
    with pytest.raises(ToolError, match=r"/memories/a/b/c.md is not a directory"):
        create(tool, "/memories/a/b/c.md/d.md")
    with pytest.raises(ToolError, match="/memories/a is not a file"):
        insert(tool, "/memories/a", 0, "x")
    with pytest.raises(ToolError, match="does not exist"):
        view(tool, "/memories/a/b/c.md/d.md")


def test_a_directory_is_gone_with_its_last_file(tool: MembraneMemoryTool) -> None:
    create(tool, "/memories/a/b.md")
    delete(tool, "/memories/a/b.md")

    with pytest.raises(ToolError, match="does not exist"):
        view(tool, "/memories/a")
    create(tool, "/memories/a", "a file now")


# --- edits ---------------------------------------------------------------------------------------


def test_an_empty_file_gets_lines(tool: MembraneMemoryTool, client: Membrane, scope: str) -> None:
    create(tool, "/memories/a.md", "")
    insert(tool, "/memories/a.md", 0, "second")
    insert(tool, "/memories/a.md", 0, "first\n")

    assert texts(client, scope) == {"/memories/a.md": "first\nsecond\n"}


def test_occurrences_are_named_by_their_lines(tool: MembraneMemoryTool) -> None:
    create(tool, "/memories/a.md", "tea tea\ncoffee\ntea")

    with pytest.raises(ToolError, match=r"old_str `tea` in lines: 1, 1, 3\. Please"):
        replace(tool, "/memories/a.md", "tea", "mate")


def test_parallel_edits_of_a_file_all_take_effect(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/a.md", "\n".join(f"word-{number}-" for number in range(WRITERS)))

    def edit(number: int) -> None:
        replace(tool, "/memories/a.md", f"word-{number}-", f"changed-{number}-")
        insert(tool, "/memories/a.md", 0, f"inserted-{number}-")

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(edit, range(WRITERS)))

    text = texts(client, scope)["/memories/a.md"]
    assert text.count("inserted-") == text.count("changed-") == WRITERS


def test_edits_of_many_writers_of_a_file_all_take_effect(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/a.md", "")

    with ThreadPoolExecutor(CROWD) as pool:
        list(pool.map(lambda n: insert(tool, "/memories/a.md", 0, f"line-{n}"), range(CROWD)))

    assert set(texts(client, scope)["/memories/a.md"].split()) == {
        f"line-{n}" for n in range(CROWD)
    }


def test_parallel_edits_of_the_asynchronous_tool_all_take_effect(scope: str) -> None:
    async def run() -> None:
        async with new_async_client() as client:
            tool = AsyncMembraneMemoryTool(client, scope=scope)
            command = {"path": "/memories/a.md", "insert_line": 0}
            await tool.call({"command": "create", "path": "/memories/a.md", "file_text": ""})
            await asyncio.gather(*(
                tool.call({"command": "insert", **command, "insert_text": f"line-{number}"})
                for number in range(WRITERS)
            ))  # fmt: skip

            document = await client.get_document(["memories"], "a.md", scope=scope)
            assert set(document.value["text"].split()) == {f"line-{n}" for n in range(WRITERS)}

    asyncio.run(run())


def test_the_asynchronous_tool_has_all_commands(scope: str) -> None:
    async def run() -> list[str]:
        async with new_async_client() as client:
            tool = AsyncMembraneMemoryTool(client, scope=scope)
            a, b = "/memories/a.md", "/memories/b/c.md"
            commands: list[dict[str, Any]] = [
                {"command": "create", "path": a, "file_text": "tea"},
                {"command": "str_replace", "path": a, "old_str": "tea", "new_str": "mate"},
                {"command": "insert", "path": a, "insert_line": 1, "insert_text": "milk"},
                {"command": "rename", "old_path": a, "new_path": b},
                {"command": "view", "path": b},
                {"command": "delete", "path": b},
            ]
            answers = [str(await tool.call(each)) for each in commands]
            return [*answers, str(await tool.clear_all_memory())]

    *_, shown, deleted, cleared = asyncio.run(run())

    assert shown.endswith("     1\tmate\n     2\tmilk\n     3\t")
    assert deleted == "Successfully deleted /memories/b/c.md"
    assert cleared == "All memory cleared"


def test_one_of_many_creates_a_file(tool: MembraneMemoryTool, client: Membrane, scope: str) -> None:
    def attempt(number: int) -> int | None:
        try:
            create(tool, "/memories/a.md", str(number))
        except ToolError:
            return None
        return number

    with ThreadPoolExecutor(WRITERS) as pool:
        made = [each for each in pool.map(attempt, range(WRITERS)) if each is not None]

    assert texts(client, scope) == {"/memories/a.md": str(made[0])}
    assert len(made) == 1


def test_an_edit_that_always_comes_late_is_refused_and_loses_nothing(
    client: Membrane, scope: str, disturbed: Callable[..., MembraneMemoryTool]
) -> None:
    edits: list[int] = []

    def overtake(request: httpx2.Request) -> None:
        if request.method == "PUT":
            edits.append(len(edits))
            text = "\n".join(["word", *map(str, edits)])
            client.put_document(["memories"], "a.md", {"text": text}, scope=scope)

    client.put_document(["memories"], "a.md", {"text": "word"}, scope=scope)
    with pytest.raises(ToolError, match="No edit was made"):
        replace(disturbed(overtake), "/memories/a.md", "word", "lost")

    assert texts(client, scope)["/memories/a.md"] == "\n".join(["word", *map(str, edits)])
    assert len(edits) > 10


# --- deleting ------------------------------------------------------------------------------------


def test_a_deleted_file_is_gone_and_its_history_stays(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/a/b.md", "first")
    replace(tool, "/memories/a/b.md", "first", "second")
    delete(tool, "/memories/a")

    with pytest.raises(ToolError, match="does not exist"):
        view(tool, "/memories/a/b.md")
    document = client.get_document(["memories", "a"], "b.md", scope=scope, history=9, verify=True)
    assert document.deleted
    assert [each.value["text"] for each in document.history] == ["second", "first"]
    assert document.verified


def test_an_erasing_tool_leaves_no_text_at_any_path(client: Membrane, scope: str) -> None:
    tool = MembraneMemoryTool(client, scope=scope, erase=True)
    create(tool, "/memories/a.md", "secret one")
    replace(tool, "/memories/a.md", "one", "two")
    create(tool, "/memories/dir/b.md", "secret three")
    rename(tool, "/memories/a.md", "/memories/c.md")
    delete(tool, "/memories/c.md")
    tool.clear_all_memory()

    for namespace, key in ((["memories"], "a.md"), (["memories"], "c.md"),
                           (["memories", "dir"], "b.md")):  # fmt: skip
        document = client.get_document(namespace, key, scope=scope, history=9)
        assert document.deleted
        assert "secret" not in str(document.raw)


def test_clearing_keeps_other_namespaces(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    create(tool, "/memories/a.md")
    create(tool, "/memories/.hidden/b.md")
    client.put_document(["memories2"], "a.md", {"text": "other"}, scope=scope)

    assert tool.clear_all_memory() == "All memory cleared"
    assert tool.clear_all_memory() == "All memory cleared"

    assert texts(client, scope) == {"/memories2/a.md": "other"}


# --- renaming ------------------------------------------------------------------------------------


FILES = {"/memories/old/a.md": "A", "/memories/old/deep/b.md": "B", "/memories/old/.c": "C"}
MOVED = {path.replace("old", "new"): text for path, text in FILES.items()}


@pytest.fixture
def filled(tool: MembraneMemoryTool) -> MembraneMemoryTool:
    for path, text in FILES.items():
        create(tool, path, text)
    return tool


def test_a_directory_moves_with_all_files(
    filled: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    client.put_document(
        ["memories", "old"], "secret.md", {"text": "S"}, scope=scope, sensitivity="high"
    )

    rename(filled, "/memories/old", "/memories/new")

    assert texts(client, scope) == {**MOVED, "/memories/new/secret.md": "S"}
    moved = client.get_document(["memories", "new"], "secret.md", scope=scope)
    assert moved.sensitivity == "high"
    former = client.get_document(["memories", "old"], "a.md", scope=scope, history=9)
    assert [each.value["text"] for each in former.history] == ["A"]


def test_a_directory_does_not_move_into_itself_or_below_a_file(
    filled: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    for target, refusal in (
        ("/memories/old/deep/new", "into itself"),
        ("/memories/old", "already exists"),
        ("/memories", "already exists"),
        ("/memories/old/a.md/x", "is not a directory"),
        ("/memories/" + "d/" * 15 + "new", "too many"),
    ):
        with pytest.raises(ToolError, match=refusal):
            rename(filled, "/memories/old", target)

    assert texts(client, scope) == FILES


@pytest.mark.usefixtures("filled")
def test_no_fault_loses_a_file_on_the_way(
    client: Membrane, scope: str, disturbed: Callable[..., MembraneMemoryTool]
) -> None:
    faults = 0
    while True:
        left = [faults]

        def cut_off(_: httpx2.Request, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise httpx2.ConnectError("cut off")

        try:
            rename(disturbed(cut_off), "/memories/old", "/memories/new")
        except ConnectionFailed:
            shown = texts(client, scope)
            for old, new in zip(FILES, MOVED, strict=True):
                assert FILES[old] in {shown.get(old), shown.get(new)}
            faults += 1
            MembraneMemoryTool(
                client, scope=scope, namespace=("memories", "new")
            ).clear_all_memory()
        else:
            break
    assert faults >= 4
    assert texts(client, scope) == MOVED


def test_a_file_that_changes_on_the_way_arrives_as_changed(
    filled: MembraneMemoryTool,
    client: Membrane,
    scope: str,
    disturbed: Callable[..., MembraneMemoryTool],
) -> None:
    changed: list[str] = []

    def change(request: httpx2.Request) -> None:
        if batched(request, "delete") and not changed:
            changed.append(replace(filled, "/memories/old/a.md", "A", "AA"))
            delete(filled, "/memories/old/.c")

    rename(disturbed(change), "/memories/old", "/memories/new")

    assert changed
    assert texts(client, scope) == {"/memories/new/a.md": "AA", "/memories/new/deep/b.md": "B"}


def test_a_refused_move_takes_its_copies_back(
    filled: MembraneMemoryTool,
    client: Membrane,
    scope: str,
    disturbed: Callable[..., MembraneMemoryTool],
) -> None:
    def occupy(request: httpx2.Request) -> None:
        if batched(request, "put"):
            create(filled, "/memories/new/deep/b.md", "other")

    with pytest.raises(ToolError, match="The destination /memories/new already exists"):
        rename(disturbed(occupy), "/memories/old", "/memories/new")

    assert texts(client, scope) == {**FILES, "/memories/new/deep/b.md": "other"}


def fill(client: Membrane, scope: str, text: str) -> dict[str, str]:
    """Sixty files below /memories/old."""
    put = {"op": "put", "namespace": ["memories", "old"], "scope": scope}
    client.batch_documents([{**put, "key": f"{n:02}", "value": {"text": text}} for n in range(60)])
    return {f"/memories/old/{n:02}": text for n in range(60)}


def refuse(op: str, number: int) -> Callable[[httpx2.Request], httpx2.Response | None]:
    """Refuses the batch of such operations with that number as a whole."""
    seen = [0]

    def before(request: httpx2.Request) -> httpx2.Response | None:
        seen[0] += batched(request, op)
        if not batched(request, op) or seen[0] != number:
            return None
        problem = {"code": "PERMISSION_DENIED", "detail": "not now"}
        return httpx2.Response(403, json=problem, request=request)

    return before


@pytest.mark.parametrize("number", [1, 2])
def test_a_refused_batch_of_copies_leaves_none(
    number: int, client: Membrane, scope: str, disturbed: Callable[..., MembraneMemoryTool]
) -> None:
    files = fill(client, scope, "text")

    with pytest.raises(Forbidden, match="not now"):
        rename(disturbed(refuse("put", number)), "/memories/old", "/memories/new")

    assert texts(client, scope) == files


def test_a_refused_batch_of_deletions_leaves_each_file_at_one_path(
    client: Membrane, scope: str, disturbed: Callable[..., MembraneMemoryTool]
) -> None:
    files = fill(client, scope, "text")

    with pytest.raises(Forbidden, match="not now"):
        rename(disturbed(refuse("delete", 2)), "/memories/old", "/memories/new")

    left = texts(client, scope)
    assert sorted(path[-2:] for path in left) == [path[-2:] for path in files]
    assert sum(path.startswith("/memories/old/") for path in left) == 10


def test_a_refusal_behind_a_lost_reply_loses_no_file(
    filled: MembraneMemoryTool,
    client: Membrane,
    scope: str,
    disturbed: Callable[..., MembraneMemoryTool],
) -> None:
    def delete_and_refuse(request: httpx2.Request) -> httpx2.Response | None:
        if not batched(request, "delete") or b"/new/" in request.content:
            return None
        if texts(client, scope).keys() >= FILES.keys():
            delete(filled, "/memories/old")
        return httpx2.Response(429, json={"message": "Too Many Requests"}, request=request)

    with pytest.raises(TooManyRequests):
        rename(disturbed(delete_and_refuse), "/memories/old", "/memories/new")

    assert texts(client, scope) == MOVED


def test_a_fault_whose_deletions_come_later_loses_no_file(
    filled: MembraneMemoryTool,
    client: Membrane,
    scope: str,
    disturbed: Callable[..., MembraneMemoryTool],
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response | None:
        if not batched(request, "delete"):
            return None
        return httpx2.Response(503, json={"message": "Service Unavailable"}, request=request)

    with pytest.raises(ServerError):
        rename(disturbed(fail), "/memories/old", "/memories/new")
    delete(filled, "/memories/old")

    assert texts(client, scope) == MOVED


def test_a_directory_of_many_files_moves_in_several_batches(
    tool: MembraneMemoryTool, client: Membrane, scope: str
) -> None:
    put = {"op": "put", "namespace": ["memories", "old"], "scope": scope}
    client.batch_documents([
        {**put, "key": f"{n:02}", "value": {"text": f"{n:02}" * 20_000}} for n in range(60)
    ])  # fmt: skip

    rename(tool, "/memories/old", "/memories/new")

    assert texts(client, scope) == {f"/memories/new/{n:02}": f"{n:02}" * 20_000 for n in range(60)}


@pytest.mark.parametrize(
    ("command", "requests"),
    [
        (lambda tool: view(tool, "/memories/old/a.md"), 1),
        (lambda tool: view(tool, "/memories/old"), 2),
        (lambda tool: create(tool, "/memories/x.md"), 2),
        (lambda tool: create(tool, "/memories/old/x.md"), 3),
        (lambda tool: replace(tool, "/memories/old/a.md", "A", "B"), 2),
        (lambda tool: insert(tool, "/memories/old/a.md", 0, "B"), 2),
        (lambda tool: delete(tool, "/memories/old/a.md"), 2),
        (lambda tool: delete(tool, "/memories/old"), 3),
        (lambda tool: tool.clear_all_memory(), 2),
        (lambda tool: rename(tool, "/memories/old/a.md", "/memories/x.md"), 5),
        (lambda tool: rename(tool, "/memories/old/a.md", "/memories/old/x.md"), 6),
    ],
    ids=range(11),
)
@pytest.mark.usefixtures("filled")
def test_a_command_takes_the_requests_that_the_manual_states(
    disturbed: Callable[..., MembraneMemoryTool],
    command: Callable[[MembraneMemoryTool], str],
    requests: int,
) -> None:
    sent: list[httpx2.Request] = []

    command(disturbed(sent.append))

    assert len(sent) == requests


# --- errors and Claude ---------------------------------------------------------------------------


def test_a_wrong_address_does_not_read_as_an_absent_file(scope: str) -> None:
    with Membrane(f"{URL}/elsewhere", API_KEY) as client:
        tool = MembraneMemoryTool(client, scope=scope)
        with pytest.raises(NotFound, match="is `url` right"):
            view(tool, "/memories/a.md")


def test_errors_of_the_service_are_not_swallowed(scope: str) -> None:
    with Membrane(URL, api_key="wrong", max_retries=0) as client:
        tool = MembraneMemoryTool(client, scope=scope)
        for command in (
            lambda: view(tool),
            lambda: create(tool, "/memories/a.md"),
            lambda: delete(tool, "/memories/a.md"),
            tool.clear_all_memory,
        ):
            with pytest.raises(Forbidden):
                command()
    with (
        Membrane("http://127.0.0.1:9", api_key="none", max_retries=0) as client,
        pytest.raises(ConnectionFailed),
    ):
        view(MembraneMemoryTool(client, scope=scope))


def test_a_scripted_claude_uses_the_tool(client: Membrane, scope: str) -> None:
    commands = [
        {"command": "create", "path": "/memories/a.md", "file_text": "tea"},
        {"command": "create", "path": "/memories/a.md", "file_text": "tea"},
        {"command": "view", "path": "/memories/a.md"},
    ]
    asked: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        turn = len(asked) - 1
        use = {"type": "tool_use", "id": f"t{turn}", "name": "memory"}
        is_last = turn == len(commands)
        content = {"type": "text", "text": "done"} if is_last else {**use, "input": commands[turn]}
        return httpx2.Response(200, json={
            "id": f"m{turn}", "type": "message", "role": "assistant", "model": "claude",
            "content": [content], "stop_reason": "end_turn" if is_last else "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        })  # fmt: skip

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with Anthropic(api_key="none", http_client=http) as claude:
        claude.beta.messages.tool_runner(
            model="claude", max_tokens=100, tools=[MembraneMemoryTool(client, scope=scope)],
            messages=[{"role": "user", "content": "Remember tea"}],
        ).until_done()  # fmt: skip

    results = [each["messages"][-1]["content"][0] for each in asked[1:]]
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert results[0]["content"] == "File created successfully at: /memories/a.md"
    assert results[1]["is_error"]
    assert results[1]["content"] == "File /memories/a.md already exists"
    assert results[2]["content"].endswith("     1\ttea")


@pytest.fixture
def weak(scope: str) -> Iterator[Membrane]:
    """The client of a second actor without `revise` and `admin`, up to medium sensitivity."""
    asked = {
        "actor_id": "weak", "permissions": ["ingest", "read"], "scopes": [scope],
        "max_sensitivity": "medium",
    }  # fmt: skip
    headers = {"authorization": f"Bearer {API_KEY}"}
    made = httpx2.post(f"{URL}/_dev/keys", json=asked, headers=headers).raise_for_status()
    with Membrane(URL, made.json()["secret"]) as client:
        yield client


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("erase", [False, True])
def test_files_of_another_actor_stay_without_revise(
    client: Membrane, scope: str, weak: Membrane, *, erase: bool
) -> None:
    tool = MembraneMemoryTool(weak, scope=scope, erase=erase)
    create(tool, "/memories/old/own.md", "own")

    assert view(tool, "/memories/old/a.md").endswith("\tA")
    for command in (
        lambda: replace(tool, "/memories/old/a.md", "A", "B"),
        lambda: insert(tool, "/memories/old/a.md", 0, "B"),
        lambda: delete(tool, "/memories/old/a.md"),
        lambda: rename(tool, "/memories/old/a.md", "/memories/b.md"),
        lambda: rename(tool, "/memories/old/deep", "/memories/b"),
        tool.clear_all_memory,
    ):
        with pytest.raises(Forbidden):
            command()
    assert FILES.items() <= texts(client, scope).items()
    assert texts(client, scope).keys() <= {*FILES, "/memories/old/own.md"}


def test_a_file_above_the_ceiling_is_hidden_and_holds_its_place(
    client: Membrane, scope: str, weak: Membrane
) -> None:
    client.put_document(["memories"], "a.md", {"text": "S"}, scope=scope, sensitivity="high")
    tool = MembraneMemoryTool(weak, scope=scope)
    create(tool, "/memories/b.md")

    assert "a.md" not in view(tool)
    with pytest.raises(ToolError, match="does not exist"):
        view(tool, "/memories/a.md")
    with pytest.raises(ToolError, match=r"File /memories/a\.md already exists"):
        create(tool, "/memories/a.md")
    with pytest.raises(ToolError, match=r"The destination /memories/a\.md already exists"):
        rename(tool, "/memories/b.md", "/memories/a.md")
    assert texts(client, scope) == {"/memories/a.md": "S", "/memories/b.md": "text"}


def test_a_scope_beyond_the_key_is_empty_and_refuses_files(weak: Membrane) -> None:
    tool = MembraneMemoryTool(weak, scope="elsewhere")

    assert view(tool).endswith("\n0B\t/memories")
    with pytest.raises(Forbidden):
        create(tool, "/memories/a.md")


OTHERS = ("agents", "google.adk", "langchain_core", "langgraph", "llama_index", "pydantic_ai",
          "strands")  # fmt: skip


@pytest.mark.parametrize(
    ("module", "absent"), [("membrane_client.claude", OTHERS), ("membrane_client", ("anthropic",))]
)
def test_the_adapter_needs_no_other_framework(module: str, absent: tuple[str, ...]) -> None:
    program = f"import sys; sys.modules.update(dict.fromkeys({absent!r})); import {module}"

    subprocess.run([sys.executable, "-c", program], check=True)
