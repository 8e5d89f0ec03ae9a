"""The stack that an agent's tools and hooks work with: a configured API, or the shared stack."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from membrane_cli.connections import Connection, configured_connection
from membrane_cli.shared_stack.folder import users_folder
from membrane_cli.shared_stack.joining import LINGER_S, membership


class AgentStack(Protocol):
    """Where the stack answers."""

    def join(self, patience_s: float = ...) -> Connection:
        """The address; raises StackNotStarted."""


class ConfiguredStack:
    """An API at a fixed address."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def join(self, patience_s: float = 0) -> Connection:  # noqa: ARG002 - the API runs elsewhere
        return self._connection


@contextmanager
def agent_stack(
    url: str | None = None, api_key: str | None = None, linger_s: float = LINGER_S
) -> Iterator[AgentStack]:
    """The configured API, or a place among the members of the shared stack.

    Raises SettingError and OSError.
    """
    connection = configured_connection(url, api_key)
    if connection is not None:
        yield ConfiguredStack(connection)
        return
    with membership(users_folder(), linger_s) as place:
        yield place
