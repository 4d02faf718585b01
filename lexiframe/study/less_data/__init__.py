"""How conclusions change when judgments, requests or depth are missing."""
