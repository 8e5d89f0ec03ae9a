"""The removal of documents: erased where the key may erase, else deleted."""

from collections.abc import Iterator, Sequence
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
        self._erases = erase is not False
        self._may_fall_back = erase is None

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
        results = self._delete(places, erase=self._erases)
        forbidden = [*_with_status(HTTPStatus.FORBIDDEN, places, results)]
        if forbidden and self._erases and self._may_fall_back:
            _require(self._delete(forbidden, erase=False))
            self._erases = False
            results = [each for each in results if each.status != HTTPStatus.FORBIDDEN]
            places = [each for each in places if each not in forbidden]
        late = [*_with_status(HTTPStatus.SERVICE_UNAVAILABLE, places, results)]
        is_under_way = len(late) < len(places)
        _require([each for each in results if not (is_under_way and _is_late(each))])
        return late

    def _delete(self, places: Sequence[Place], *, erase: bool) -> Sequence[DocumentResult]:
        return self._client.batch_documents(
            [operation_on(each, "delete", erase=erase) for each in places]
        )


def _with_status(
    status: HTTPStatus, places: Sequence[Place], results: Sequence[DocumentResult]
) -> Iterator[Place]:
    return (place for place, each in zip(places, results, strict=True) if each.status == status)


def _is_late(result: DocumentResult) -> bool:
    return result.status == HTTPStatus.SERVICE_UNAVAILABLE


def _require(results: Sequence[DocumentResult]) -> None:
    """Raises the first error."""
    for each in results:
        if error := refusal_of(each):
            raise error
