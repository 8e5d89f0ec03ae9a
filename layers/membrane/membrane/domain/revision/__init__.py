"""Revisions of records (supersede, fork, merge, contest, retract), and conflicts of facts."""
