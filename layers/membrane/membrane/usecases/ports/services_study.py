"""The dependencies of studies."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_chat import ChatServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.study.studies import DynamoStudies

from membrane.usecases.ports.surroundings import StartExecution


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyServices(ChatServices):
    studies: "DynamoStudies"
    start_execution: StartExecution
