"""The use of a record reinforces the entities of the record, in one transaction on every store."""

from membrane.domain.lifecycle.requests import Reinforce
from tests.builders.captures import captured
from tests.builders.entities import add_entity
from tests.builders.requests import change
from tests.worlds.metering import meter, spent_by
from tests.worlds.revision import revising
from tests.worlds.stores import Store


def test_both_are_written_at_once_and_an_entity_used_today_costs_its_read_alone(
    table: Store,
) -> None:
    services = revising(table)
    bob = add_entity("Bob", services)
    capture_id = captured("Bob said so", services)["primary_record"]["id"]
    table.clock.advance(days=3)
    spent = meter(table.client)

    first, again = (
        spent_by(lambda: change(Reinforce(id=capture_id), services), spent) for _ in range(2)
    )

    held = table.records.load_each([bob.id, capture_id])
    assert [each.action for each in held[bob.id].trail] == ["create", "reinforce"]
    assert [each.action for each in held[capture_id].trail] == ["create", "reinforce", "reinforce"]
    assert (first.requests, again.requests) == (3, 3)
    assert again.write_units < first.write_units
