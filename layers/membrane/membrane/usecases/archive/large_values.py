"""Load the large values of one line of an export."""

from collections.abc import Collection

from membrane.domain.archive.lines import MAX_LINE_BYTES
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.values import LargeValue
from membrane.usecases.ports.records import RecordStore

TOO_LONG = f"the line would exceed {MAX_LINE_BYTES} bytes"


def load_values(wanted: Collection[LargeValue], records: RecordStore) -> dict[LargeValue, bytes]:
    """The JSON texts of the values; raises TooLarge, before any value is loaded."""
    if sum(large.size for large in wanted) > MAX_LINE_BYTES:
        raise TooLarge(TOO_LONG)
    return {large: records.value(large) for large in wanted}
