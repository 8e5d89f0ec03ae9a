"""One technology per package; none of them knows another."""
