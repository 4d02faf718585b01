"""The commands, each in its module."""
