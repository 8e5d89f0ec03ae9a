"""Memory, sessions and snapshots of Strands agents: `pip install "…[strands]"`."""

from membrane_client.strands.memory_store import MembraneMemoryStore
from membrane_client.strands.session_repository import MembraneSessionRepository
from membrane_client.strands.storage import MembraneStorage

__all__ = ["MembraneMemoryStore", "MembraneSessionRepository", "MembraneStorage"]
