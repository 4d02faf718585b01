"""Nuggets: answers in text, judged by which facts they state and whether citations support them.

Texts and models stay outside: what is read are judgments, of people or of a model.
"""

from lexiframe.core.base.face import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
