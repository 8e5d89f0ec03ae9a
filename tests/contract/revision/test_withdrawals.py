"""Deletions of captures that break off at any call of the store: a repeat ends in one state."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest

from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.services import Services
from tests.builders.derived_facts import capture, derive
from tests.worlds.depth import cases
from tests.worlds.endings import amid
from tests.worlds.faults import Killed, Moment, die, without_retries
from tests.worlds.revision import Stage

STEPS = 60
"""More than any deletion takes; every test says that it reached the last."""
