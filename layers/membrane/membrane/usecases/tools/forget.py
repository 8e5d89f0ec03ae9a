"""The tool `forget`: delete memories by id, restorably; the tool never erases."""

from membrane.domain.language.errors import DomainError
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.tools.arguments import Forget
from membrane.domain.tools.replies import Forgotten, NotForgotten
from membrane.domain.tools.texts import count_words
from membrane.usecases.lifecycle.delete_and_restore import delete_record
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.tool import ToolAnswer


def forget(asked: Forget, call: Call, world: World) -> ToolAnswer:
    """Delete each memory by itself; the answer has the error of each memory that stays.

    The answer is an error if no memory was deleted.
    """
    forgotten, failed = list[str](), list[NotForgotten]()
    for record_id in dict.fromkeys(asked.ids):
        request = DeleteRecord(id=record_id, rationale=asked.why)
        try:
            delete_record(request, call, world)
        except DomainError as error:
            failed.append({"id": record_id, "error": str(error)})
        else:
            forgotten.append(record_id)
    until = rfc3339(world.now() + world.retention.restore)
    restore = (
        f"POST /v1/records/{{id}}/restore until {until}, with a key that has the permission admin"
    )
    reply: Forgotten = {"forgotten": forgotten, "restore": restore}
    head = f"Forgot {count_words(len(forgotten), 'memory', 'memories')}"
    lines = [f"{head}: {', '.join(forgotten)}" if forgotten else f"{head}."]
    if failed:
        reply["failed"] = failed
        lines += [f"Not forgotten: {each['id']}: {each['error']}" for each in failed]
    if forgotten:
        lines.append(f"To restore: {restore}.")
    return ToolAnswer(reply, "\n".join(lines), is_error=not forgotten)
