"""Puts MembraneStore in the place of LangGraph's SqliteStore and AsyncSqliteStore.

The suite's embedder has 500 dimensions and runs in the client. The server's embedder takes its
place: of an index the searchable fields are kept. SqliteStore refreshes on read only where
`refresh_on_read` is set, BaseStore and MembraneStore unless `refresh_on_read` is False.
"""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import ModuleType
from typing import Any, NoReturn

import pytest
from langgraph.store.base import IndexConfig, TTLConfig
from local_stack import new_async_client, new_client, new_scope

from membrane_client.langgraph import MembraneStore


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "flaky(retries): of pytest-retry; here nothing is retried")


class SqliteStore(MembraneStore):
    @classmethod
    @contextmanager
    def from_conn_string(
        cls, _: str, *, index: dict[str, Any] | None = None, ttl: TTLConfig | None = None
    ) -> Iterator["SqliteStore"]:
        with new_client() as client:
            yield cls(client, scope=new_scope(), index=_fields_of(index), ttl=_periods_of(ttl))

    def setup(self) -> None:
        """There are no tables to make."""


class AsyncSqliteStore(MembraneStore):
    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, _: str, *, index: dict[str, Any] | None = None, ttl: TTLConfig | None = None
    ) -> AsyncIterator["AsyncSqliteStore"]:
        async with new_async_client() as client:
            yield cls(client, scope=new_scope(), index=_fields_of(index), ttl=_periods_of(ttl))

    async def setup(self) -> None:
        """There are no tables to make."""

    async def sweep_ttl(self) -> int:  # type: ignore[override]  # SQLite's is awaited
        return super().sweep_ttl()

    async def start_ttl_sweeper(self) -> None:  # type: ignore[override]  # the same
        super().start_ttl_sweeper()

    async def stop_ttl_sweeper(self) -> bool:  # type: ignore[override]  # the same
        return super().stop_ttl_sweeper()


class BaseSqliteStore:
    """Has none of SQLite's statements."""


def _fields_of(index: dict[str, Any] | None) -> IndexConfig | None:
    return None if index is None else {"fields": index.get("text_fields")}


def _periods_of(ttl: TTLConfig | None) -> TTLConfig:
    return {"refresh_on_read": False, **(ttl or {})}


def _no_sql(*_: Any) -> NoReturn:
    raise NotImplementedError("only SQLite has patterns")


def _module(name: str, **members: Any) -> None:
    module = ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


_NAME = "langgraph.store.sqlite"
_module(_NAME, SqliteStore=SqliteStore, AsyncSqliteStore=AsyncSqliteStore, __path__=[])
_module(f"{_NAME}.aio", AsyncSqliteStore=AsyncSqliteStore)
_module(
    f"{_NAME}.base",
    SqliteStore=SqliteStore,
    BaseSqliteStore=BaseSqliteStore,
    SqliteIndexConfig=dict,
    NS_MATCH_FUNCTION="",
    _escape_glob_literal=_no_sql,
    _namespace_match_pattern=_no_sql,
)
