"""Moto's bucket, lighter.

moto copies every version that a listing shows, and loads the routes of S3 anew for each request.
A listing of versions fails if another thread writes an object meanwhile.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from threading import RLock
from typing import Any

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


def _one_at_a_time(answer: Callable[..., Any], lock: RLock) -> Callable[..., Any]:
    def locked(*request: Any) -> Any:
        with lock:
            return answer(*request)

    return locked


@contextmanager
def light_bucket() -> Iterator[None]:
    """Within this context, every client of AWS calls moto, whose routes of S3 are loaded once.

    A listing copies no content. moto answers one request to S3 at a time. Contexts do not nest.
    """
    lock = RLock()
    urls = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].urls
    routes = {url: _one_at_a_time(answer, lock) for url, answer in urls.items()}
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
