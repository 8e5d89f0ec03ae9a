"""The composition root: settings, clock, ids, clients, and the services made from all."""
