"""API keys: found by their digest, listed by age, revoked once and for all."""

from datetime import timedelta

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.table.items import LostRace
from membrane.usecases.ports.keys import ApiKey
from tests.builders.generated_records import SCOPES
from tests.fakes.clock import MORNING
from tests.worlds.stores import Store

PRINCIPAL = principal_of("agent:1", ["ingest", "read"], ["project:alpha", "b"], "medium")


def key(number: int = 1, principal: Principal = PRINCIPAL) -> ApiKey:
    """A key made so many minutes after this morning."""
    return ApiKey(f"{number:064x}", principal, MORNING + timedelta(minutes=number))


def test_a_key_is_found_by_its_digest(store: Store) -> None:
    store.keys.add(key(1))

    assert store.keys.find(key(1).digest) == key(1)
    assert store.keys.find(key(2).digest) is None


@pytest.mark.parametrize(
    "principal",
    [
        principal_of("*", list(Permission), ["*"], Sensitivity.HYPER),
        principal_of("Ünïcødé 🧠", ["admin"], [scope for scope in SCOPES if scope], "public"),
        principal_of("a", ["ingest"], ["z", "a", "m"], "low"),
        principal_of("a", ["read"], ["t:*"], "low", user_prefix="t:user:", user_required=True),
        principal_of("a", ["read"], ["*"], "low", user_prefix="Ü:"),
    ],
    ids=["everything", "every scope", "scopes in their order", "users", "users if named"],
)
def test_a_key_keeps_its_principal_as_it_is(store: Store, principal: Principal) -> None:
    store.keys.add(key(principal=principal))

    found = store.keys.find(key().digest)

    assert found is not None
    assert found.principal == principal


def test_keys_are_listed_oldest_first_whatever_their_digests(store: Store) -> None:
    ages = (5, 3, 9, 1)
    for age in ages:
        made = MORNING + timedelta(days=age)
        store.keys.add(ApiKey(f"{10 - age:064x}", PRINCIPAL, made))

    listed = store.keys.list_keys()

    assert [found.created_at for found in listed] == [
        MORNING + timedelta(days=age) for age in sorted(ages)
    ]


def test_a_store_without_keys_lists_none(store: Store) -> None:
    assert list(store.keys.list_keys()) == []


def test_an_expired_key_is_still_found_and_listed_as_expired(store: Store) -> None:
    end = MORNING + timedelta(days=1, microseconds=1)
    expiring = ApiKey("a" * 64, PRINCIPAL, MORNING, expires_at=end)

    store.keys.add(expiring)

    found = store.keys.find("a" * 64)
    assert found == expiring
    assert found.is_live(end - timedelta(microseconds=1))
    assert not found.is_live(end)
    assert list(store.keys.list_keys()) == [expiring]


def test_the_first_revocation_of_a_key_stands(store: Store) -> None:
    store.keys.add(key())

    store.keys.revoke(key().digest, MORNING + timedelta(days=1))
    store.keys.revoke(key().digest, MORNING + timedelta(days=2))

    found = store.keys.find(key().digest)
    assert found is not None
    assert found.revoked_at == MORNING + timedelta(days=1)
    assert not found.is_live(MORNING)


def test_a_key_that_was_never_made_cannot_be_revoked(store: Store) -> None:
    with pytest.raises(NotFound):
        store.keys.revoke("f" * 64, MORNING)

    assert store.keys.find("f" * 64) is None
    assert list(store.keys.list_keys()) == []


def test_all_keys_lie_in_the_one_partition_that_only_few_may_touch(table: Store) -> None:
    for number in range(3):
        table.keys.add(key(number))

    assert {item["pk"]["S"] for item in table.everything()} == {"keys"}


def test_a_key_is_never_written_over_another(store: Store) -> None:
    store.keys.add(key(1))

    with pytest.raises(LostRace):
        store.keys.add(key(1, principal_of("other", ["admin"], ["*"], "hyper")))

    assert store.keys.find(key(1).digest) == key(1)
