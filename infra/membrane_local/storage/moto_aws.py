"""AWS in memory: moto in this process, faster and smaller, with the vector index of the table."""

from collections.abc import Iterator
from contextlib import contextmanager

from moto import mock_aws

from membrane_local.storage.moto_lookups import light_lookups
from membrane_local.storage.moto_memory import light_memory
from membrane_local.storage.moto_reads import light_reads
from membrane_local.storage.moto_transactions import light_transactions
from membrane_local.storage.moto_vectors import vector_indexes


@contextmanager
def aws_in_memory() -> Iterator[None]:
    """Within this context, every client of AWS calls moto."""
    with (
        mock_aws(),
        light_lookups(),
        light_memory(),
        light_transactions(),
        light_reads(),
        vector_indexes(),
    ):
        yield
