"""Settings of Sphinx for the documentation; `build.py` writes its sources and runs it.

Sphinx, because docstrings here are numpy's (numpydoc reads them) and name functions in single
backticks (the default role makes links of them, and `nitpicky` an error where there is no such
name), and because its search is a file beside the pages, so that it works without a server. MyST-NB
shows the notebooks with the outputs that are stored in them. Furo loads nothing from a network.
"""

import re

from docutils import nodes
from reference_pages import place_of, rooms_for_users

import lexiframe

project = "lexiframe"
author = "lexiframe contributors"
copyright = author
version = release = lexiframe.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_nb", "sphinx_copybutton"]
exclude_patterns = ["LICENSE"]
default_role = "py:obj"
nitpicky = True
smartquotes = False  # what stands in quotes is Python more often than not
nitpick_ignore_regex = [("py:obj", r"(scipy|statsmodels|polars|numpy|pyarrow)\..*")]
suppress_warnings = ["mystnb.unknown_mime_type"]

# The text of a docstring says types better than annotations, which repeat every choice of a word.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_class_members_toctree = False

nb_execution_mode = "off"  # tests execute them; what is stored is what was tested
nb_ipywidgets_js = {}  # else pages name addresses of a network
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

html_theme = "furo"
html_title = f"lexiframe {release}"
html_copy_source = False
html_show_search_summary = False  # a page that is opened from a disk must not fetch others
html_static_path = [
    "site.css",
    "../.site/sources/two-rankings.js",
    "../.site/sources/pictures",
    "../lexiframe/core/views/report/two-rankings.css",
]
html_extra_path = ["../.site/sources/live"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c8a", "color-brand-content": "#0b5c8a"},
    "dark_css_variables": {"color-brand-primary": "#7cc4ee", "color-brand-content": "#7cc4ee"},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

_MODULES = [
    "lexiframe",
    "lexiframe.theory",
    "lexiframe.spark",
    "lexiframe.views.charts",
    "lexiframe.views.display",
    *(place_of(room) for room in rooms_for_users()),
]


def _keep_bars(_app, _what, _name, _thing, _options, lines):
    """Keep the bars of |x| in formulas: reStructuredText would replace what is inside."""
    is_code = False
    for n, line in enumerate(lines):
        is_code = line.lstrip().startswith(">>>") or (is_code and line.strip() != "")
        if not is_code:
            lines[n] = re.sub(r"(``.*?``)|\|", lambda found: found[1] or r"\|", line)


def _find_public(app, env, node, contnode):
    """Find a name wherever it is public, as the reader of ``help`` does."""
    python = env.get_domain("py")
    for module in _MODULES if node.get("reftype") == "obj" else ():
        name = f"{module}.{node['reftarget']}"
        if name in python.objects:
            page = node.get("refdoc")
            return python.resolve_xref(env, page, app.builder, "obj", name, node, contnode)
    return None


def _measures_are_no_addresses(_app, doctree):
    """Make text of what reStructuredText takes for an address of mail: nDCG@10."""
    for node in [*doctree.findall(nodes.reference)]:
        if node.get("refuri", "").startswith("mailto:"):
            node.replace_self(nodes.Text(node.astext()))


def _own_branch(_app, _page, _template, context, _doctree):
    """Show beside a page its own branch: to list all pages beside each took most of the build."""
    if toctree := context.get("toctree"):
        context["toctree"] = lambda **how: toctree(**how | {"collapse": True})


def setup(app):
    """Connect what is above."""
    app.connect("autodoc-process-docstring", _keep_bars, priority=100)
    app.connect("missing-reference", _find_public)
    app.connect("html-page-context", _own_branch, priority=400)  # before Furo asks for the tree
    app.connect("doctree-read", _measures_are_no_addresses)
