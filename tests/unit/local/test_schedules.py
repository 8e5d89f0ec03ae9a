"""Schedules: the event that a function is sent, and what is a rate."""

from datetime import UTC, datetime

import pytest

from membrane_local.events.schedules import Schedule, interval_s

NOW = datetime(2026, 11, 21, 18, 43, 48, 512_000, tzinfo=UTC)


def test_an_event_names_schedule_and_group_and_has_text_as_detail() -> None:
    event = Schedule("Hourly", "DecayFunction", 3_600, group="Schedules").event(NOW)

    assert event == {
        "version": "0",
        "id": event["id"],
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "account": "000000000000",
        "time": "2026-11-21T18:43:48Z",
        "region": "us-east-1",
        "resources": ["arn:aws:scheduler:us-east-1:000000000000:schedule/Schedules/Hourly"],
        "detail": "{}",
    }


def test_the_templates_own_input_is_sent_as_it_is() -> None:
    schedule = Schedule("Weekly", "IndexFunction", 604_800, "Schedules", '{"do": {"this": 1}}')

    assert schedule.event(NOW) == {"do": {"this": 1}}


def test_every_event_has_an_id_of_its_own() -> None:
    schedule = Schedule("Daily", "CollectBlobsFunction", 86_400)

    assert schedule.event(NOW)["id"] != schedule.event(NOW)["id"]


@pytest.mark.parametrize(
    ("expression", "seconds"),
    [("rate(1 minute)", 60), ("rate(90 minutes)", 5_400), ("rate(1 hour)", 3_600)],
)
def test_a_rate_is_so_many_seconds(expression: str, seconds: int) -> None:
    assert interval_s(expression) == seconds


@pytest.mark.parametrize(
    "expression",
    ["rate(0 hours)", "rate(-1 hour)", "rate(1 second)", "rate(1.5 hours)", "cron(0 1 * * ? *)"],
)
def test_anything_else_is_no_rate(expression: str) -> None:
    assert interval_s(expression) is None
