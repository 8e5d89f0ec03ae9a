"""`membrane export`: start an export, wait for the file, download and check the file."""
