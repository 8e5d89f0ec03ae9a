"""What speaks against a record now: since it came to be contested, not before that."""

from membrane.domain.language.timestamps import NOT_GIVEN, is_before
from membrane.domain.records.predicates import CONTESTED_BY
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_contested, state_of


def last_contesting(record: MemoryRecord) -> str | None:
    """The id of the record that contested it last; None where what did is no record.

    What spoke against it in a contest that was resolved has had its answer.
    """
    if not is_contested(record.payload):
        return None
    since = state_of(record.payload).since or NOT_GIVEN
    last, last_at = None, since
    for relation in record.relations:
        at = relation.created_at or NOT_GIVEN
        if relation.predicate == CONTESTED_BY and not is_before(at, last_at):
            last, last_at = relation.target_id, at
    return last
