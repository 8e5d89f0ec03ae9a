"""Supersede, fork, merge, contest, resolve, retract, reclassify; facts under a conflict policy."""
