"""Fences in DynamoDB: a single partition, an item per erasure of a scope."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from membrane.domain.language.errors import ScopeFenced
from membrane.table.dynamo import OverTable
from membrane.table.items import Client, Item, LostRace, Value, Write, lost_race, read_text, text
from membrane.table.keys import FENCES, primary_key

OPEN = "erasures-open"
"""The partition of the due index with the erasures under way."""

CERTIFICATE = "certificate"
"""The sort key, and the attribute, of the signed certificate."""


def erasure_key(erasure_id: str, place: str) -> dict[str, Value]:
    return primary_key(f"erasure#{erasure_id}", place)


def job_key(erasure_id: str) -> dict[str, Value]:
    return erasure_key(erasure_id, "job")


def part_key(erasure_id: str, part: int) -> dict[str, Value]:
    """The key of a list of findings."""
    return erasure_key(erasure_id, f"found#{part:010d}")


def erasure_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix("erasure#")


FENCE_PERIOD_S = 5.0
"""Seconds for which a writer may rely on the fences that it read."""


class DynamoFences:
    """Fences over one table; a Query reads all fences, at most every FENCE_PERIOD_S.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def __init__(self, client: Client, table: str, elapsed_s: Callable[[], float]) -> None:
        self._table = OverTable(client, table)
        self._elapsed_s = elapsed_s
        self._known: tuple[float, Mapping[str, str]] | None = None

    def require_open(self, scopes: Collection[str]) -> None:
        """Raise ScopeFenced if a scope has a fence; a new fence is seen after FENCE_PERIOD_S."""
        fenced = self._fences()
        for scope in scopes:
            if scope in fenced:
                raise ScopeFenced(
                    f"the scope is being erased (erasure {fenced[scope]}): try again later"
                )

    def put(self, scope: str, erasure_id: str) -> None:
        """Fence the scope for the erasure; repeatable. Raises LostRace if the erasure is done.

        One transaction, which requires the job of the erasure to be under way.
        """
        item = _key(erasure_id) | {"scope": text(scope)}
        is_open = Write(
            "ConditionCheck", lost_race, "attribute_exists(due_pk)", key=job_key(erasure_id)
        )
        self._table.commit_all(is_open, Write("Put", lost_race, item=item))
        self._known = None

    def remove(self, erasure_id: str) -> None:
        """Remove the fence of the erasure; the fence of a second erasure of the scope stays."""
        with suppress(LostRace):
            delete = Write("Delete", lost_race, "attribute_exists(pk)", key=_key(erasure_id))
            self._table.commit_all(delete)
        self._known = None

    def _fences(self) -> Mapping[str, str]:
        now_s = self._elapsed_s()
        if self._known is None or now_s - self._known[0] > FENCE_PERIOD_S:
            self._known = now_s, self._read()
        return self._known[1]

    def _read(self) -> Mapping[str, str]:
        found = self._table.query("pk = :pk", {":pk": text(FENCES)})
        return {read_text(item, "scope"): read_text(item, "sk") for item in found}


def _key(erasure_id: str) -> dict[str, Value]:
    return primary_key(FENCES, erasure_id)
