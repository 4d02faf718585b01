"""The command line: what it is asked, what it reads, what it prints and writes."""
