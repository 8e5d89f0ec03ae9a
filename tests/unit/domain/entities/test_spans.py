"""Places of names that do not overlap."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.entities.spans import Span, disjoint_spans

spans = st.lists(
    st.builds(
        lambda start, length: Span(start, start + length),
        st.integers(0, 30),
        st.integers(1, 10),
    )
)


def test_of_equal_places_the_first_counts() -> None:
    known, written = Span(3, 9, entity_id="e"), Span(3, 9, "file")

    assert disjoint_spans([known, written]) == (known,)


@given(spans)
def test_what_is_left_out_overlaps_with_a_span_as_long(given_spans: list[Span]) -> None:
    kept = disjoint_spans(given_spans)

    assert all(this.end <= following.start for this, following in pairwise(kept))
    for span in given_spans:
        rivals = [each for each in kept if each.start < span.end and span.start < each.end]
        assert max(each.length for each in rivals) >= span.length
