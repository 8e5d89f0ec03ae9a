"""Less memory for moto, which keeps each version of an item, and each record of a stream, for ever.

A vector is 512 objects of 150 KB. A write kept up to 1 MB, and the garbage collector stopped the
stack for longer and longer.
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


@dataclass(frozen=True, slots=True)
class _Compressed:
    """Replaces a record of a stream."""

    content: bytes

    def to_json(self) -> Any:
        return pickle.loads(zlib.decompress(self.content))  # noqa: S301 - written by `light_memory`


@contextmanager
def light_memory() -> Iterator[None]:
    """Within this context, moto lists no items for its web page, and compresses streams."""
    usual_add = StreamShard.add

    def new(cls: type[BaseModel], *_: object, **__: object) -> BaseModel:
        return object.__new__(cls)

    def add(self: StreamShard, old: Item | None, new: Item | None) -> None:
        usual_add(self, old, new)
        content = zlib.compress(pickle.dumps(self.items[-1].to_json()), level=1)
        self.items[-1] = _Compressed(content)  # type: ignore[call-overload]  # moto calls `to_json` alone

    for listed in (Item, StreamRecord):
        listed.__new__ = staticmethod(new)  # type: ignore[method-assign]  # moto has no other way
    StreamShard.add = add  # type: ignore[method-assign]  # the same
    try:
        yield
    finally:
        for listed in (Item, StreamRecord):
            del listed.__new__  # the inherited one
        StreamShard.add = usual_add  # type: ignore[method-assign]  # the same
