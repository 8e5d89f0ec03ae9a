"""A world: a part is made when first asked for, and copies share what they do not replace."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.wiring.world import World
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock

ENVIRONMENT = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}


def test_a_given_part_serves_the_parts_that_are_made_of_it() -> None:
    policy, blobs = PolicyDefaults(prune_threshold=0.2), FakeBlobs()

    world = World(environment=ENVIRONMENT, policy=policy, blobs=blobs)

    assert (world.codec.prune_threshold, world.codec.blobs) == (0.2, blobs)


def test_a_copy_shares_every_part_that_it_does_not_replace_also_parts_that_are_made_later() -> None:
    world, clock = World(environment=ENVIRONMENT), FakeClock()

    copy = world.but(now=clock).but(policy=PolicyDefaults(prune_threshold=0.2))

    assert (copy.now, world.now) != (world.now, clock)
    assert copy.records is world.records
    assert world.codec.prune_threshold == PolicyDefaults().prune_threshold


def test_threads_that_ask_for_a_part_at_once_get_the_same_part() -> None:
    world = World(environment=ENVIRONMENT)

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: world.but().records, range(8)))

    assert all(each is world.records for each in made)


def test_a_part_that_no_world_has_is_refused() -> None:
    with pytest.raises(TypeError, match="there is no part clok"):
        World(environment=ENVIRONMENT, clok=FakeClock())
