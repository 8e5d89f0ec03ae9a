"""`/_dev/events`, `queues`, `stream`: send events and messages, show queues, pause the stream."""

from dataclasses import dataclass
from typing import Any

from membrane.domain.language.errors import InvalidArgument, NotFound, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.language.timestamps import rfc3339
from membrane_local.events.deliveries import Deliveries
from membrane_local.events.queues import Message, Queue
from membrane_local.http.gateway import NOT_FOUND
from membrane_local.http_messages import Request, Response

PATIENCE_S = 50.0
"""The longest wait for a caller; many callers give up after a minute."""

_FORMS = 'the body must be {"body": message} or {"messages": [{"body": message}, …]}'


@dataclass(frozen=True, slots=True)
class EventRoutes:
    deliveries: Deliveries

    def answer(self, method: str, place: list[str], request: Request) -> Response:
        match method, place:
            case "POST", ["events"]:
                body = parse_json(request.body)
                if not isinstance(body, dict) or body.keys() != {"Entries"}:
                    raise InvalidArgument('the body must be {"Entries": […]}')
                return Response.of_json(200, self.deliveries.bus.put_events(body["Entries"]))
            case "POST", ["stream"]:
                self.deliveries.pause(paused=_pause_flag(parse_json(request.body)))
                return Response.of_json(200, {"paused": self.deliveries.is_paused})
            case "GET", ["queues"]:
                queues = {name: self._summary(name) for name in self.deliveries.queues}
                return Response.of_json(200, {"queues": queues})
            case "GET", ["queues", name]:
                return Response.of_json(200, self._content(name))
            case "POST", ["queues", name]:
                bodies = _bodies(parse_json(request.body))
                return Response.of_json(200, {"message_ids": self._queue(name).send_all(bodies)})
            case "DELETE", ["queues", name, message_id]:
                if not self._queue(name).delete([message_id]):
                    raise NotFound(f"{name} has no message {message_id}")
                return Response(204, {}, b"")
            case _:
                return NOT_FOUND

    def settle(self) -> None:
        """Wait until every due event is delivered; raises Unavailable after PATIENCE_S."""
        if not self.deliveries.wait_until_idle(PATIENCE_S):
            raise Unavailable("not everything that is due could be delivered yet")

    def _queue(self, name: str) -> Queue:
        if name not in self.deliveries.queues:
            raise NotFound(f"the template has no queue {name}")
        return self.deliveries.queues[name]

    def _summary(self, name: str) -> JsonObject:
        queue, sources = self._queue(name), self.deliveries.sources
        reading = (each.function for each in sources.queue_sources if each.queue == name)
        filling = (each.logical_id for each in sources.queues if each.dead_letters == name)
        return {
            "visible": len(queue.waiting()),
            "in_flight": queue.count_hidden(),
            "read_by": next(reading, None),
            "dead_letters_of": next(filling, None),
        }

    def _content(self, name: str) -> JsonObject:
        """The queue's summary, with the messages where no function reads the queue."""
        summary = self._summary(name)
        waiting = [] if summary["read_by"] else self._queue(name).waiting()
        return {**summary, "messages": [_message_json(each) for each in waiting]}


def _pause_flag(body: Any) -> bool:
    match body:
        case {"paused": bool(paused), **rest} if not rest:
            return paused
        case _:
            raise InvalidArgument('the body must be {"paused": true or false}')


def _message_json(message: Message) -> JsonObject:
    return {
        "message_id": message.message_id,
        "body": message.body,
        "attributes": dict(message.attributes),
        "sent_at": rfc3339(message.sent_at),
        "receives": message.receives,
    }


def _bodies(body: Any) -> list[str]:
    """The texts of the messages; a JSON value other than text is serialized."""
    match body:
        case {"body": _, **rest} if not rest:
            return [_text(body)]
        case {"messages": [_, *_] as messages, **rest} if not rest:
            return [_text(message) for message in messages]
        case _:
            raise InvalidArgument(_FORMS)


def _text(message: Any) -> str:
    match message:
        case {"body": str(text), **rest} if not rest:
            return text
        case {"body": value, **rest} if not rest:
            return compact_json(value)
        case _:
            raise InvalidArgument(_FORMS)
