"""`membrane study`: documents become topics."""
