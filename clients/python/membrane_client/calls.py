"""The calls of both clients: the operations and the verbs."""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar, Unpack, overload

from membrane_client import chat as chats
from membrane_client import jobs, verbs
from membrane_client.core.sync_and_async import following, listing, operation, streaming
from membrane_client.operations import Operations, Routes
from membrane_client.operations.parameters import Write
from membrane_client.values.records import MemoryRecord

D_co = TypeVar("D_co", covariant=True)
E_co = TypeVar("E_co", covariant=True)


class Forget(Protocol, Generic[D_co, E_co]):
    """The two calls of `forget`; `D_co` is the result for a record, `E_co` for a target."""

    @overload
    def __call__(
        self, record_id: str, *, why: str, erase: bool = False, **more: Unpack[Write]
    ) -> D_co: ...

    @overload
    def __call__(
        self,
        *,
        wait_seconds: float = ...,
        on_progress: jobs.Watching | None = None,
        **more: Unpack[jobs.Target],
    ) -> E_co: ...


class Calls(Operations):
    """The calls of both clients."""

    remember = operation(verbs.remember)
    add = operation(verbs.add)
    capture = operation(verbs.capture)
    recall = operation(verbs.recall)
    graph = operation(verbs.graph)
    outcome = operation(verbs.outcome)
    correct = operation(verbs.correct)
    forget: Any = operation(jobs.forget)  # a client has the types of the two calls
    history = operation(verbs.history)
    get_all = listing(verbs.get_all, MemoryRecord)
    retrieve_with_selection = Operations.retrieve  # Membrane's name for a retrieval

    erasure = operation(jobs.erasure)
    certificate = operation(jobs.certificate)
    study = Operations.start_study
    study_steps = following(jobs.study_steps)
    entities = Operations.list_entities
    entity = Operations.read_entity
    mentions = Operations.list_mentions
    consolidations = Operations.list_consolidations

    chat = operation(chats.chat)
    chat_stream = streaming(chats.chat_stream)

    _api: Routes

    @property
    def consistency_tokens(self) -> Sequence[str]:
        """The tokens of the newest 100 records written in the last minute, the newest first.

        A second client's retrieval with the tokens sees the records.
        """
        return self._api.record_tokens.newest()
