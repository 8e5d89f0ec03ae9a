"""LangGraph on Membrane: a BaseStore, and nodes that recall memories and report outcomes."""

from membrane_client.langgraph.memory import MembraneMemory, MemoryState, Recollection, with_memory
from membrane_client.langgraph.store import MembraneStore

__all__ = ["MembraneMemory", "MembraneStore", "MemoryState", "Recollection", "with_memory"]
