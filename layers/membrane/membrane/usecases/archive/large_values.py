"""Load the large values of one line of an export."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from membrane.domain.archive.lines import MAX_LINE_BYTES
from membrane.domain.language.errors import TooLarge
from membrane.domain.language.values import LargeValue

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


TOO_LONG = f"the line would exceed {MAX_LINE_BYTES} bytes"


def load_values(
    wanted: Collection[LargeValue], records: "DynamoRecords"
) -> dict[LargeValue, bytes]:
    """The JSON texts of the values; raises TooLarge, before any value is loaded."""
    if sum(large.size for large in wanted) > MAX_LINE_BYTES:
        raise TooLarge(TOO_LONG)
    return {large: records.value(large) for large in wanted}
