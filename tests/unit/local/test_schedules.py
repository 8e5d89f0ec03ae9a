"""Schedules: the event that a function is sent, and what is a rate."""

from datetime import UTC, datetime

from membrane_local.events.sources import Schedule

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
