"""Services of studies over fakes."""

from dataclasses import dataclass, field, fields
from typing import Any

from membrane.adapters.dynamodb.study.studies import DynamoStudies
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.chat_models import ChatModel
from membrane.usecases.ports.services_chat import ChatServices
from membrane.usecases.ports.services_study import StudyServices
from tests.fakes.chat_models import chatting
from tests.fakes.studies import FakeStudies


@dataclass(slots=True)
class FakeExecutions:
    """A StartExecution that notes what was started, each name once."""

    started: dict[str, JsonObject] = field(default_factory=dict)
    """The inputs by name."""

    def __call__(self, name: str, execution_input: JsonObject) -> None:
        """See StartExecution."""
        self.started.setdefault(name, execution_input)


def studying(
    model: ChatModel | None = None,
    *,
    studies: DynamoStudies | None = None,
    executions: FakeExecutions | None = None,
    over: ChatServices | None = None,
    **others: Any,
) -> StudyServices:
    """StudyServices over fakes, but for the parts given; see `chatting`."""
    usual = over or chatting(model, **others)
    return StudyServices(
        **{each.name: getattr(usual, each.name) for each in fields(ChatServices)},
        studies=studies or FakeStudies(usual.now),
        start_execution=executions or FakeExecutions(),
    )
