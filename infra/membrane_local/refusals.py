"""Why the local stack does not start; every message is a sentence for the operator.

Refused
├── OptionRefused     an option of `membrane dev` that cannot be used
├── StoreRefused      a place that cannot hold the table or the documents
└── TemplateError     a template that the local stack cannot run
"""


class Refused(Exception):
    """The local stack does not start."""


class OptionRefused(Refused):
    """The option cannot be used; the message begins with the option's name."""

    def __init__(self, option: str, reason: object) -> None:
        super().__init__(f"{option}: {reason}")


class StoreRefused(Refused):
    """The store cannot be opened at the given place."""


class TemplateError(Refused):
    """The local stack cannot run the template."""
