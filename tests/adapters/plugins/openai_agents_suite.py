"""Puts MembraneSession in the place of the SDK's SQLiteSession.

A path to a database stands for a scope: sessions with the same path and id share their items.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import agents
from agents import SessionSettings
from local_stack import new_async_client, new_scope

from membrane_client.openai_agents import MembraneSession

_client = new_async_client()
"""For all sessions: the suite uses one session in several event loops."""

_scopes: defaultdict[str, str] = defaultdict(new_scope)
"""By path."""

_IN_MEMORY = ":memory:"


class SQLiteSession(MembraneSession):
    def __init__(
        self,
        session_id: str,
        db_path: str | Path = _IN_MEMORY,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        path = str(db_path)
        scope = new_scope() if path == _IN_MEMORY else _scopes[path]
        super().__init__(session_id, _client, scope=scope, session_settings=session_settings)

    def close(self) -> None:
        """The suite closes its sessions; the client stays open for the next."""


vars(agents)["SQLiteSession"] = SQLiteSession
