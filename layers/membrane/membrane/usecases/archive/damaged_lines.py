"""Lines of an export, or in their place a line about a damaged item."""

from collections.abc import Callable, Iterable, Iterator

from membrane.domain.archive.lines import MAX_LINE_BYTES, LineKind, encode_line
from membrane.domain.language.errors import Aborted
from membrane.usecases.machinery.retries import TRANSIENT

ExportLine = tuple[LineKind, bytes]

UNREADABLE = "unreadable"


def damaged_line(name: str, reason: str) -> ExportLine:
    line = {"kind": LineKind.DAMAGED, "id": name, "reason": reason}
    return LineKind.DAMAGED, encode_line(line)


def undamaged_lines(
    name: str, make: Callable[[], Iterable[ExportLine]], *, names_damage: bool
) -> Iterator[ExportLine]:
    """The lines of the item with the name; of a damaged item, a line about the damage.

    Without `names_damage`, a damaged item has no line. Raises TRANSIENT errors and Aborted.
    """
    try:
        found = [*make()]
    except (*TRANSIENT, Aborted):
        raise
    except Exception:  # noqa: BLE001 - one damaged item must not end every run at this item
        found = [damaged_line(name, UNREADABLE)] if names_damage else []
    if any(len(line) > MAX_LINE_BYTES for _, line in found):
        found = [damaged_line(name, f"the line would exceed {MAX_LINE_BYTES} bytes")]
    yield from found
