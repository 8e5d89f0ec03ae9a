"""What every function needs: put together once for a process, and many times in a local stack."""

from typing import Any

import botocore.session

from membrane.wiring import services as wiring
from membrane.wiring.settings import read_settings
from tests.fakes.bucket import FakeBlobs, FakeImports, FakeLinks
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Later

SETTINGS = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}


class Watched:
    """The events of a client that tells for which of them somebody asks to be called."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.asked: list[str] = []
        self.register = client.meta.events.register
        client.meta.events.register = self._note

    def _note(self, event: str, *handler: Any, **options: Any) -> Any:
        self.asked.append(event)
        return self.register(event, *handler, **options)


def test_services_that_share_a_client_do_not_lengthen_its_requests() -> None:
    client: Any = botocore.session.get_session().create_client("dynamodb")
    watched = Watched(client)

    for _ in range(2):
        wiring.build(
            read_settings(SETTINGS),
            client,
            FakeBlobs(),
            FakeClock(),
            links=FakeLinks(),
            imports=FakeImports(),
            invoke_later=Later(),
        )

    assert watched.asked == []
