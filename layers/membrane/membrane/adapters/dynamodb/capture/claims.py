"""Claims of workers to interpret a capture, in DynamoDB: an item a capture, removed by TTL."""

from dataclasses import dataclass

from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.dynamo import OverTable
from membrane.table.items import Item, Value, number, text
from membrane.table.keys import primary_key
from membrane.table.writes import Write
from membrane.usecases.ports.surroundings import Clock

_TAKE = "SET claimed_by = :worker, claimed_until = :until, expires_at = :expiry"
_IS_FREE = "attribute_not_exists(claimed_by) OR claimed_by = :worker OR claimed_until <= :now"


class _Refused(Exception):
    """Another worker has the claim."""


@dataclass(frozen=True, slots=True)
class DynamoClaims(OverTable):
    """Claims over one table. May raise ResourceExhausted or Unavailable."""

    now: Clock

    def take(self, record_id: str, worker: str, seconds: int) -> bool:
        """Claim the capture for a time; False while the claim of a different worker stands.

        A repeat by the same worker renews the claim. A conditional update.
        """
        now_s = epoch_seconds(self.now())
        until_s = now_s + seconds
        values = {
            ":worker": text(worker),
            ":now": number(now_s),
            ":until": number(until_s),
            ":expiry": number(int(until_s) + 1),
        }
        return self._write(
            Write("Update", _refusal, _IS_FREE, key=_key(record_id), update=_TAKE, values=values)
        )

    def release(self, record_id: str, worker: str) -> None:
        """End the claim of the worker, and of no different worker.

        A conditional update; TTL removes the item.
        """
        values = {":worker": text(worker), ":ended": number(0)}
        is_own, end = "claimed_by = :worker", "SET claimed_until = :ended"
        self._write(
            Write("Update", _refusal, is_own, key=_key(record_id), update=end, values=values)
        )

    def _write(self, write: Write) -> bool:
        """Whether the condition held."""
        try:
            self.commit_all(write)
        except _Refused:
            return False
        return True


def _refusal(_item: Item) -> Exception:
    return _Refused()


def _key(record_id: str) -> dict[str, Value]:
    return primary_key("interpreter-claims", record_id)
