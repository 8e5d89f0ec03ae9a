"""API keys: shown once, stored as a digest, opening what their principal may do while they live."""

from datetime import timedelta
from itertools import count

import pytest

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.usecases.access.api_keys import (
    NewKey,
    authenticate,
    create_key,
    digest_of,
    revoke_key,
)
from membrane.usecases.ports.keys import ApiKey
from tests.builders.requests import ALPHA, OWNER
from tests.fakes.clock import MORNING, FakeClock
from tests.fakes.keys import FakeKeys

_secrets = count(1)


@pytest.fixture
def keys() -> FakeKeys:
    """No keys yet."""
    return FakeKeys()


def created(keys: FakeKeys, clock: FakeClock, lifetime: timedelta | None = None) -> NewKey:
    """A new key of a limited principal."""
    return create_key(
        ALPHA, lifetime, keys=keys, now=clock(), new_secret=lambda: f"secret-{next(_secrets)}"
    )


def opens(made: NewKey, keys: FakeKeys, clock: FakeClock) -> bool:
    """Whether the key opens what its principal may do."""
    found = authenticate(f"Bearer {made.secret}", keys=keys, now=clock())
    assert found in (None, ALPHA)
    return found is not None


def test_a_new_key_opens_what_its_principal_may_do(keys: FakeKeys, clock: FakeClock) -> None:
    assert opens(created(keys, clock), keys, clock)


def test_the_secret_of_a_key_is_stored_nowhere(keys: FakeKeys, clock: FakeClock) -> None:
    made = created(keys, clock)

    assert made.secret not in repr(keys)
    assert made.key.digest == digest_of(made.secret)
    assert len(made.key.digest) == 64


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer unknown",
        "Bearerx {}",
        "Bearer\t{}",
        "Basic {}",
        "{}",
        " Bearer {}",
        "Bearer {} ",
    ],
)
def test_nothing_but_the_key_itself_opens_anything(
    keys: FakeKeys, clock: FakeClock, authorization: str
) -> None:
    made = created(keys, clock)

    assert authenticate(authorization.format(made.secret), keys=keys, now=clock()) is None


def test_the_digest_of_a_key_is_no_key(keys: FakeKeys, clock: FakeClock) -> None:
    made = created(keys, clock)

    assert authenticate(f"Bearer {made.key.digest}", keys=keys, now=clock()) is None


def test_a_key_opens_nothing_from_the_end_of_its_life_on(keys: FakeKeys, clock: FakeClock) -> None:
    made = created(keys, clock, timedelta(days=1))

    clock.now = MORNING + timedelta(days=1, microseconds=-1)
    assert opens(made, keys, clock)
    clock.now = MORNING + timedelta(days=1)
    assert not opens(made, keys, clock)


def test_a_revoked_key_opens_nothing(keys: FakeKeys, clock: FakeClock) -> None:
    made, other = created(keys, clock), created(keys, clock)

    revoked = revoke_key(made.key.key_id, keys=keys, now=clock())

    assert revoked.digest == made.key.digest
    assert not opens(made, keys, clock)
    assert opens(other, keys, clock)


def test_keys_are_listed_live_or_not(keys: FakeKeys, clock: FakeClock) -> None:
    made = []
    for _ in range(3):
        made.append(created(keys, clock, timedelta(seconds=90)).key.digest)
        clock.advance(minutes=1)
    revoke_key(made[1], keys=keys, now=clock())

    listed = keys.list_keys()

    assert [key.digest for key in listed] == made
    assert [key.is_live(clock()) for key in listed] == [False, False, True]


@pytest.mark.parametrize("key_id", ["", "0", "g"])
def test_an_id_that_no_key_has_revokes_nothing(
    keys: FakeKeys, clock: FakeClock, key_id: str
) -> None:
    keys.add(ApiKey("1" * 64, OWNER, MORNING))

    with pytest.raises(NotFound):
        revoke_key(key_id, keys=keys, now=clock())

    assert [key.revoked_at for key in keys.list_keys()] == [None]


def test_an_id_that_several_keys_have_revokes_none(keys: FakeKeys, clock: FakeClock) -> None:
    for digest in ("ab" + "1" * 62, "ab" + "2" * 62):
        keys.add(ApiKey(digest, OWNER, MORNING))

    with pytest.raises(InvalidArgument, match="2 keys"):
        revoke_key("ab", keys=keys, now=clock())

    assert [key.revoked_at for key in keys.list_keys()] == [None, None]


@pytest.mark.parametrize("actor", ["feeding", "reason"])
def test_no_key_is_made_for_an_actor_that_the_service_is_named_by(
    actor: str, keys: FakeKeys, clock: FakeClock
) -> None:
    posing = ALPHA._replace(actor_id=actor)

    with pytest.raises(InvalidArgument, match="the service's own"):
        create_key(posing, None, keys=keys, now=clock(), new_secret=lambda: "secret")

    assert not keys.list_keys()


def test_no_key_is_made_for_an_actor_of_access_tokens(keys: FakeKeys, clock: FakeClock) -> None:
    posing = ALPHA._replace(actor_id="oidc:ana")

    with pytest.raises(InvalidArgument, match="oidc:"):
        create_key(posing, None, keys=keys, now=clock(), new_secret=lambda: "secret")

    assert not keys.list_keys()


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "Bearer  "])
def test_the_name_of_the_scheme_has_no_case_and_blanks_may_follow(
    keys: FakeKeys, clock: FakeClock, scheme: str
) -> None:
    made = created(keys, clock)

    assert authenticate(f"{scheme}{made.secret}", keys=keys, now=clock()) == made.key.principal
