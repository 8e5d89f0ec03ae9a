"""The walk over the table for erasures, the jobs and the fences."""
