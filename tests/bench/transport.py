"""The transport that a function uses in AWS: what a call takes of the CPU counts with it."""

from typing import Any, cast

from botocore.httpsession import URLLib3Session


def over_urllib3(client: Any) -> None:
    """Change a client that sends over plain sockets to send as botocore's clients usually do."""
    settings = client.meta.config
    client._endpoint.http_session = URLLib3Session(  # noqa: SLF001 - where `over_plain_sockets` put the sockets
        timeout=cast("int", (settings.connect_timeout, settings.read_timeout)),  # as botocore does
        max_pool_connections=settings.max_pool_connections,
    )
