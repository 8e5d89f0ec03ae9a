"""Revision: records that replace, vary, unite, contest or take back others (spec 5)."""
