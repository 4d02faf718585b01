"""The commands, each in a module of its name.

A module has the function of the command, called like the module, its examples (`EXAMPLES`), and
the panel of ``lexiframe --help`` that lists it (`PANEL`).
"""
