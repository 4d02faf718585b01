"""From files to the verdict: read alone, it imports none of the other parts."""
