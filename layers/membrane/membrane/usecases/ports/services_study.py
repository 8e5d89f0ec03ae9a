"""The dependencies of studies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_chat import ChatServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.study.studies import DynamoStudies
    from membrane.domain.language.json_text import JsonObject

StartExecution = Callable[[str, "JsonObject"], None]
"""Start an execution of the state machine, by the name of the execution, with the input.

An execution of the name that there is already is no error. May raise Unavailable.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyServices(ChatServices):
    studies: "DynamoStudies"
    start_execution: StartExecution
