"""Lines of an export, or in their place a line about a damaged item."""

from collections.abc import Callable, Iterable, Iterator

from membrane.domain.archive.lines import MAX_LINE_BYTES, LineKind, encode_line
from membrane.domain.language.errors import Aborted, TooLarge
from membrane.usecases.archive.large_values import TOO_LONG
from membrane.usecases.machinery.retries import TRANSIENT

ExportLine = tuple[LineKind, bytes]

UNREADABLE = "unreadable"


def damaged_line(name: str, reason: str) -> ExportLine:
    line = {"kind": LineKind.DAMAGED, "id": name, "reason": reason}
    return LineKind.DAMAGED, encode_line(line)


def lines_or_damage(
    name: str, make: Callable[[], Iterable[ExportLine]], *, names_damage: bool
) -> Iterator[ExportLine]:
    """The lines of the item with the name; of a damaged item, a line about the damage.

    Without `names_damage`, a damaged item has no line. Raises TRANSIENT errors and Aborted.
    """
    found: list[ExportLine] = []
    try:
        found = [*make()]
        reason = TOO_LONG if any(len(line) > MAX_LINE_BYTES for _, line in found) else None
    except (*TRANSIENT, Aborted):
        raise
    except TooLarge as error:
        reason = str(error)
    except Exception:  # noqa: BLE001 - one damaged item must not end every run at this item
        reason = UNREADABLE
    if reason is None:
        yield from found
    elif names_damage:
        yield damaged_line(name, reason)
