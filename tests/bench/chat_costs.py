"""What conversations cost beside the model: requests and units, as an emulator counts."""

from collections.abc import Mapping

from membrane.domain.chat.allowances import Limits
from membrane.domain.chat.requests import Chat
from membrane.domain.language.violations import validate
from membrane.usecases.chat.converse import chat
from tests.bench.topics import services_over
from tests.builders.requests import call
from tests.fakes.chat_models import FakeChatModel, calls, says
from tests.fakes.clock import MORNING
from tests.fakes.counted import counted_salts
from tests.worlds.metering import Cost, meter, spent_by
from tests.worlds.stores import Store
from tests.worlds.tools import key


def request_of(text: str, **others: object) -> Chat:
    """A conversation of one message of the user."""
    return validate(Chat, {"messages": [{"role": "user", "content": text}], **others})


LIMITS = Limits(1_000_000, 1_000_000)


def chat_costs(store: Store) -> Mapping[str, Cost]:
    """What a conversation costs without the calls of tools, and what each further round costs."""
    store.clock.now = MORNING.replace(microsecond=123_457)  # no digit less than a real clock
    plain = services_over(store).but(
        new_id=store.services.new_id, new_salt=counted_salts(), chat_limits=LIMITS
    )
    spent = meter(store.client)

    def cost(*steps: object, request: Chat) -> Cost:
        model = FakeChatModel([*steps])  # type: ignore[list-item]  # answers
        services = plain.but(chat_model=model)
        return spent_by(lambda: chat(request, call(request, key()), services), spent)

    refused = calls(("unknown", {}))
    return {
        "Chat without a tool": cost(says("query"), says("hi"), request=request_of("hello")),
        "Chat of two rounds": cost(says("query"), refused, says("hi"), request=request_of("hello")),
    }
