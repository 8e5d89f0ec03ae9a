"""Store keyed documents: a head item for each place; history and list lie beside the head."""
