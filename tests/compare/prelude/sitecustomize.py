"""Makes chance and time of a side repeatable; Python runs this module before any other.

Ids ascend, so that their order is the order of creation. For the layer and its functions the
monotonic clock stands at the seconds in the file COMPARE_SECONDS; all else has the machine's.
"""

import concurrent.futures
import os
import random
import secrets
import sys
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

MACHINE = time.monotonic
SECONDS = Path(os.environ["COMPARE_SECONDS"])
LAYERS = tuple(f"{Path.cwd() / each}{os.sep}" for each in ("functions", "layers"))
NUMBERS: dict[tuple[float, bool], Iterator[int]] = defaultdict(count)
"""By second and by who draws: the stack works beside the layer."""


class Still(random.Random):
    """Chance that always gives the same."""

    def random(self) -> float:
        return 0.0

    def getrandbits(self, k: int, /) -> int:  # noqa: ARG002 - the signature is Random's
        return 0


def is_of_layer() -> bool:
    """Whether a layer, or a function, asks, or has `secrets` ask."""
    asking = sys._getframe(2)  # noqa: SLF001 - nothing else says who
    while asking.f_back and asking.f_globals.get("__name__") == "secrets":
        asking = asking.f_back
    return str(asking.f_globals.get("__file__", "")).startswith(LAYERS)


def monotonic() -> float:
    return float(SECONDS.read_text()) if is_of_layer() else MACHINE()


class NoThreads(concurrent.futures.ThreadPoolExecutor):
    """For the layer a pool that does its work at once, so that calls have an order."""

    def __init__(self, *sizes: Any, **named: Any) -> None:
        super().__init__(*sizes, **named)
        self.works_at_once = is_of_layer()

    def submit(self, fn: Any, /, *given: Any, **named: Any) -> Any:
        if not self.works_at_once:
            return super().submit(fn, *given, **named)
        done: concurrent.futures.Future[Any] = concurrent.futures.Future()
        try:
            done.set_result(fn(*given, **named))
        except Exception as error:  # noqa: BLE001 - whoever asks for the result gets the error
            done.set_exception(error)
        return done


def number(*, of_layer: bool) -> int:
    """Ascending with time; a draw more or less shows in the same second alone."""
    second = float(SECONDS.read_text())
    first = (int(second) << 20) + (0 if of_layer else 1 << 19)
    return first + next(NUMBERS[second, of_layer])


def ascending_id() -> uuid.UUID:
    return uuid.UUID(int=number(of_layer=is_of_layer()) << 80, version=4)


def repeatable_bytes(nbytes: int | None = None) -> bytes:
    text = sha256(f"{number(of_layer=is_of_layer())}".encode()).hexdigest().encode()
    return text[: nbytes or secrets.DEFAULT_ENTROPY]


concurrent.futures.ThreadPoolExecutor = NoThreads  # type: ignore[misc]  # for who asks
ec.ECDSA.__init__.__defaults__ = (True,)  # RFC 6979: a signature without chance, of one length
ec.generate_private_key = lambda curve, backend=None: ec.derive_private_key(7, curve, backend)
time.monotonic = monotonic
random.SystemRandom = Still  # type: ignore[misc, assignment]  # chance must repeat
secrets.token_bytes = repeatable_bytes
uuid.uuid4 = ascending_id
