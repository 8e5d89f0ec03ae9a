"""Less memory for moto, which keeps each item, stream record and object that was ever made.

A vector is 512 objects of 150 KB. A write kept up to 1 MB, and the garbage collector stopped the
stack for longer and longer. A listing of a bucket's versions kept a copy of each version.
"""

import pickle
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from moto.core.common_models import BaseModel
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord, StreamShard
from moto.s3.models import FakeKey


@dataclass(frozen=True, slots=True)
class _Compressed:
    """Replaces a record of a stream."""

    content: bytes

    def to_json(self) -> Any:
        return pickle.loads(zlib.decompress(self.content))  # noqa: S301 - written by `light_memory`


def _without_content(key: FakeKey, _memo: object) -> FakeKey:
    """A copy of the object for a listing, which shows the digest and the size."""
    _ = key.etag  # computed from the content, and kept
    copied = object.__new__(FakeKey)
    kept = {name: each for name, each in vars(key).items() if name != "_value_buffer"}
    vars(copied).update(kept, disposed=True)
    return copied


@contextmanager
def light_memory() -> Iterator[None]:
    """Within this context, moto keeps no list for a web page, and compresses streams."""
    listed, usual_add = (Item, StreamRecord), StreamShard.add

    def new(cls: type[BaseModel], *_: object, **__: object) -> BaseModel:
        return object.__new__(cls)

    def add(self: StreamShard, old: Item | None, new: Item | None) -> None:
        usual_add(self, old, new)
        content = zlib.compress(pickle.dumps(self.items[-1].to_json()), level=1)
        self.items[-1] = _Compressed(content)  # type: ignore[call-overload]  # moto calls `to_json` alone

    for each in listed:
        each.__new__ = staticmethod(new)  # type: ignore[method-assign]  # moto has no other way
    FakeKey.__deepcopy__ = _without_content  # type: ignore[attr-defined]  # of the versions in a listing
    StreamShard.add = add  # type: ignore[method-assign]  # the same
    try:
        yield
    finally:
        for each in listed:
            del each.__new__  # the inherited one
        del FakeKey.__deepcopy__  # type: ignore[attr-defined]  # the same
        StreamShard.add = usual_add  # type: ignore[method-assign]  # the same
