"""Less memory for moto's bucket, which keeps a copy of every version that a listing shows."""

from collections.abc import Iterator
from contextlib import contextmanager

from moto import mock_aws
from moto.s3.models import FakeKey


def _without_content(key: FakeKey, _memo: object) -> FakeKey:
    """A copy of the object for a listing of versions, which shows the digest and the size."""
    _ = key.etag  # computed from the content, and kept
    copied = object.__new__(FakeKey)
    kept = {name: each for name, each in vars(key).items() if name != "_value_buffer"}
    vars(copied).update(kept, disposed=True)
    return copied


@contextmanager
def light_bucket() -> Iterator[None]:
    """Within this context, every client of AWS calls moto; a listing copies no content."""
    FakeKey.__deepcopy__ = _without_content  # type: ignore[attr-defined]  # moto has no other way
    try:
        with mock_aws():
            yield
    finally:
        del FakeKey.__deepcopy__  # type: ignore[attr-defined]  # added above
