"""How deep the suite looks: at samples of its long matrices, or with `--deep` at all of them."""

import os
import sys
from collections.abc import Iterator
from itertools import chain, count
from typing import TypeVar

import pytest

DEEP = "SUITE_IS_DEEP"
"""Set for a run with `--deep`, and for its workers."""

if "--deep" in sys.argv:  # known before any test or fixture is made, which may depend on it
    os.environ[DEEP] = "1"

EARLY = range(0, 12, 3)
STRIDE = 29
"""A sample takes every third step of the first twelve, for calls that take few, and then every
twenty-ninth: both are odd, so both sides of the calls are met."""

SHARE = 5
"""A sample of random examples takes one in five."""

EXAMPLES = 100
"""Random examples that a property gets with `--deep` unless it names a number itself."""

Cases = TypeVar("Cases")


def is_deep() -> bool:
    """Whether the suite runs with `--deep`."""
    return DEEP in os.environ


LONG = "takes long: runs with --deep"

deep = pytest.mark.skipif(not is_deep(), reason=LONG)
"""Marks a test that builds, kills or measures something large, and has no smaller sample."""


def steps(first: int = 0, stride: int = 1) -> Iterator[int]:
    """The steps at which a process is broken off: all of them, or a sample from the first on."""
    if is_deep():
        return count(first, stride)
    early = (first + step * stride for step in EARLY)
    return chain(early, count(first + EARLY.stop * stride, stride * STRIDE))


def examples(number: int) -> int:
    """How many random examples a property gets, of so many with `--deep`."""
    return number if is_deep() else max(2, number // SHARE)


def cases(every: Cases, sample: Cases) -> Cases:
    """All cases of a matrix, or the large number of something, with `--deep`; else the sample."""
    return every if is_deep() else sample


def crowd() -> int:
    """How many callers come at once: 64 with `--deep`.

    Those that lose a race try again, so the work grows with the square of their number.
    """
    return cases(64, 16)
