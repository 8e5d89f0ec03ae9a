"""The requests about studies of documents."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, ValidationInfo
from pydantic_core import PydanticCustomError, PydanticKnownError

from membrane.domain.language import requests
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part, RecordId
from membrane.domain.language.values import MAX_VALUE_BYTES, POSITION, Claim, reference_in

MAX_DOCUMENT_BYTES = MAX_VALUE_BYTES
MAX_SOURCE_CHARACTERS = 2_000
MAX_DOCUMENT_TITLE_CHARACTERS = 300

MAX_LINES, MAX_HEADINGS = 250_000, 20_000
"""A line takes 10 KB of memory at most while the document is divided."""

_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s|$)|^ {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
"""Lines that may be headings."""

_BLANK = "must not be blank"
_TOO_MANY = f"must have at most {MAX_LINES} lines and {MAX_HEADINGS} headings"
_TOO_LONG = f"must have at most {MAX_DOCUMENT_BYTES} bytes in UTF-8"


def _document(value: Any, info: ValidationInfo) -> Any:
    """A text, or the claim of an upload with a text."""
    reference = reference_in(value, info, checked_document)
    if isinstance(reference, Claim):
        return reference
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    error = _error_of(value)
    if error:
        raise PydanticCustomError("document", error)
    return value


def checked_document(value: Any) -> Any:
    """The text of an upload; raises InvalidArgument."""
    if not isinstance(value, str):
        error = "document must be a string: the upload holds something else"
        raise InvalidArgument(error).at("document")
    error = _error_of(value)
    if error:
        raise InvalidArgument(f"document {error}").at("document")
    return value


def _error_of(text: str) -> str:
    if not text.strip():
        return _BLANK
    if text.count("\n") > MAX_LINES or len(_HEADING.findall(text)) > MAX_HEADINGS:
        return _TOO_MANY
    return _TOO_LONG if len(text.encode()) > MAX_DOCUMENT_BYTES else ""


class StartStudy(requests.Request):
    """Study a document: its sections become topics, and its paragraphs become fields.

    The reply comes at once; the job goes on in the background, and `GET /v1/studies/{id}` reads its
    progress. A document is known by scope and `source`, without a source by scope and `title`: the
    same document told again changes what differs, and leaves everything else as it is.
    """

    document: Annotated[Any, BeforeValidator(_document), POSITION]
    """The text, plain or in Markdown, at most 10 MiB in UTF-8, 250,000 lines and 20,000 headings. A
    text beyond a request's limit goes through `POST /v1/uploads`, as a JSON string:
    `{"$upload": "<upload_id>"}`. Front matter becomes a field of the document's topic."""
    title: Annotated[
        str,
        StringConstraints(strip_whitespace=True),
        Field(min_length=1, max_length=MAX_DOCUMENT_TITLE_CHARACTERS),
    ]
    """The title of the document, 300 characters at most."""
    source: Annotated[str, Field(max_length=MAX_SOURCE_CHARACTERS)] = ""
    """Where the document comes from, such as a path or an address: the identity of the document in
    its scope. Absent or empty: the title is the identity."""
    scope: requests.OptionalScope = None
    """Scope of the topics. Absent or empty: the first scope of the key that is no prefix, unscoped
    under a key for all scopes."""
    sensitivity: requests.OptionalSensitivity = None
    """Sensitivity of the topics. Absent or empty: the deployment's `DefaultSensitivity`."""
    with_model: bool | None = None
    """Whether a model studies the document; false for the sections and paragraphs as they are.
    Absent: true if the deployment has a `ChatModel`."""


class ReadStudy(Part):
    """Read the state of a study or a removal: progress by unit, what was made, and the cost."""

    id: requests.FromPath[str]
    """Id of the job."""


class CancelStudy(requests.RequestPart):
    """Cancel a study that is under way: everything that the job has made is removed.

    Only the principal that began the job may do so. A job that has ended stays as it is: 409.
    """

    id: requests.FromPath[str]
    """Id of the job."""


class ResumeStudy(requests.RequestPart):
    """Go on with a failed or interrupted job from where it stopped.

    Only the principal that began the job may do so. A job that is done or cancelled stays as it
    is: 409.
    """

    id: requests.FromPath[str]
    """Id of the job."""


class RemoveDocument(requests.Request):
    """Take back what rests on a document alone; with `dry_run`, which is the default, count it.

    Topics that rest on the document alone are deleted, and can be restored. From other topics, the
    values of the document go for good. What others wrote stays. The reply comes at once;
    `GET /v1/studies/{id}` reads the counts.
    """

    document_id: RecordId
    """Id of the document's topic, from the reply about a study of the document."""
    dry_run: bool = True
    """Whether to count only. Absent: true."""
