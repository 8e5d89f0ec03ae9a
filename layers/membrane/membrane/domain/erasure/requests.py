"""Requests to erase a person, a scope, a subject or single ids, and to read the job."""

from typing import Annotated

from pydantic import Field

from membrane.domain.language import requests
from membrane.domain.language.cursors import Cursor
from membrane.domain.language.fields import LIST, RecordId, Text

MAX_IDS = 1_000
MAX_SUBJECT_CHARACTERS = 1_000
MAX_SPELLINGS = 100

_IDS = Annotated[tuple[RecordId, ...], LIST, Field(min_length=1, max_length=MAX_IDS)]
_Subject = Annotated[str, Field(min_length=1, max_length=MAX_SUBJECT_CHARACTERS)]
_Spellings = Annotated[tuple[_Subject, ...], LIST, Field(max_length=MAX_SPELLINGS)]


class StartErasure(requests.Request):
    """List what an erasure removes and why; with `dry_run: false` then remove it for good.

    Needs the permission `admin` for the scopes concerned and, except for `ids`, a key with the
    highest sensitivity. The target is `scope`, `user`, `subject` or `ids`; `subject` may come with
    `scope` or `user`, which narrows the search.
    """

    scope: requests.OptionalScope = None
    """Scope whose records, topics and all that belongs to them are erased. With `subject`: the only
    scope that is searched."""
    subject: _Subject | None = None
    """Name of a person or thing, as written. Facts about the subject, the entity of the name and
    the topic of the title are erased; those in another spelling, and records and topics that only
    mention the subject, are listed and kept."""
    spellings: _Spellings = ()
    """Further spellings of `subject` to erase, 100 at most, from the `spellings` of a listing: they
    differ in case, width, blanks, `_` or a leading `@` alone."""
    ids: _IDS = ()
    """Ids of records and topics to erase, and of keyed documents by the ids of a listing: 1,000 at
    most."""
    dry_run: bool = True
    """Whether to list only. Absent: true."""
    reason: Text = ""
    """Why the erasure is made, such as the number of a request; the certificate has the reason, so
    name no person here."""


class ReadErasure(requests.RequestPart):
    """Read an erasure, with the findings page by page."""

    id: requests.FromPath[str]
    """Id of the erasure."""
    cursor: requests.FromQuery[Cursor] = ""
    """`next_cursor` of the page before. Absent: the first page. A query parameter."""


class ReadCertificate(ReadErasure):
    """Read the signed certificate of a finished erasure, with the entries page by page."""
