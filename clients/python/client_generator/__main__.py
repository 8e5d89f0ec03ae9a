"""Write the modules, or with `--check` name those that are out of date."""

import sys

from client_generator.modules import CLIENT, in_form
from client_generator.operations import operation_modules
from client_generator.values import Values, values_modules


def main() -> None:
    values = Values()
    sources = [*values_modules(values), *operation_modules(values)]
    stale = []
    for name, source in sources:
        path, text = CLIENT / name, in_form(name, source)
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if stale and "--check" in sys.argv:
        sys.exit(f"{', '.join(stale)} of the client: out of date; run 'make openapi'")


if __name__ == "__main__":
    main()
