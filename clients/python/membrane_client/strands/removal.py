"""The removal of documents: erased where the key may erase, else deleted."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from membrane_client.client import Membrane
from membrane_client.core.adapters import MAX_OPERATIONS, Place, refusal_of
from membrane_client.values.documents import DocumentResult


def operation_on(place: Place, word: str, **fields: Any) -> dict[str, Any]:
    """An operation of a batch on the document."""
    return {"op": word, "namespace": [*place.namespace], "key": place.key, **fields}


class Removal:
    """Removes documents by batches.

    `erase` True erases former versions, too, and needs `admin`; False keeps former versions for the
    deployment's `TombstoneDays`; None erases where the key may, and else deletes.
    """

    def __init__(self, client: Membrane, *, erase: bool | None) -> None:
        self._client = client
        self._erase = erase

    def remove(self, places: Sequence[Place]) -> None:
        """Remove all documents; an absent document is no error.

        Raises the error of the first document that the service does not remove.
        """
        for start in range(0, len(places), MAX_OPERATIONS):
            left: Sequence[Place] = places[start : start + MAX_OPERATIONS]
            while left:
                left = self._remove_some(left)

    def _remove_some(self, places: Sequence[Place]) -> Sequence[Place]:
        """The places that one batch had no time for."""
        done = self._delete(places, erase=self._erase is not False)
        forbidden = [place for place, each in done if each.status == HTTPStatus.FORBIDDEN]
        if forbidden and self._erase is None:
            _require(self._delete(forbidden, erase=False))
            self._erase = False
            done = [pair for pair in done if pair[1].status != HTTPStatus.FORBIDDEN]
        late = [place for place, each in done if each.status == HTTPStatus.SERVICE_UNAVAILABLE]
        is_under_way = len(late) < len(done)
        _require([pair for pair in done if not (is_under_way and pair[0] in late)])
        return late

    def _delete(
        self, places: Sequence[Place], *, erase: bool
    ) -> Sequence[tuple[Place, DocumentResult]]:
        operations = [operation_on(each, "delete", erase=erase) for each in places]
        return [*zip(places, self._client.batch_documents(operations), strict=True)]


def _require(done: Sequence[tuple[Place, DocumentResult]]) -> None:
    """Raises the first error."""
    for _, each in done:
        if error := refusal_of(each):
            raise error
