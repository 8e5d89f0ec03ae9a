"""Hands a MembraneMemoryStore to the contract tests, instead of their reference store."""

from local_stack import new_async_client, new_scope
from pydantic_ai_memory_core import testing  # type: ignore[import-untyped]  # has no py.typed

from membrane_client.pydantic_ai import MembraneMemoryStore

_client = new_async_client()
"""For all stores: the suite uses one store in several event loops."""


class InMemoryKVMemoryStore(MembraneMemoryStore):
    def __init__(self) -> None:
        super().__init__(_client, scope=new_scope())


vars(testing)["InMemoryKVMemoryStore"] = InMemoryKVMemoryStore
