"""The composition root: settings, clock, ids, clients, and the services built of them."""
