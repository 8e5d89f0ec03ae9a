"""Conditions on the labels of namespaces, for listing them."""

from collections.abc import Sequence
from itertools import takewhile

WILDCARD = "*"
"""Stands for exactly one label of any text."""


def has_labels(namespace: Sequence[str], prefix: Sequence[str], suffix: Sequence[str]) -> bool:
    """Whether the namespace begins with `prefix` and ends with `suffix`, which may overlap."""
    return _begins(namespace, prefix) and _begins(namespace[::-1], suffix[::-1])


def truncate(namespace: tuple[str, ...], max_depth: int | None) -> tuple[str, ...]:
    """The first labels of the namespace, at most `max_depth`; all labels for None."""
    return namespace if max_depth is None else namespace[:max_depth]


def literal_prefix(prefix: Sequence[str]) -> tuple[str, ...]:
    """The labels before the first wildcard: the part of a prefix that an index can answer."""
    return tuple(takewhile(lambda label: label != WILDCARD, prefix))


def dead_end(namespace: tuple[str, ...], prefix: Sequence[str]) -> tuple[str, ...] | None:
    """The shortest beginning of the namespace below which no namespace has the prefix.

    None if no label of the namespace contradicts the prefix.
    """
    for position, (label, wanted) in enumerate(zip(namespace, prefix, strict=False), 1):
        if wanted not in {WILDCARD, label}:
            return namespace[:position]
    return None


def _begins(labels: Sequence[str], wanted: Sequence[str]) -> bool:
    if len(labels) < len(wanted):
        return False
    pairs = zip(labels, wanted, strict=False)
    return all(each in {WILDCARD, label} for label, each in pairs)
