"""The table's stream gives way to ingest requests, but not for ever."""

import threading

import pytest

from membrane_local.ingests import Ingests

PATIENCE_S = 30.0
"""Only a failing test waits so long."""

A_MOMENT_S = 0.1
"""In which a stream that gave no way would have gone on."""


def giving_way(ingests: Ingests, longest_s: float = PATIENCE_S) -> threading.Thread:
    """A thread that ends when the stream may go on."""
    thread = threading.Thread(target=ingests.give_way, args=(longest_s,), daemon=True)
    thread.start()
    return thread


def test_nobody_waits_where_no_request_was_made() -> None:
    thread = giving_way(Ingests())

    thread.join(PATIENCE_S / 2)

    assert not thread.is_alive()


def test_the_stream_goes_on_once_the_last_request_is_answered() -> None:
    ingests = Ingests()

    with ingests.under_way():
        with ingests.under_way():
            thread = giving_way(ingests)
        thread.join(A_MOMENT_S)
        assert thread.is_alive()
    thread.join(PATIENCE_S / 2)

    assert not thread.is_alive()


def test_the_stream_waits_for_the_next_request_of_a_caller_who_was_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("membrane_local.ingests.PAUSE_S", PATIENCE_S)
    ingests = Ingests()

    with ingests.under_way():
        pass
    thread = giving_way(ingests)
    thread.join(A_MOMENT_S)

    assert thread.is_alive()


def test_a_request_that_fails_is_under_way_no_longer() -> None:
    ingests = Ingests()
    with pytest.raises(RuntimeError), ingests.under_way():
        raise RuntimeError("refused")

    thread = giving_way(ingests)
    thread.join(PATIENCE_S / 2)

    assert not thread.is_alive()


def test_no_request_is_given_way_to_for_longer_than_allowed() -> None:
    ingests = Ingests()

    with ingests.under_way():
        thread = giving_way(ingests, longest_s=A_MOMENT_S)
        thread.join(PATIENCE_S)

        assert not thread.is_alive()
