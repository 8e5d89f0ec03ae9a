"""Load a batch in one request; after a failure, load the ids singly to find the damaged item."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from membrane.usecases.machinery.retries import TRANSIENT

Loaded = TypeVar("Loaded")


def load_undamaged(
    ids: Sequence[str],
    load_all: Callable[[Sequence[str]], Mapping[str, Loaded]],
    load: Callable[[str], Loaded | None],
) -> tuple[Mapping[str, Loaded], Mapping[str, Exception]]:
    """The items found, and the failure of each damaged item, by id; raises TRANSIENT errors."""
    try:
        return load_all(ids), {}
    except TRANSIENT:
        raise
    except Exception:  # noqa: BLE001, S110 - raised again below, for the damaged item
        pass
    found: dict[str, Loaded] = {}
    damaged: dict[str, Exception] = {}
    for each in ids:
        try:
            loaded = load(each)
        except TRANSIENT:
            raise
        except Exception as error:  # noqa: BLE001 - one damaged item must not keep back the others
            damaged[each] = error
        else:
            if loaded is not None:
                found[each] = loaded
    return found, damaged
