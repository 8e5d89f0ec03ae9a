"""The clock, ids, secrets and random pauses of the machine."""

import random
import secrets
import time
from datetime import UTC, datetime
from uuid import uuid4

from membrane.domain.language.cursors import KEY_BYTES
from membrane.usecases.machinery.calls import FIRST_PAUSE_S, longest_pause


def system_clock() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())


def new_salt() -> str:
    """128 random bits in hex."""
    return secrets.token_hex(16)


def new_cursor_key() -> bytes:
    """256 random bits."""
    return secrets.token_bytes(KEY_BYTES)


def new_secret() -> str:
    """256 random bits as text that fits a header; a command line would take a "-" for an option."""
    secret = secrets.token_urlsafe(32)
    return new_secret() if secret.startswith("-") else secret


def back_off(tries: int) -> None:
    """Wait for a random time, up to a limit that doubles with every try (full jitter)."""
    longest_s = FIRST_PAUSE_S * longest_pause(tries)
    time.sleep(random.SystemRandom().uniform(0, longest_s))  # unseeded: SnapStart would copy a seed


def draw(count: int) -> int:
    return random.SystemRandom().randrange(count)
