"""The composition root of what reads the counters.

A module of its own: what retrieves and what keeps the search index has far more to load.
"""

from dataclasses import fields
from functools import cache

from membrane.adapters.dynamodb.metrics.counters import DynamoCounters
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_metrics import CountingServices
from membrane.wiring import services as wiring


def counting_services() -> CountingServices:
    """The services of this environment, or those that `serving` put in their place."""
    match wiring.replaced():
        case None:
            return _from_environment()
        case CountingServices() as replacement:
            return replacement
        case other:
            raise TypeError(f"a function that counts cannot be served by {type(other).__name__}")


@cache
def _from_environment() -> CountingServices:
    usual = wiring.services()
    table = wiring.environment_settings().table
    return CountingServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        counters=DynamoCounters(wiring.table_client(), table, usual.now),
    )
