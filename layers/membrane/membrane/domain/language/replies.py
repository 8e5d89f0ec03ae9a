"""Types that the bodies of replies share.

Functions load none of the `replies` modules: a body is a dict, and mypy holds the dict against the
TypedDict. `membrane_openapi` makes the schemas of the API from the same types.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, GetPydanticSchema
from typing_extensions import TypedDict  # pydantic takes typing.TypedDict from Python 3.12 on alone

Turn = Annotated[int, Field(ge=1)]
Url = Annotated[str, Field(json_schema_extra={"format": "uri"})]


def with_shape(model: Any) -> GetPydanticSchema:
    """Metadata for a dumped object: the schema is the schema of the model or of the TypedDict.

    mypy compares no dumped object with the schema. tests/integration/http/test_schemathesis.py
    compares replies of the local stack with the document.
    """
    return GetPydanticSchema(lambda _source, handler: handler.generate_schema(model))


class PageReply(TypedDict, total=False):
    next_cursor: str
    """Where the next page begins; absent on the last page."""


class ChangeReply(TypedDict):
    consistency_token: str
    """A retrieval with the token sees the write before the index does."""


class Done(ChangeReply):
    """The reply to a change without a result."""

    ok: Literal[True]
    """The change is made."""
