"""The memory of Pydantic AI agents: a store for the Memory capability of pydantic-ai-harness."""

from membrane_client.pydantic_ai.store import MembraneMemoryStore

__all__ = ["MembraneMemoryStore"]
