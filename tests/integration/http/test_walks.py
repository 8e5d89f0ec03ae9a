"""The admin of a scope starts a bounded number of walks over the whole table."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from tests.worlds.api import Api
from tests.worlds.refusals import an_error

EXPORTS, ERASURES = "/v1/exports", "/v1/erasures"
JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    "export": (EXPORTS, {}),
    "erasure": (ERASURES, {"scope": "small", "dry_run": False}),
    "dry run": (ERASURES, {"scope": "small", "dry_run": True}),
}


@pytest.fixture
def api(api: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    """The stack at noon; no job that begins goes on."""
    clock = api.functions.clock
    clock.freeze(frozen=True)
    clock.set_to(clock.now().replace(hour=12, minute=0, second=0, microsecond=0))
    monkeypatch.setattr(api.functions, "invoke_later", lambda *_: None)
    return api


def store_of(api: Api, job: str, name: str) -> Any:
    """The class of a store that the function of the job's route has."""
    function = "ExportsFunction" if job == "export" else "ErasuresFunction"
    return type(getattr(api.functions.worlds[function], name))


@pytest.mark.parametrize("job", JOBS)
def test_a_second_job_of_a_kind_waits_for_the_end_of_the_first(api: Api, job: str) -> None:
    path, body = JOBS[job]
    key, once = api.key_for(scopes=("small",)), {"idempotency-key": "once"}
    first = api.post(path, body, key=key, headers=once)

    second = api.post(path, body, key=key)
    again = api.post(path, body, key=key, headers=once)
    others = [api.post(*JOBS[other], key=key).status for other in JOBS if other != job]

    assert (first.status, second.status) == (202, 429)
    assert (second.body["code"], second.headers["retry-after"]) == ("RESOURCE_EXHAUSTED", "60")
    assert again.headers["idempotency-replayed"] == "true"
    assert others == [202, 202]


@pytest.mark.parametrize("comes_first", [True, False])
@pytest.mark.parametrize("job", JOBS)
def test_of_two_jobs_that_begin_at_once_one_waits(
    api: Api, job: str, monkeypatch: pytest.MonkeyPatch, *, comes_first: bool
) -> None:
    path, body = JOBS[job]
    key, inner = api.key_for(scopes=("small",)), []
    jobs = store_of(api, job, "jobs")
    keep = jobs.keep

    def begin_another(*given: Any) -> None:
        monkeypatch.setattr(jobs, "keep", keep)
        if not comes_first:
            keep(*given)
        inner.append(api.post(path, body, key=key).status)
        if comes_first:
            keep(*given)

    monkeypatch.setattr(jobs, "keep", begin_another)
    first = api.post(path, body, key=key)

    assert (first.status, inner) == ((429, [202]) if comes_first else (202, [429]))


@pytest.mark.parametrize("job", JOBS)
def test_a_job_waits_for_the_end_of_one_that_another_key_began(api: Api, job: str) -> None:
    path, body = JOBS[job]
    keys = [api.key_for(scopes=("small",), actor_id=each) for each in ("ada", "bob")]

    assert [api.post(path, body, key=key).status for key in keys] == [202, 429]


def test_a_job_of_another_tenant_is_neither_met_nor_named(api: Api) -> None:
    about = {"subject": "Alice Smith", "dry_run": True}
    keys = [api.key_for(scopes=(f"tenant-{each}",), actor_id=each) for each in ("a", "b")]
    colleague = api.key_for(scopes=("tenant-a",), actor_id="c")

    begun = [api.post(ERASURES, about, key=key) for key in keys]
    waiting = api.post(ERASURES, about, key=colleague)

    assert [each.status for each in begun] == [202, 202]
    assert waiting.status == 429
    assert begun[0].body["id"] not in str(waiting.body)


def test_jobs_for_users_count_against_the_key(api: Api) -> None:
    key = api.key_for(scopes=("t:*",), user_prefix="t:user:")

    begun = [api.post(EXPORTS, {"user": str(each)}, key=key).status for each in range(50)]
    beyond = api.post(ERASURES, {"user": "eve", "dry_run": True}, key=key)

    assert {*begun} == {202}
    assert beyond.status == 429


def test_a_job_of_yesterday_that_runs_counts(api: Api) -> None:
    key = api.key_for(scopes=("team:*",))
    body = {"scope": "team:1", "dry_run": True}
    begun = api.post(ERASURES, body, key=key).status
    api.functions.clock.advance(timedelta(hours=13))

    elsewhere = api.post(ERASURES, {**body, "scope": "team:2"}, key=key).status
    again = api.post(ERASURES, body, key=key).status

    assert (begun, elsewhere, again) == (202, 202, 429)


def test_a_job_that_was_counted_and_never_kept_blocks_the_next_for_a_minute(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, body = JOBS["export"]
    key = api.key_for(scopes=("small",))

    jobs = store_of(api, "export", "jobs")
    keep = jobs.keep

    def die_after_the_count(store: Any, place: Any, *given: Any) -> Any:
        if place["pk"]["S"].startswith("export#"):
            raise an_error("UNAVAILABLE", "the store did not answer")
        return keep(store, place, *given)

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "keep", die_after_the_count)
        lost = api.post(path, body, key=key).status
    at_once = api.post(path, body, key=key).status
    api.functions.clock.advance(timedelta(seconds=60))

    assert (lost, at_once) == (503, 429)
    assert api.post(path, body, key=key).status == 202


def test_jobs_beyond_the_bound_of_a_day_are_refused_until_midnight(api: Api) -> None:
    key = api.key_for(scopes=("team:*",))

    def dry_run(number: int) -> int:
        body = {"scope": f"team:{number}", "dry_run": True}
        return api.post(ERASURES, body, key=key).status

    begun = Counter(dry_run(number) for number in range(50))
    beyond = api.post(EXPORTS, {}, key=key)

    assert begun == {202: 50}
    assert (beyond.status, beyond.headers["retry-after"]) == (429, str(12 * 3_600 + 1))
    assert api.get(EXPORTS, key=key).body["exports"] == []
    api.functions.clock.advance(timedelta(hours=12))
    assert dry_run(50) == 202


def test_a_key_for_all_scopes_has_no_bound(api: Api) -> None:
    replies = [api.post(*JOBS[job]) for job in JOBS for _ in range(50)]

    assert {each.status for each in replies} == {202}
