"""Puts MembraneMemoryTool in the place of the memory tools of the package anthropic.

The tests make a tool of a folder, and write and read a few files in the folder: a folder is a scope
of its own, and `Path.write_bytes` and `Path.read_bytes` below the folder reach the documents.
"""

from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import pytest_asyncio
from anthropic.lib.tools import _beta_builtin_memory_tool as builtin
from anyio import Path as AsyncPath
from local_stack import new_async_client, new_client, new_scope

from membrane_client import NotFound
from membrane_client.claude import AsyncMembraneMemoryTool, MembraneMemoryTool

MEMORIES = "memories"

_scopes: dict[Path, str] = {}
"""By the folder of a tool."""
_client, _async_client = new_client(), new_async_client()
_write_bytes, _read_bytes = Path.write_bytes, Path.read_bytes


def _scope_of(base_path: str) -> str:
    return _scopes.setdefault(Path(base_path), new_scope())


def _memory_root(base_path: str) -> Path:
    """A folder, since a test asks whether there is a folder."""
    root = Path(base_path) / MEMORIES
    root.mkdir(parents=True, exist_ok=True)
    return root


class LocalTool(MembraneMemoryTool):
    def __init__(self, base_path: str) -> None:
        super().__init__(_client, scope=_scope_of(base_path))
        self.base_path = Path(base_path)
        self.memory_root = _memory_root(base_path)


class AsyncLocalTool(AsyncMembraneMemoryTool):
    def __init__(self, base_path: str) -> None:
        super().__init__(_async_client, scope=_scope_of(base_path))
        self.base_path = AsyncPath(base_path)
        self.memory_root = AsyncPath(_memory_root(base_path))


builtin.BetaLocalFilesystemMemoryTool = LocalTool  # type: ignore[assignment,misc]
builtin.BetaAsyncLocalFilesystemMemoryTool = AsyncLocalTool  # type: ignore[assignment,misc]


def directory_snapshot(base_path: str) -> dict[str, str]:
    """The texts of all documents in the folder's scope, by path."""
    found = _client.search_documents(scope=_scopes[Path(base_path)], limit=100)
    return {"/".join((*each.namespace, each.key)): each.value["text"] for each in found}


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Put the snapshot in place, and run all in one event loop, as the suite's conftest does."""
    for item in items:
        item.module.get_directory_snapshot = directory_snapshot
        if pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


def _place(path: Path) -> tuple[str, list[str], str] | None:
    """Scope, namespace and key of a file below the folder of a tool."""
    for base_path, scope in _scopes.items():
        if path.is_relative_to(base_path / MEMORIES):
            *namespace, key = PurePosixPath(path.relative_to(base_path)).parts
            return scope, namespace, key
    return None


def _write(self: Path, data: bytes) -> int:
    if (place := _place(self)) is None:
        return _write_bytes(self, data)
    scope, namespace, key = place
    _client.put_document(namespace, key, {"text": data.decode()}, scope=scope)
    return len(data)


def _read(self: Path) -> bytes:
    if (place := _place(self)) is None:
        return _read_bytes(self)
    scope, namespace, key = place
    try:
        return str(_client.get_document(namespace, key, scope=scope).value["text"]).encode()
    except NotFound as error:
        raise FileNotFoundError(self) from error


@pytest.fixture(scope="session", autouse=True)
def _files_are_documents() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "write_bytes", _write)
        patch.setattr(Path, "read_bytes", _read)
        yield


@pytest_asyncio.fixture(scope="session", loop_scope="session", autouse=True)
async def _closed_clients() -> Any:
    yield
    _client.close()
    await _async_client.close()
