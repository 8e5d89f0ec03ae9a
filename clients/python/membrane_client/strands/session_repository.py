"""Sessions of Strands agents as keyed documents: a document for each session, agent and message.

strands/sessions/<session>              session
strands/sessions/<session>/agents       <agent>           the state of an agent
strands/sessions/<session>/agents/<agent>   000000000000  a message
strands/sessions/<session>/multi_agents     <id>          the state of a graph or swarm
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from strands.session.session_repository import SessionRepository
from strands.types import session as types
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage

from membrane_client.client import Membrane
from membrane_client.core import adapters
from membrane_client.core.adapters import Place
from membrane_client.errors import APIError, Conflict, is_absent, or_none
from membrane_client.strands.storage import Removal, operation_on
from membrane_client.values.documents import FoundDocument

if TYPE_CHECKING:
    from strands.multiagent import MultiAgentBase

_DIGITS = 12  # Of a message's key: the order of texts is the order of numbers


class _Kept(NamedTuple):
    """Where a part of a session is kept, and what errors say of the part."""

    place: Place
    exists: str
    missing: str


class MembraneSessionRepository(SessionRepository):
    """The `session_repository` of a `RepositorySessionManager`.

    Ids are texts of 1 to 128 bytes, without U+0000, other than `.` and `..`. A write in the name of
    a session or agent that does not exist, or no longer exists, raises SessionException and leaves
    nothing behind. What exists is not overwritten by a creation: of two writers, the second gets
    SessionException. An update keeps `created_at`, and raises SessionException for what does not
    exist. To go on with an agent that another actor wrote, the key needs `revise`. Every other
    failure of a call raises MembraneError. `erase` is as in `delete_session`. Raises TypeError for
    an AsyncMembrane and for a namespace that is a text.
    """

    def __init__(
        self,
        client: Membrane,
        *,
        scope: str | None = None,
        namespace: Sequence[str] = ("strands", "sessions"),
        erase: bool | None = None,
    ) -> None:
        adapters.require_client(client, Membrane)
        self._client = client if scope is None else client.with_options(scope=scope)
        self._root = adapters.labels_in("namespace", namespace)
        self._continued: set[Place] = set()  # Agents read, without a message since
        self._removal = Removal(self._client, erase=erase)
        self._undoing = Removal(self._client, erase=None)

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        kept = self._session(session.session_id)
        with _raising(kept.exists):
            self._client.put_document(*kept.place, session.to_dict(), expected_version=0)
        return session

    def read_session(self, session_id: str, **kwargs: Any) -> Session | None:
        value = self._read(self._session(session_id))
        return None if value is None else Session.from_dict(value)

    def delete_session(self, session_id: str, **kwargs: Any) -> None:
        """Remove the session with all agents, messages and states, from searches at once.

        With `erase=None` former versions are erased if the key has `admin`, and else stay in the
        history for the deployment's `TombstoneDays`. `erase=True` raises Forbidden without `admin`,
        `erase=False` keeps the history. A deletion that failed may be repeated.
        """
        kept = self._session(session_id)
        removed, before = 0, -1
        while removed != before:
            before = removed
            # Owners come first.
            for page in self._client.search_documents(
                kept.place.namespace, limit=adapters.MAX_OPERATIONS
            ).pages():
                places = [Place(tuple(each.namespace), each.key) for each in page.documents]
                self._removal.remove(places)
                removed += len(places)
        if not removed:
            raise SessionException(kept.missing)

    def create_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        agent = self._agent(session_id, session_agent.agent_id)
        self._create(agent, session_agent.to_dict(), within=self._session(session_id))

    def read_agent(self, session_id: str, agent_id: str, **kwargs: Any) -> SessionAgent | None:
        """The agent; None without one. The next `create_message` checks the right to go on."""
        agent = self._agent(session_id, agent_id)
        value = self._read(agent)
        if value is None:
            return None
        self._continued.add(agent.place)
        return SessionAgent.from_dict(value)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        agent = self._agent(session_id, session_agent.agent_id)
        self._overwrite(agent, session_agent)

    def create_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any
    ) -> None:
        """After `read_agent`, raises Forbidden if the key may not go on with the agent."""
        message = self._message(session_id, agent_id, session_message.message_id)
        agent = self._agent(session_id, agent_id)
        if agent.place in self._continued:
            self._rewrite(agent)
            self._continued.discard(agent.place)
        self._create(message, session_message.to_dict(), within=agent)

    def read_message(
        self, session_id: str, agent_id: str, message_id: int, **kwargs: Any
    ) -> SessionMessage | None:
        value = self._read(self._message(session_id, agent_id, message_id))
        return None if value is None else SessionMessage.from_dict(value)

    def update_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any
    ) -> None:
        """Overwrite the message, as a redaction does; the history keeps the value before."""
        message = self._message(session_id, agent_id, session_message.message_id)
        self._overwrite(message, session_message)

    def list_messages(
        self,
        session_id: str,
        agent_id: str,
        limit: int | None = None,
        offset: int = 0,
        **kwargs: Any,
    ) -> list[SessionMessage]:
        """Messages by number; raises ValueError for a negative limit or offset."""
        if offset < 0 or (limit is not None and limit < 0):
            raise ValueError(f"limit is {limit} and offset {offset}: neither may be negative")
        agent = self._agent(session_id, agent_id)
        within = (*agent.place.namespace, agent_id)
        found = self._found_messages(within, limit, offset) if limit != 0 else []
        if not found:
            self._read_existing(agent)
        return [SessionMessage.from_dict(each.value) for each in found]

    def create_multi_agent(
        self, session_id: str, multi_agent: "MultiAgentBase", **kwargs: Any
    ) -> None:
        state = types.encode_bytes_values(multi_agent.serialize_state())
        kept = self._multi_agent(session_id, multi_agent.id)
        self._create(kept, state, within=self._session(session_id))

    def read_multi_agent(
        self, session_id: str, multi_agent_id: str, **kwargs: Any
    ) -> dict[str, Any] | None:
        value = self._read(self._multi_agent(session_id, multi_agent_id))
        state: dict[str, Any] | None = types.decode_bytes_values(value)
        return state

    def update_multi_agent(
        self, session_id: str, multi_agent: "MultiAgentBase", **kwargs: Any
    ) -> None:
        kept = self._multi_agent(session_id, multi_agent.id)
        self._read_existing(kept)
        self._update(kept, types.encode_bytes_values(multi_agent.serialize_state()))

    def _session(self, session_id: str) -> _Kept:
        name = f"Session {session_id}"
        place = Place((*self._root, session_id), "session")
        return _Kept(place, f"{name} already exists", f"{name} does not exist")

    def _agent(self, session_id: str, agent_id: str) -> _Kept:
        return self._part(session_id, "agents", f"Agent {agent_id}", agent_id)

    def _multi_agent(self, session_id: str, multi_agent_id: str) -> _Kept:
        name = f"MultiAgent state {multi_agent_id}"
        return self._part(session_id, "multi_agents", name, multi_agent_id)

    def _part(self, session_id: str, label: str, name: str, key: str) -> _Kept:
        return _Kept(
            Place((*self._root, session_id, label), key),
            f"{name} already exists in session {session_id}",
            f"{name} in session {session_id} does not exist",
        )

    def _message(self, session_id: str, agent_id: str, message_id: int) -> _Kept:
        if not isinstance(message_id, int):
            raise ValueError(f"message_id=<{message_id}> | message id must be an integer")  # noqa: TRY004 - as Strands' own repositories
        if not 0 <= message_id < 10**_DIGITS:
            raise ValueError(f"message_id is {message_id}: expected 0 to {10**_DIGITS - 1}")
        name = f"Message {message_id}"
        return _Kept(
            Place((*self._root, session_id, "agents", agent_id), f"{message_id:0{_DIGITS}}"),
            f"{name} already exists in agent {agent_id} in session {session_id}",
            f"{name} of agent {agent_id} in session {session_id} does not exist",
        )

    def _read(self, kept: _Kept) -> Any:
        document = or_none(self._client.get_document, *kept.place)
        return None if document is None else document.value

    def _read_existing(self, kept: _Kept) -> Any:
        value = self._read(kept)
        if value is None:
            raise SessionException(kept.missing)
        return value

    def _create(self, kept: _Kept, value: Any, *, within: _Kept) -> None:
        """Write a new document, look for the owner afterwards, and undo the write without owner.

        A deletion, which removes the owner first, finds any document that was written before.
        """
        put, owner = self._client.batch_documents(
            [
                operation_on(kept.place, "put", value=value, expected_version=0),
                operation_on(within.place, "get"),
            ]
        )
        refused, lost = adapters.refusal_of(put), adapters.refusal_of(owner)
        if lost is not None and is_absent(lost):
            if refused is None:
                self._undoing.remove([kept.place])
            raise SessionException(within.missing) from lost
        if refused is not None and adapters.is_mismatch(refused):
            raise SessionException(kept.exists) from refused
        if error := refused or lost:
            raise error

    def _overwrite(self, kept: _Kept, part: SessionAgent | SessionMessage) -> None:
        part.created_at = type(part).from_dict(self._read_existing(kept)).created_at
        self._update(kept, part.to_dict())

    def _update(self, kept: _Kept, value: Any) -> None:
        with _raising(kept.missing):
            self._client.put_document(*kept.place, value, must_exist=True)

    def _rewrite(self, kept: _Kept) -> None:
        """Write the value as it is: a key that may not change the document gets Forbidden."""
        while True:
            document = or_none(self._client.get_document, *kept.place)
            if document is None:
                raise SessionException(kept.missing)
            version = document.version
            try:
                self._client.put_document(*kept.place, document.value, expected_version=version)
            except Conflict as error:
                if not adapters.is_mismatch(error):
                    raise
            else:
                return

    def _found_messages(
        self, within: Sequence[str], limit: int | None, offset: int
    ) -> Sequence[FoundDocument]:
        """The documents of messages, in order.

        The service leaves out numbers below `offset`, which are at most `offset` messages. Numbers
        have gaps where a writer failed: as many messages as are missing there are left out here.
        """
        later = {"message_id": {"$gte": offset}} if offset else {}
        search = partial(self._client.search_documents, within, filter=later)
        found: list[FoundDocument] = []
        surplus = offset
        cursor: str | None = ""
        # A page of one document counts exactly what comes before the document.
        for page in search(limit=1).pages() if offset else ():
            found += page.documents
            surplus -= page.examined - len(page.documents)
            cursor = page.next_cursor
            if found:
                break
        end = None if limit is None else surplus + limit
        if cursor is not None:
            size = adapters.MAX_PAGE if limit is None else min(limit, adapters.MAX_PAGE)
            found += islice(search(limit=size, cursor=cursor or None), end)
        return found[surplus:end]


@contextmanager
def _raising(message: str) -> Iterator[None]:
    """Turns the refusal of a document that exists, or does not, into SessionException."""
    try:
        yield
    except APIError as error:
        if adapters.is_mismatch(error):
            raise SessionException(message) from error
        raise
