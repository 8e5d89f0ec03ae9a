"""What reads the counters is put together over the services that all have."""

import pytest

from membrane.wiring.metrics import counting_services
from membrane.wiring.services import serving
from tests.fakes.world import make_reading_services, make_services


def test_what_serves_in_its_place_is_taken() -> None:
    replacement = make_reading_services()

    with serving(replacement):
        assert counting_services() is replacement


def test_services_without_counters_are_refused() -> None:
    with serving(make_services()), pytest.raises(TypeError, match="cannot be served by Services"):
        counting_services()
