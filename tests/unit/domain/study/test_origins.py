"""The provenance of what a study wrote."""

import pytest

from membrane.domain.study.hierarchy import Span
from membrane.domain.study.origins import Origin, origin_in

TEXT = Origin("doc-1", "a1b2c3d4e5f6", 12, Span(100, 250))
MODEL = TEXT._replace(by_model=True, passage="0123456789ab")


@pytest.mark.parametrize(
    ("origin", "spelled"),
    [
        (TEXT, "study/text:doc-1/a1b2c3d4e5f6#12:100-250"),
        (MODEL, "study/model:doc-1/a1b2c3d4e5f6.0123456789ab#12:100-250"),
    ],
)
def test_an_origin_is_spelled_and_read(origin: Origin, spelled: str) -> None:
    assert str(origin) == spelled
    assert origin_in(spelled) == origin


@pytest.mark.parametrize("other", ["api", "", "study/text:doc#1:2-3", "study/text:d/j#1:2-3x"])
def test_any_other_provenance_has_no_origin(other: str) -> None:
    assert origin_in(other) is None
