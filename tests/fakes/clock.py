"""Stand-ins for the surroundings: time, keys, signatures, fences, the search and secrets."""

import base64
import hashlib
import math
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import NotFound, ScopeFenced
from membrane.domain.language.names import STOPWORDS
from membrane.domain.search.entries import stem, words_of
from membrane.usecases.ports.keys import ApiKey
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.surroundings import Signature

MORNING = datetime(2026, 3, 1, 9, 0, 0, 250_000, tzinfo=UTC)
"""When a fake clock starts; with a fraction, as real clocks have."""


@dataclass(slots=True)
class FakeClock:
    """A clock that stands still until a test moves it."""

    now: datetime = MORNING

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **time: float) -> None:
        """Move on by so many `days`, `seconds` and so on."""
        self.now += timedelta(**time)


@dataclass(slots=True)
class BackOff:
    """Waits no time, and remembers after which tries it was asked to."""

    tries: list[int] = field(default_factory=list)

    def __call__(self, tries: int) -> None:
        self.tries.append(tries)


if TYPE_CHECKING:
    Store: Any
else:
    Store = object


class StandIn(Store):  # type: ignore[misc]  # a base of any type makes a double fit every place
    """A double of a store of the layer."""


@dataclass(slots=True)
class FakeFences(StandIn):
    """A fake of DynamoFences: a new fence is seen at once, and every erasure is under way."""

    fenced: dict[str, str] = field(default_factory=dict)
    """The fenced scope by erasure."""

    def require_open(self, scopes: Collection[str]) -> None:
        for erasure_id, scope in self.fenced.items():
            if scope in scopes:
                raise ScopeFenced(f"the scope is being erased (erasure {erasure_id})")

    def put(self, scope: str, erasure_id: str) -> None:
        self.fenced[erasure_id] = scope

    def remove(self, erasure_id: str) -> None:
        self.fenced.pop(erasure_id, None)


@dataclass(slots=True)
class SetAsides:
    """Remembers what was set aside, and the scopes that were named with it."""

    records: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    others: list[tuple[Waiting, str]] = field(default_factory=list)
    """All but records that are to be indexed."""

    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        if kind is Waiting.RECORD:
            self.records.append((source_id, tuple(scopes)))
        else:
            self.others.append((kind, source_id))


@dataclass(frozen=True, slots=True)
class FakeSigner:
    """The Signer; the signature is a digest with a secret."""

    secret: bytes = b"secret"

    def sign(self, content: bytes) -> Signature:
        return Signature("fake", "FAKE_SHA_256", self._value(content))

    def verify(self, content: bytes, signature: Signature) -> bool:
        return signature == self.sign(content)

    def _value(self, content: bytes) -> str:
        digest = hashlib.sha256(self.secret + hashlib.sha256(content).digest()).digest()
        return base64.b64encode(digest).decode()


@dataclass(slots=True)
class FakeKeys(StandIn):
    """A fake of DynamoKeys."""

    keys: dict[str, ApiKey] = field(default_factory=dict)

    def find(self, digest: str) -> ApiKey | None:
        """See DynamoKeys."""
        return self.keys.get(digest)

    def add(self, key: ApiKey) -> None:
        """See DynamoKeys."""
        self.keys[key.digest] = key

    def list_keys(self) -> Sequence[ApiKey]:
        """See DynamoKeys."""
        return sorted(self.keys.values(), key=lambda key: key.created_at)

    def revoke(self, digest: str, at: datetime) -> None:
        """See DynamoKeys."""
        if digest not in self.keys:
            raise NotFound("no such key")
        key = self.keys[digest]
        self.keys[digest] = replace(key, revoked_at=key.revoked_at or at)


@dataclass(slots=True)
class FakeEmbedder:
    """The hashing embedder under some name, which remembers what it was asked."""

    name: str = "lexical"
    dimensions: int = 64
    concurrency: int | None = None
    asked: list[Sequence[str]] = field(default_factory=list)
    failing: Callable[[Sequence[str]], None] = lambda _: None
    """Asked first; raises what the embedder shall raise."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See Embedder."""
        self.failing(texts)
        self.asked.append(texts)
        return HashingEmbedder(self.dimensions).embed(texts)


def counted_ids() -> Callable[[], str]:
    """UUIDs of version 4 by number: ...0001, ...0002."""
    numbers = count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def counted_salts() -> Callable[[], str]:
    """128 bits in hex, by number."""
    numbers = count(1)
    return lambda: f"{next(numbers):032x}"


class SecretsManager:
    """A client that counts how often the secret is read."""

    def __init__(self) -> None:
        self.reads = 0

    def get_secret_value(self, *, SecretId: str) -> dict[str, str]:  # noqa: N803 - AWS's name
        """See SecretsClient."""
        self.reads += 1
        return {"SecretString": f"key of {SecretId}".replace(" ", "-")}


_PIECES = (3, 4, 5)
"""Characters of the pieces that a word is cut into."""

_PIECE_WEIGHT = 0.5
"""Of all pieces of a word together, beside its stem's 1."""


class HashingEmbedder:
    """An Embedder whose vectors are the same in every process."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.name = f"hashed-{dimensions}"
        self.concurrency = None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text; all zeros for one without a telling word."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Sequence[float]:
        vector = [0.0] * self.dimensions
        for feature, weight in _features(text).items():
            place, sign = divmod(_hashed(feature), 2)
            vector[place % self.dimensions] += weight if sign else -weight
        length = math.hypot(*vector)
        return [each / length for each in vector] if length else vector


def _features(text: str) -> Mapping[str, float]:
    words = Counter(word for word in words_of(text) if word not in STOPWORDS)
    weights: Counter[str] = Counter()
    for word, times in words.items():
        damped = 1.0 + math.log(times)
        for feature, weight in _features_of_word(word):
            weights[feature] += weight * damped  # type: ignore[assignment]  # a Counter of floats
    return weights


@lru_cache(maxsize=1 << 14)
def _features_of_word(word: str) -> tuple[tuple[str, float], ...]:
    pieces = list(_pieces(f"<{word}>"))
    each = _PIECE_WEIGHT / math.sqrt(len(pieces)) if pieces else 0.0
    return ((stem(word), 1.0), *((piece, each) for piece in pieces))


def _pieces(word: str) -> Iterator[str]:
    for size in _PIECES:
        yield from (word[start : start + size] for start in range(len(word) - size + 1))


def _hashed(feature: str) -> int:
    return zlib.crc32(feature.encode())
