"""What a collection lets one conclude: judges, holes, overlap, less data, simulated data."""
