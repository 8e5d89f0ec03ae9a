"""The dependencies of studies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_chat import ChatServices

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject
    from membrane.usecases.ports.studies import StudyStore

StartExecution = Callable[[str, "JsonObject"], None]
"""Start an execution of the state machine, by the name of the execution, with the input.

An execution of the name that there is already is no error. May raise Unavailable.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyServices(ChatServices):
    studies: "StudyStore"
    start_execution: StartExecution
