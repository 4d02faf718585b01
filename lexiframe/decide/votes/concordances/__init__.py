"""The agreement of measures with people's preferences between runs, with intervals."""
