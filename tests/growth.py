"""How processor time grows with the length of a text, measured on a machine that may be busy."""

import gc
import sys
from collections.abc import Callable
from time import sleep, thread_time
from types import FrameType, FunctionType
from typing import Any, TypeVar

Given = TypeVar("Given")

Read = Callable[[str], object]
TextOf = Callable[[int], str]
"""A hostile text of about so many characters."""

STEPS = ((20, 28), (100, 800), (800, 6_400))
"""Lengths that are compared. The short ones end an exponential or cubic reader within seconds."""

FACTOR = 8
"""The longer text of the last two steps to the shorter one."""

BOUND = 3.0
"""Growth over linear growth that still counts as linear; the square grows FACTOR times more."""

TRIES = 15
"""The least time of several counts; a further try is made only while the bound is passed."""

FRESH = 5
"""After so many tries the least times start anew: a clock that once ran back spoils no more."""

PAUSE_S = 0.01
"""Before the second try, and as much more before each further one: a busy spell of the machine may
last longer than all tries at once would, and does count as the thread's time on a virtual one."""


def is_linear(read: Read, text_of: TextOf) -> bool:
    """Whether the time grows at no step more than BOUND allows.

    The clock is the thread's own, so that other programs do not count. A step that passes BOUND is
    measured again, and the least time at each length decides.
    """
    return all(_growth(read, text_of, *step) <= BOUND for step in STEPS)


def _growth(read: Read, text_of: TextOf, short: int, long: int) -> float:
    """How many times more than linearly the time grows from the one length to the other."""
    found = float("inf")
    for turn in range(TRIES):  # with other lengths each, so that no cache answers
        if turn % FRESH == 0:
            least_short = least_long = float("inf")
        sleep(turn * PAUSE_S)
        least_short = min(least_short, seconds(read, text_of(short + turn)))
        least_long = min(least_long, seconds(read, text_of(long + turn)))
        found = least_long / least_short / max(FACTOR, long / short)
        if found <= BOUND:
            break
    return found


def seconds(read: Callable[[Given], object], given: Given) -> float:
    """Processor time that reading takes, without that of collecting garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    begun_s = thread_time()
    try:
        read(given)
    finally:
        ended_s = thread_time()
        if was_enabled:
            gc.enable()
    return max(ended_s - begun_s, 1e-9)


def calls(function: Callable[..., object], during: Callable[[], object]) -> int:
    """How often a Python function is called in this thread while `during` runs."""
    assert isinstance(function, FunctionType)
    code = function.__code__
    return _counted(lambda frame, event: event == "call" and frame.f_code is code, during)


def steps(during: Callable[[], object]) -> int:
    """How many functions, built-in ones included, this thread calls while `during` runs."""
    return _counted(lambda _frame, event: event in ("call", "c_call"), during)


def _counted(counts: Callable[[FrameType, str], bool], during: Callable[[], object]) -> int:
    counted = 0

    def count(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += counts(frame, event)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        during()
    finally:
        sys.setprofile(before)
    return counted
