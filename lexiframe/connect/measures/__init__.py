"""Measures that other tools have: of sets, of curves, of models of users."""
