"""Moto's bucket, lighter.

moto copies every version that a listing shows, and loads the routes of S3 anew for each request.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy

from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import FakeDeleteMarker, FakeKey, S3Backend, s3_backends


def _without_content(key: FakeKey, _memo: object) -> FakeKey:
    """A copy of the object for a listing of versions, which shows the digest and the size."""
    _ = key.etag  # computed from the content, and kept
    copied = object.__new__(FakeKey)
    kept = {name: each for name, each in vars(key).items() if name != "_value_buffer"}
    vars(copied).update(kept, disposed=True)
    return copied


@contextmanager
def light_bucket() -> Iterator[None]:
    """Within this context, every client of AWS calls moto, whose routes of S3 are loaded once.

    A listing copies no content. Contexts do not nest.
    """
    routes = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].urls
    FakeKey.__deepcopy__ = _without_content  # type: ignore[attr-defined]  # moto has no other way
    FakeDeleteMarker.__deepcopy__ = lambda marker, _memo: copy(marker)  # type: ignore[attr-defined]  # nor here
    S3Backend.urls = routes  # type: ignore[assignment]  # in place of the inherited property
    try:
        with mock_aws():
            yield
    finally:
        del S3Backend.urls  # the inherited property is back
        del FakeDeleteMarker.__deepcopy__  # type: ignore[attr-defined]  # added above
        del FakeKey.__deepcopy__  # type: ignore[attr-defined]  # added above
