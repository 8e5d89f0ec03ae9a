"""What holds for the whole suite: no test can touch a real account or leave this machine."""

import ctypes
import gc
import os
import resource
import socket
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from ipaddress import ip_address

import pytest
from hypothesis import HealthCheck, settings

from tests.worlds.depth import EXAMPLES, examples

collect_ignore = ["adapters"]
"""Tests of the adapters run where the frameworks are: `make test-adapters`."""

OF_TERMINALS = ("COLORTERM", "COLUMNS", "FORCE_COLOR", "JUPYTER_", "LINES", "NO_COLOR", "TTY_")
"""How a terminal shows is said by each test, never by the one in which the suite runs."""

for name in [name for name in os.environ if name.startswith(("AWS_", "MEMBRANE_", *OF_TERMINALS))]:
    del os.environ[name]
os.environ.update(
    AWS_ACCESS_KEY_ID="testing",
    AWS_SECRET_ACCESS_KEY="testing",
    AWS_DEFAULT_REGION="eu-central-1",
    AWS_REGION="eu-central-1",
    TERM="xterm",
    XDG_STATE_HOME=os.devnull,  # no id that a test shows is kept
    AWS_CONFIG_FILE=os.devnull,
    AWS_SHARED_CREDENTIALS_FILE=os.devnull,
    AWS_EC2_METADATA_DISABLED="true",
    AWS_ACCOUNT_ID_ENDPOINT_MODE="disabled",  # else moto answers 404 to an account's own address
    NO_PROXY="*",  # loopback is all that is ever called
    no_proxy="*",
)

LARGEST_MB = 1_500
"""The most memory of a process of the suite: a worker for each core fits a small machine."""
GREW = pytest.StashKey[bool]()
"""Whether a test has failed for the memory of a process."""
GIVE_BACK = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""glibc's; without it, the freed memory of one module stays with a worker beside the next one's."""

# A store may be shared by the examples of one test: each example has record ids of its own.
settings.register_profile(
    "suite",
    max_examples=examples(EXAMPLES),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--deep`."""
    parser.addoption("--deep", action="store_true", help="run the long matrices in full")


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """`-n auto`: a worker more than usual, since tests wait for programs and clocks."""
    usual = yield
    return usual + 1


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was loaded by now, which stays to the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Fail the first test after which the worker, or a process of a test, is too large."""
    yield
    if GIVE_BACK and (nextitem is None or nextitem.path != item.path):
        GIVE_BACK(0)
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes, KiB
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    largest_mb = max(resource.getrusage(each).ru_maxrss for each in processes) / unit
    if largest_mb > LARGEST_MB and not item.config.stash.get(GREW, False):
        item.config.stash[GREW] = True
        pytest.fail(f"a process took {largest_mb:,.0f} MB; the suite's limit is {LARGEST_MB:,} MB")


def is_of_this_machine(host: str) -> bool:
    """Whether the host is the loopback interface; a name is `localhost` alone."""
    with suppress(ValueError):
        address = ip_address(host)
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    return host.removesuffix(".") == "localhost"


@pytest.fixture(scope="session", autouse=True)
def _nothing_beyond_loopback() -> Iterator[None]:
    """Refuse connections to other machines, by name or by address."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not is_of_this_machine(str(address[0])):
            pytest.fail(f"a test connects to {address[0]}, beyond this machine")
        connect(self, address)  # type: ignore[arg-type]  # whatever the caller gave

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield
