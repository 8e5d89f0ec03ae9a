"""Puts MembraneStorage in the place of Strands' storages in memory and in files.

Both names stay classes of their own, because Strands writes the name of a stash's storage into a
snapshot, and treats storage in memory as lost at the end of the process.
"""

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import strands.storage
import strands.storage.in_memory_storage
import suite_without_moto  # noqa: F401 - before tests/conftest.py
from local_stack import new_client, new_scope
from strands.storage.storage import _EPHEMERAL

from membrane_client.strands import MembraneStorage

_scopes: defaultdict[str, str] = defaultdict(new_scope)
"""By folder: storages of one folder share their keys."""


class InMemoryStorage(MembraneStorage):
    """Each in a scope of its own."""

    _ephemeral = _EPHEMERAL

    def __init__(self, *, search_strategy: Any = None) -> None:
        super().__init__(new_client(), scope=new_scope(), search_strategy=search_strategy)

    def clear(self) -> None:
        """Delete every key, from synchronous code within a running loop."""
        with ThreadPoolExecutor() as pool:
            pool.submit(asyncio.run, self._delete_all()).result()

    async def _delete_all(self) -> None:
        for key in await self.list():
            await self.delete(key)


class LocalFileStorage(MembraneStorage):
    """A scope for each folder."""

    def __init__(self, folder: str) -> None:
        super().__init__(new_client(), scope=_scopes[folder])


strands.storage.in_memory_storage.InMemoryStorage = InMemoryStorage  # type: ignore[assignment, misc]
strands.storage.InMemoryStorage = InMemoryStorage  # type: ignore[assignment, misc]
strands.storage.LocalFileStorage = LocalFileStorage  # type: ignore[assignment, misc]
