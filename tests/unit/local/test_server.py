"""The port on which the local stack answers."""

import asyncio
import socket

from membrane_local.http.server import HOST, open_port


async def sends_at_once(opened: socket.socket) -> bool:
    """Whether a connection that asyncio accepts on the port gathers nothing before it sends."""
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(accept, sock=opened):
        _, writer = await asyncio.open_connection(HOST, opened.getsockname()[1])
        at_once = await accepted
        writer.close()
        await writer.wait_closed()
    return bool(at_once)


def test_a_reply_does_not_wait_for_the_caller_to_confirm_its_head() -> None:
    assert asyncio.run(sends_at_once(open_port(0)))
