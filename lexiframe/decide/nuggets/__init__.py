"""Nuggets: answers in text, judged by the facts they state and the support of citations.

Texts and models stay outside: what is read are judgments, of people or of a model.
"""
