"""`membrane dev`: the whole service in one process."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from membrane.usecases.access.api_keys import create_key, digest_of
from membrane.wiring import chance
from membrane_local.account import OWNER
from membrane_local.clock import DevClock
from membrane_local.dev_options import DevOptions
from membrane_local.events.deliveries import Deliveries
from membrane_local.functions import Functions, require_settings
from membrane_local.http.gateway import Gateway, routes_of
from membrane_local.http.server import Application, open_port, server_for
from membrane_local.refusals import OptionRefused, StoreRefused
from membrane_local.storage.stores import open_store
from membrane_local.template import read_template

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.access import DynamoKeys


@contextmanager
def local_stack(options: DevOptions) -> Iterator[tuple[Application, str | None]]:
    """The application over an open store, and the owner's key (None: keys are off)."""
    template = read_template(options.template, options.parameters)
    require_settings(template)
    routes = routes_of(template)
    with ExitStack() as opened:
        try:
            store = opened.enter_context(open_store(options.store, template.table, options.blobs))
        except StoreRefused as error:
            raise OptionRefused("--store", error) from error
        functions = Functions(template, store, DevClock())
        gateway = Gateway(functions, routes, options.requires_keys)
        keys = functions.worlds[template.authorizer_id].keys
        secret = None
        if options.requires_keys:
            secret = _owner_key(keys, options.api_key or _saved_secret(store.key_file))
        functions.keep_classes()
        with closing(Deliveries(functions, options.ttl_lag_s)) as deliveries:
            yield Application(gateway, deliveries), secret


def run_dev(options: DevOptions, say: Callable[[str], None]) -> None:
    """Serve until interrupted; `say` gets key, URL and next steps once the server answers."""

    def show(url: str, secret: str | None) -> None:
        say("membrane dev: keys are off" if secret is None else f"membrane dev: API key {secret}")
        say(f"membrane dev: {url}/docs shows the API; for the commands in another terminal:")
        say(f"export MEMBRANE_URL={url}")
        if secret is not None:
            say(f"export MEMBRANE_API_KEY={shlex.quote(secret)}")
        say(f"membrane dev: ready on {url}")

    serve(options, show)


def serve(options: DevOptions, started: Callable[[str, str | None], None]) -> None:
    """Serve until interrupted; `started` gets the URL and the key once the server answers."""
    with closing(open_port(options.port)) as port, local_stack(options) as (application, secret):
        store = application.gateway.functions.store

        def ready(url: str) -> None:
            store.bucket_endpoint.address = url
            started(url, secret)

        server_for(application, ready).run(sockets=[port])


def _saved_secret(key_file: Path | None) -> str:
    """The key in the key file, readable by the user alone; a new key without a key file."""
    if key_file is None:
        return chance.new_secret()
    key_file.parent.mkdir(parents=True, exist_ok=True)
    if not key_file.exists():
        key_file.touch(mode=0o600)
        key_file.write_text(chance.new_secret())
    return key_file.read_text()


def _owner_key(keys: "DynamoKeys", secret: str) -> str:
    """Store a key with every right, unless the store has the key already."""
    if keys.find(digest_of(secret)) is None:
        create_key(OWNER, None, keys=keys, now=chance.system_clock(), new_secret=lambda: secret)
    return secret
