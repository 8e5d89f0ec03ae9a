"""The completion of ids in addresses of resources."""

from collections.abc import Mapping
from dataclasses import dataclass

from membrane.adapters.aws_lambda.mcp.features import Completion
from membrane.domain.access.principals import Principal
from membrane.domain.access.users import USER, for_user
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Permission
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.tools.complete_names import complete_entities, complete_topics

_BY_ADDRESS = {
    "membrane://entities/{id}": complete_entities,
    "membrane://topics/{id}": complete_topics,
}
"""By the address of a resource what completes the id in the address."""


@dataclass(frozen=True, slots=True)
class MemoryCompletions:
    """The Completions of the memory: entities and topics by the beginning of the name."""

    services: ToolServices

    def complete(
        self,
        ref: JsonObject,
        _argument: str,
        value: str,
        context: Mapping[str, str],
        caller: Principal,
    ) -> Completion:
        """Ids of entities or topics; nothing for further arguments, or without the right to read.

        `context` may name a `user`. A key that requires a user completes nothing without one.
        Raises the errors of `for_user` and of the lists.
        """
        complete = _BY_ADDRESS.get(ref["uri"]) if ref["type"] == "ref/resource" else None
        if complete is None or Permission.READ not in caller.permissions:
            return Completion(())
        if caller.user_required and USER not in context:
            return Completion(())
        narrowed, _ = for_user(caller, {**context})
        found = complete(value, narrowed, self.services)
        return Completion(found.ids, has_more=found.has_more)
