"""Loading what there is together; where one of it is damaged each alone, which tells that one."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from membrane.domain.language.errors import ResourceExhausted, Unavailable

PASSING = (ResourceExhausted, Unavailable)
"""What is no fault of a single one: all of them are tried again."""

Loaded = TypeVar("Loaded")


def load_sound(
    ids: Sequence[str],
    load_all: Callable[[Sequence[str]], Mapping[str, Loaded]],
    load: Callable[[str], Loaded | None],
) -> tuple[Mapping[str, Loaded], Mapping[str, Exception]]:
    """By id those that are there, and what those fail of that are damaged; raises what passes."""
    try:
        return load_all(ids), {}
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - it comes again, for the one that it is about
        return _each(ids, load)


def _each(
    ids: Sequence[str], load: Callable[[str], Loaded | None]
) -> tuple[Mapping[str, Loaded], Mapping[str, Exception]]:
    found: dict[str, Loaded] = {}
    damaged: dict[str, Exception] = {}
    for each in ids:
        try:
            loaded = load(each)
        except PASSING:
            raise
        except Exception as error:  # noqa: BLE001 - raised, it would keep back the others
            damaged[each] = error
        else:
            if loaded is not None:
                found[each] = loaded
    return found, damaged
