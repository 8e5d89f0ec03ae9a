"""A local stack that is anchored, edited behind its back, and verified by `membrane verify`."""

from io import StringIO

from rich.console import Console

from membrane.domain.language.json_text import JsonObject
from membrane_cli.jobs import VERIFY_FUNCTION, verify_stack
from membrane_cli.stacks import local_function
from tests.worlds.api import Api
from tests.worlds.api_client import ApiClient


def anchored(api: Api) -> JsonObject:
    reply = api.call("POST", "/_dev/invoke/AnchorFunction", {})
    assert reply.status == 200
    assert reply.body["stage"] == "done"
    return dict(reply.body)


def verified(api: Api, *, as_json: bool = False, repair: bool = False) -> tuple[int, str]:
    """The exit code and the lines about findings."""
    place = local_function(ApiClient("", api=api), VERIFY_FUNCTION)
    said = StringIO()
    notes = Console(file=StringIO())
    code = verify_stack(place, Console(file=said, width=500), notes, as_json=as_json, repair=repair)
    return code, said.getvalue()
