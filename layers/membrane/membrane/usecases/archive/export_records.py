"""The lines of an export about records."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from membrane.domain.archive.lines import LineKind, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, large_values_of, record_line
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.archive.damaged_lines import ExportLine, lines_or_damage
from membrane.usecases.archive.large_values import load_values
from membrane.usecases.ports.archive import KeyedRecord, NextTurn
from membrane.usecases.ports.services_archive import ArchiveServices

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject


def lines_of_record(held: AnyRecord, services: ArchiveServices) -> Iterator[ExportLine]:
    """The line of a record that was loaded whole, with the values that are in the bucket."""

    def make() -> Iterator[ExportLine]:
        values = load_values(large_values_of(held), services.records)
        line = record_line(ArchivedRecord(held, values))
        yield LineKind(line["kind"]), encode_line(line)

    yield from lines_or_damage(held.id, make, names_damage=True)


def line_of_receipt(keyed: KeyedRecord) -> ExportLine:
    line: JsonObject = {
        "kind": LineKind.RECEIPT,
        "keyed_id": keyed.receipt.keyed_id,
        "record_id": keyed.record_id,
        "fingerprint": keyed.receipt.fingerprint.hex(),
    }
    return LineKind.RECEIPT, encode_line(line)


def line_of_thread(thread: NextTurn) -> ExportLine:
    line = {"kind": LineKind.THREAD, "key": thread.key.hex(), "next_turn": thread.turn}
    return LineKind.THREAD, encode_line(line)
