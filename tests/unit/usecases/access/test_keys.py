"""Keys kept in an execution environment: for a limited time, in limited number, live keys alone."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.access.api_keys import KEPT_FOR, MAX_KEYS, KeptKeys, revoke_key
from membrane.usecases.ports.keys import ApiKey
from tests.builders.requests import ALPHA
from tests.fakes.clock import FakeClock, FakeKeys
from tests.worlds.template import resources


@dataclass(slots=True)
class CountedKeys:
    """A KeyFinder that remembers the looked-up digests."""

    keys: dict[str, ApiKey] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)

    def find(self, digest: str) -> ApiKey | None:
        """See KeyFinder."""
        self.looked_up.append(digest)
        return self.keys.get(digest)


@pytest.fixture
def stored() -> CountedKeys:
    return CountedKeys()


@pytest.fixture
def kept(stored: CountedKeys, clock: FakeClock) -> KeptKeys:
    return KeptKeys(stored, clock)


def add(
    stored: CountedKeys,
    clock: FakeClock,
    digest: str = "a" * 64,
    *,
    expires_at: datetime | None = None,
    revoked_at: datetime | None = None,
) -> str:
    """Store a key; the digest."""
    stored.keys[digest] = ApiKey(digest, ALPHA, clock(), expires_at, revoked_at)
    return digest


def test_a_live_key_is_looked_up_once(
    kept: KeptKeys, stored: CountedKeys, clock: FakeClock
) -> None:
    digest = add(stored, clock)

    kept.find(digest)
    clock.advance(seconds=299)

    assert kept.find(digest) == stored.keys[digest]
    assert stored.looked_up == [digest]


def test_a_revoked_key_ends_after_300_seconds(
    kept: KeptKeys, stored: CountedKeys, clock: FakeClock
) -> None:
    digest = add(stored, clock)
    kept.find(digest)
    add(stored, clock, revoked_at=clock())

    clock.advance(seconds=300)

    found = kept.find(digest)
    assert found is not None
    assert not found.is_live(clock())


def test_a_clock_that_was_set_back_ends_the_keeping(
    kept: KeptKeys, stored: CountedKeys, clock: FakeClock
) -> None:
    digest = add(stored, clock)
    kept.find(digest)

    clock.advance(seconds=-1)
    kept.find(digest)

    assert stored.looked_up == [digest, digest]


def test_keys_are_kept_as_long_as_the_answers_of_the_authorizer() -> None:
    (api,) = resources("AWS::Serverless::HttpApi").values()
    identity = api["Auth"]["Authorizers"]["ApiKey"]["Identity"]

    assert timedelta(seconds=identity["ReauthorizeEvery"]) == KEPT_FOR


def test_an_unknown_key_is_not_kept(kept: KeptKeys, stored: CountedKeys, clock: FakeClock) -> None:
    assert kept.find("a" * 64) is None

    digest = add(stored, clock)

    assert kept.find(digest) is not None


def test_a_key_without_life_is_not_kept(
    kept: KeptKeys, stored: CountedKeys, clock: FakeClock
) -> None:
    digest = add(stored, clock, expires_at=clock())

    kept.find(digest)
    kept.find(digest)

    assert stored.looked_up == [digest, digest]


def test_the_key_read_longest_ago_makes_room(
    kept: KeptKeys, stored: CountedKeys, clock: FakeClock
) -> None:
    digests = [add(stored, clock, f"{number:064}") for number in range(MAX_KEYS + 1)]
    for digest in digests:
        kept.find(digest)
    stored.looked_up.clear()

    for digest in (*digests[1:], digests[0]):
        kept.find(digest)

    assert stored.looked_up == [digests[0]]


def test_an_id_that_several_keys_have_revokes_none(clock: FakeClock) -> None:
    keys = FakeKeys()
    for digest in ("ab" + "1" * 62, "ab" + "2" * 62):
        keys.add(ApiKey(digest, ALPHA, clock()))

    with pytest.raises(InvalidArgument, match="2 keys"):
        revoke_key("ab", keys=keys, now=clock())

    assert [key.revoked_at for key in keys.list_keys()] == [None, None]
