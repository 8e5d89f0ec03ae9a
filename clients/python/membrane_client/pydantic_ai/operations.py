"""Writes and deletions that are done once for an operation, and their receipts.

The service keeps a receipt of each operation: the receipt names the version that the operation
made. A written version has the fingerprint of the operation in the value, a deletion has a digest
of the fingerprint in the rationale.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from pydantic_ai_harness.memory import MemoryMutation, MemoryOperation, MemoryOperationConflictError

from membrane_client.client import AsyncMembrane
from membrane_client.core.adapters import Place
from membrane_client.core.protocol import NOT_GIVEN
from membrane_client.errors import Conflict, unless_absent
from membrane_client.pydantic_ai.files import identity_of, rationale_of
from membrane_client.values.documents import DeletedDocument, WrittenDocument

VERSIONS_WITH_RECEIPTS: Final = 16
"""The newest writes of a document, whose receipts the service keeps."""

RECEIPT_SECONDS: Final = 400 * 86_400
"""How long the receipt of a deletion without a file is kept; that of a write: `TombstoneDays`."""

_DELETIONS: Final = "~deletions"
"""Below the root: receipts of deletions without a file. No segment of a path has a tilde."""


class Operations:
    """The writes of one store."""

    def __init__(self, client: AsyncMembrane, root: tuple[str, ...], scope: str | None) -> None:
        self._client = client
        self._root = root
        self._scope = scope
        usual = client._api.usual_scope(NOT_GIVEN)  # noqa: SLF001 - of calls without a scope
        self._store = [usual if scope is None else scope, *root]

    async def put(
        self,
        place: Place,
        value: Mapping[str, Any],
        expected_version: int,
        operation: MemoryOperation | None,
    ) -> WrittenDocument:
        return await self._client.put_document(
            *place,
            value,
            scope=self._scope,
            expected_version=expected_version,
            operation_id=self._optional_id(operation),
        )

    async def delete(
        self, place: Place, expected_version: int, operation: MemoryOperation | None
    ) -> DeletedDocument:
        return await self._client.delete_document(
            *place,
            scope=self._scope,
            expected_version=expected_version,
            rationale=None if operation is None else rationale_of(operation),
            operation_id=self._optional_id(operation),
        )

    async def note_deletion(self, operation: MemoryOperation) -> bool:
        """Keep that the operation found no file to delete; True if noted before."""
        operation_id = self._id_of(operation)
        noted = await self._client.put_document(
            (*self._root, _DELETIONS),
            operation_id,
            {"operation": identity_of(operation)},
            scope=self._scope,
            ttl_seconds=RECEIPT_SECONDS,
            operation_id=operation_id,
        )
        return noted.replayed

    async def result_of(self, operation: MemoryOperation) -> MemoryMutation | None:
        """The result of the operation; None for an operation that did not take place.

        Raises MemoryOperationConflictError for another fingerprint, and for a fingerprint that was
        erased together with the content.
        """
        receipt = await unless_absent(self._client.read_operation(self._id_of(operation)))
        if receipt is None:
            return None
        place = Place(tuple(receipt.namespace), receipt.key)
        value = await self._value_at(place, receipt.version)
        if value is None:
            await self._require_same_deletion(place, receipt.version, operation)
            return MemoryMutation(version=None, replayed=True, existed=True)
        if value.get("operation") != identity_of(operation):
            raise _conflict(operation)
        if self.is_receipt(place.namespace):
            return MemoryMutation(version=None, replayed=True, existed=False)
        return MemoryMutation(version=str(receipt.version), replayed=True, existed=receipt.existed)

    def is_receipt(self, namespace: Sequence[str]) -> bool:
        return [*namespace] == [*self._root, _DELETIONS]

    async def _value_at(self, place: Place, version: int) -> Mapping[str, Any] | None:
        """The value of a version; None for a deletion, and for an erased version."""
        document = await unless_absent(
            self._client.get_document(*place, scope=self._scope, history=VERSIONS_WITH_RECEIPTS)
        )
        if document is None:
            return None
        values = {each.version: each.value for each in document.history}
        values[document.version] = document.value
        value: Mapping[str, Any] | None = values.get(version)
        return value

    async def _require_same_deletion(
        self, place: Place, version: int, operation: MemoryOperation
    ) -> None:
        """Raises MemoryOperationConflictError unless the operation made the version, a deletion.

        The request of the operation is sent once more. The service answers the same request as
        before and refuses another; no document has the expected version again.
        """
        try:
            await self.delete(place, version - 1, operation)
        except Conflict as error:
            raise _conflict(operation) from error

    def _optional_id(self, operation: MemoryOperation | None) -> str | None:
        return None if operation is None else self._id_of(operation)

    def _id_of(self, operation: MemoryOperation) -> str:
        """The service's id: stores may each have an operation with the same id."""
        return sha256(json.dumps([*self._store, operation.id]).encode()).hexdigest()


def _conflict(operation: MemoryOperation) -> MemoryOperationConflictError:
    return MemoryOperationConflictError(
        f"operation id {operation.id!r} was reused with different arguments"
    )
