"""The problems of a file: finding bad rows and their lines, advice, and tables of problems."""
