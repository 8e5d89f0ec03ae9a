"""Walk the table for erasures; store the jobs and the fences."""
