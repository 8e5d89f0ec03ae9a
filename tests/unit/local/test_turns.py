"""A lock that nobody overtakes."""

from concurrent.futures import ThreadPoolExecutor

from membrane_local.storage.turns import Turns


def test_a_thread_that_waits_comes_before_a_thread_that_returns() -> None:
    turns, came = Turns(), []

    def come(name: str) -> None:
        turns.acquire()
        came.append(name)
        turns.release()

    with ThreadPoolExecutor() as people:
        turns.acquire()
        waits = people.submit(come, "waited")
        while len(turns.waiting) < 2:
            pass
        turns.release()
        come("returned")
        waits.result()

    assert came == ["waited", "returned"]


def test_one_thread_at_a_time_has_the_lock() -> None:
    turns, inside = Turns(), []

    def come(number: int) -> int:
        turns.acquire()
        inside.append(number)
        most = len(inside)
        inside.remove(number)
        turns.release()
        return most

    with ThreadPoolExecutor(8) as people:
        assert set(people.map(come, range(1_000))) == {1}
