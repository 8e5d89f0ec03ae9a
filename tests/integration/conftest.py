"""One local stack per worker, over dynoxide, emptied for every test."""

from collections.abc import Iterator

import pytest

from membrane_local.dev import DevOptions, local_stack
from membrane_local.storage.dynoxide import running
from tests.worlds.api import Api


@pytest.fixture(scope="session")
def local_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The stack with direct invocation open to a principal like the bus's."""
    blobs = tmp_path_factory.mktemp("blobs")
    direct = (
        '{"actor_id": "direct", "permissions": ["ingest"], "scopes": ["events"], '
        '"max_sensitivity": "low"}'
    )
    store = tmp_path_factory.mktemp("store") / "memory.db"  # in memory, a stream slows it down
    with running(store) as endpoint:
        options = DevOptions(store=endpoint, blobs=blobs, parameters={"DirectPrincipal": direct})
        with local_stack(options) as (application, secret):
            assert secret is not None
            yield Api(application, secret)


@pytest.fixture
def api(local_api: Api) -> Api:
    """The stack with an empty store and the machine's time."""
    local_api.application.reset()
    local_api.functions.clock.freeze(frozen=False)
    return local_api
