"""Studies: documents become topics, in jobs that are followed, cancelled and resumed."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Opt, User
from membrane_client.core.protocol import NOT_GIVEN, Pause, Series, Steps
from membrane_client.errors import InvalidCall
from membrane_client.values.studies import Study


def start_study(
    api: Api,
    document: str,
    title: str,
    *,
    source: Opt[str] = NOT_GIVEN,
    scope: Opt[str] = NOT_GIVEN,
    sensitivity: Opt[str] = NOT_GIVEN,
    with_model: Opt[bool] = NOT_GIVEN,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[Study]:
    """Start to study a document, plain text or Markdown of at most 10 MiB.

    Sections become topics, paragraphs become fields. `source` is a path or an address, and with the
    scope the identity of the document; without a source the title is. A second study of the same
    document changes what differs. `with_model` is whether a model studies the document. The job
    goes on in the service; `study_steps` follows the job.
    """
    return api.write("POST /v1/studies", locals(), Study)


def read_study(api: Api, id: str, *, user: User = NOT_GIVEN) -> Steps[Study]:
    """The state of a study or of a removal."""
    return api.read("GET /v1/studies/{id}", locals(), Study)


def cancel_study(api: Api, id: str, *, user: User = NOT_GIVEN) -> Steps[Study]:
    """Cancel a study under way: the service removes everything that the job has made.

    Raises Conflict for a job that has ended.
    """
    return api.ask("POST /v1/studies/{id}/cancel", locals(), Study)


def resume_study(api: Api, id: str, *, user: User = NOT_GIVEN) -> Steps[Study]:
    """Go on with a failed or interrupted job where the job stopped.

    Raises Conflict for a job that is done or cancelled.
    """
    return api.ask("POST /v1/studies/{id}/resume", locals(), Study)


def remove_document(
    api: Api,
    document_id: str,
    *,
    dry_run: bool = True,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[Study]:
    """Start to count, or with `dry_run=False` to take back, what rests on a document alone.

    `document_id` is from the Study of the document; `study_steps` follows the removal.
    """
    return api.write("POST /v1/studies/remove", locals(), Study)


def study_steps(
    api: Api, id: str, *, every_s: float = 1.0, user: User = NOT_GIVEN
) -> Series[Study]:
    """The states of a study or of a removal, each as the state changes; the last has ended.

    `every_s` is the pause between two looks at the job. A failed job is a state, no error.
    """
    if not every_s > 0:
        raise InvalidCall(f"every_s is {every_s}: expected seconds, more than 0")

    def next_state(before: Study | None) -> Steps[Study | None]:
        if before is None:
            return (yield from read_study(api, id, user=user))
        if before.has_ended:
            return None
        state = before
        while state == before:
            yield Pause(every_s)
            state = yield from read_study(api, id, user=user)
        return state

    return Series(next_state)
