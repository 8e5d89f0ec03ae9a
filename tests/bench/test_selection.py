"""The selector takes a skill for the task, and of these a skill that succeeds."""

from tests.bench.selection import figures


def test_the_selector_chooses_better_than_simpler_rules() -> None:
    found = {each.name: each for each in figures()}

    assert not [each.complaint for each in found.values() if each.missed]
    success = {name: each.value for name, each in found.items() if name.endswith("the choice")}
    assert max(success, key=lambda name: success[name]) == "selection, success of the choice"
