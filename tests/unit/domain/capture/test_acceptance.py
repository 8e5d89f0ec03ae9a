"""What counts of a proposal: offered ids, and what rests on the content."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.capture.acceptance import Accepted, Dropped, accept_proposal
from tests.builders.proposals import fact, label, mention, proposal, reference, relation

CONTENT = "Ana owns billing.\nBilling depends on Ledger and went down, see OPS-7."
OFFERED = ("e-1", "r-1")


def accept(content: str = CONTENT, **lists: list[dict[str, Any]]) -> Accepted:
    return accept_proposal(proposal(**lists), OFFERED, content)


def test_what_rests_on_the_content_and_names_offered_ids_counts() -> None:
    accepted = accept(
        mentions=[mention(), mention("Ledger", entity_id="e-1")],
        relations=[relation()],
        references=[reference()],
        labels=[label()],
        facts=[fact()],
    )

    assert [each.surface for each in accepted.mentions] == ["Ana", "Ledger"]
    assert accepted.relations[0].target_id == "e-1"
    assert accepted.references[0].target_id == "r-1"
    assert accepted.labels[0].label == "outage"
    assert accepted.facts[0].subject == "billing"
    assert accepted.dropped == {}


def test_an_invented_id_is_dropped_and_counted() -> None:
    accepted = accept(
        mentions=[mention(entity_id="e-9")],
        relations=[relation("e-9"), relation(""), relation("e-1")],
        references=[reference("E-1")],
    )

    assert accepted.mentions == ()
    assert [each.target_id for each in accepted.relations] == ["e-1"]
    assert accepted.references == ()
    assert accepted.dropped == {Dropped.ID_NOT_OFFERED: 4}


def test_what_rests_on_words_outside_the_content_is_dropped_and_counted() -> None:
    invented = "the model says so"

    accepted = accept(
        mentions=[mention(words=invented), mention("Bob", words="Ana")],
        relations=[relation(words=invented)],
        references=[reference(words=""), reference(ref="OPS-8")],
        labels=[label(words=" \n ")],
        facts=[fact(words=invented)],
    )

    assert accepted == Accepted((), (), (), (), (), {Dropped.NOT_IN_CONTENT: 7})


def test_an_alias_outside_the_content_is_dropped_and_the_mention_stays() -> None:
    accepted = accept(mentions=[mention(aliases=["billing", "root"])])

    assert accepted.mentions[0].aliases == ("billing",)
    assert accepted.dropped == {Dropped.NOT_IN_CONTENT: 1}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Ana  owns\n\tbilling", "ana OWNS billing"),
        ("the \ufb01le \uff21", "file a"),
        ("Straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"),
    ],
)
def test_words_are_compared_in_the_normal_form_of_names(content: str, words: str) -> None:
    accepted = accept(content, labels=[label(words=words)])

    assert len(accepted.labels) == 1


@pytest.mark.parametrize(
    "part",
    [
        {"mentions": [mention("Ann", words="Joanna")]},
        {"mentions": [mention("bill", words="billing")]},
        {"references": [reference(ref="OPS-7", words="OPS-71")]},
        {"facts": [fact(subject="bill", object="Joanna", words="Joanna owns billing")]},
        {"facts": [fact(subject="billing", object="Ann", words="Joanna owns billing")]},
    ],
)
def test_a_name_that_is_a_part_of_another_name_is_dropped(part: Any) -> None:
    accepted = accept("Joanna owns billing, see OPS-71.", **part)

    assert (accepted.mentions, accepted.references, accepted.facts) == ((), (), ())
    assert accepted.dropped == {Dropped.NOT_IN_CONTENT: 1}


def test_an_alias_that_is_a_part_of_another_name_is_dropped() -> None:
    accepted = accept(
        "Joanna (@jo) owns billing", mentions=[mention("Joanna", aliases=["Ann", "jo"])]
    )

    assert accepted.mentions[0].aliases == ("jo",)
    assert accepted.dropped == {Dropped.NOT_IN_CONTENT: 1}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("ask @ann, please", "@ann"),
        ("Ann's billing", "Ann"),
        ("(acme/mill#12)", "acme/mill#12"),
        ("C++ is used", "C++"),
        ("安娜负责billing", "安娜"),
    ],
)
def test_a_name_counts_beside_punctuation_and_in_unspaced_writing(content: str, name: str) -> None:
    assert len(accept(content, mentions=[mention(name)]).mentions) == 1


def test_a_blank_predicate_label_subject_or_object_is_dropped_and_counted() -> None:
    accepted = accept(
        relations=[relation(predicate=" ")],
        labels=[label(" ")],
        facts=[fact(subject=""), fact(predicate="\t"), fact(object=" ")],
    )

    assert accepted.dropped == {Dropped.BLANK: 5}


def test_a_fact_about_a_subject_that_the_content_lacks_is_dropped() -> None:
    accepted = accept(facts=[fact(subject="Bob"), fact(subject="ANA")])

    assert [each.subject for each in accepted.facts] == ["ANA"]
    assert accepted.dropped == {Dropped.NOT_IN_CONTENT: 1}


def test_a_fact_with_an_object_that_the_content_lacks_is_dropped() -> None:
    accepted = accept(facts=[fact(object="Bob"), fact(object="ledger AND went\n down")])

    assert [each.object for each in accepted.facts] == ["ledger AND went\n down"]
    assert accepted.dropped == {Dropped.NOT_IN_CONTENT: 1}


@pytest.mark.parametrize("words", ["na owns billing", "Ana owns bill", "epend", "ow"])
def test_a_fact_that_rests_on_parts_of_words_is_dropped(words: str) -> None:
    accepted = accept(facts=[fact(words=words)])

    assert accepted.facts == ()
    assert accepted.dropped == {Dropped.NOT_IN_CONTENT: 1}


@pytest.mark.parametrize("words", ["a", "a,", "is", "- is"])
def test_a_fact_that_rests_on_a_single_short_word_is_dropped(words: str) -> None:
    accepted = accept("billing is a, - is", facts=[fact(object="billing", words=words)])

    assert accepted.facts == ()
    assert accepted.dropped == {Dropped.TOO_FEW_WORDS: 1}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Billing: Ana", "ana"),
        ("billing is up", "is up"),
        ("billings of billing", "billing"),
        ("billing's owner (Ana)", "billing's owner (Ana"),
        ("请注意billing由安娜负责的", "由安娜负责"),
        ("billing은 안나가 담당한다", "안나가 담당"),
    ],
)
def test_a_fact_rests_on_whole_words(content: str, words: str) -> None:
    assert len(accept(content, facts=[fact(object="billing", words=words)]).facts) == 1


@pytest.mark.parametrize("name", ["@", " @ @ "])
def test_a_fact_about_a_name_without_a_term_is_dropped_as_blank(name: str) -> None:
    accepted = accept("@ owns @ billing", facts=[fact(subject=name, words="owns @ billing")])
    of_it = accept("@ owns @ billing", facts=[fact(object=name, words="owns @ billing")])

    assert accepted.facts == of_it.facts == ()
    assert accepted.dropped == of_it.dropped == {Dropped.BLANK: 1}


def test_texts_are_trimmed_and_predicates_are_in_lower_case() -> None:
    accepted = accept(
        relations=[relation(predicate=" Depends_On ")], facts=[fact(subject=" billing ")]
    )

    assert accepted.relations[0].predicate == "depends_on"
    assert accepted.facts[0].subject == "billing"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_confidence_lies_from_0_to_1(confidence: float) -> None:
    (accepted,) = accept(facts=[fact(confidence=confidence)]).facts

    assert 0 <= accepted.confidence <= 1
    assert accepted.confidence == confidence or not 0 <= confidence <= 1


@given(st.lists(st.sampled_from(["e-1", "r-1", "e-9", ""])), st.text(max_size=50))
def test_every_part_counts_or_is_counted_as_dropped(targets: list[str], words: str) -> None:
    accepted = accept(
        relations=[relation(target, words=words) for target in targets[:100]],
        references=[reference(target) for target in targets[:100]],
    )

    kept = [each.target_id for each in accepted.relations]
    kept += [each.target_id for each in accepted.references]
    assert set(kept) <= set(OFFERED)
    assert len(kept) + sum(accepted.dropped.values()) == 2 * len(targets[:100])
