"""The credit of a record as an attribute of the record's own item."""

from collections.abc import Mapping

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.stored import CreditSummary, StoredRecord
from membrane.domain.records.usefulness import CreditLedger
from membrane.table import keys as table_keys
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Value,
    parse_text,
    read_text,
    read_word,
    text,
)

CREDIT = "credit"

CREDITED = (*KEY_ATTRIBUTES, "scope", "sensitivity", "deleted_at", CREDIT)
"""The attributes of a record's own item that `credited_in` reads."""


def credit_attribute(stored: StoredRecord) -> Mapping[str, Value]:
    """The attribute; none for a record without credit."""
    return {} if stored.credit is None else {CREDIT: text(compact_json(stored.credit.as_json()))}


def credit_in(own: Item) -> CreditLedger | None:
    """The credit of a record; raises CorruptItem for a damaged attribute."""
    if CREDIT not in own:
        return None
    fields = parse_text(own, CREDIT, read_text(own, CREDIT), dict)
    try:
        return CreditLedger.of_json(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptItem(own, "credit is not a ledger of ours") from error


def credited_in(own: Item) -> CreditSummary:
    """The summary of an item with credit."""
    return CreditSummary(
        table_keys.record_id_of(own),
        read_text(own, "scope") if "scope" in own else "",
        read_word(own, "sensitivity", Sensitivity),
        credit_in(own) or CreditLedger(),
    )
