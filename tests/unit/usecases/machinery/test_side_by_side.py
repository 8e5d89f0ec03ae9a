"""Work on the next item beside the use of the last result."""

from threading import Event

import pytest

from membrane.usecases.machinery.side_by_side import one_ahead

PATIENCE_S = 30.0
"""Only a failing test waits so long."""


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    assert [*one_ahead(lambda number: number * 2, range(count))] == [*range(0, 2 * count, 2)]


def test_the_next_item_is_worked_on_while_a_result_is_used() -> None:
    begun = [Event(), Event()]

    def work(number: int) -> int:
        begun[number].set()
        return number

    for number in one_ahead(work, range(2)):
        assert begun[min(number + 1, 1)].wait(PATIENCE_S)


def test_only_one_item_is_worked_on_ahead() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        return number

    results = one_ahead(work, range(4))
    next(results)
    results.close()

    assert begun == [0, 1]


def test_a_failure_is_raised_in_its_turn_and_ends_the_work() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 1:
            raise RuntimeError("no second")
        return number

    results = one_ahead(work, range(4))

    assert next(results) == 0
    with pytest.raises(RuntimeError, match="no second"):
        next(results)
    assert begun == [0, 1]
