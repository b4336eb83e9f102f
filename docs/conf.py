"""Build the site: `sphinx-build -W --keep-going -b html docs build/docs`, without any download."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from rosenblatt import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "rosenblatt"
author = "The rosenblatt developers"
copyright = author  # noqa: A001 - Sphinx's name
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "formulas_as_mathml",
    "docstrings_as_rst",
    "api_modules",
    "chapters_of_the_lab",
    "llms_txt",
]
exclude_patterns = ["_ext", "_static"]
highlight_language = "text"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"rosenblatt {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
pygments_dark_style = "github-dark"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False

smartquotes = False

autodoc_type_aliases = {"ArrayLike": "ArrayLike", "NDArray": "NDArray"}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
# rules and proofs both define Facts; Sphinx uses the nearest one and warns
suppress_warnings = ["ref.python"]


def end_at_the_last_line(app: Sphinx, doctree: nodes.document) -> None:
    """Remove the empty line at the end of a doctest in Markdown."""
    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.astext().rstrip()
        block.children = [nodes.Text(block.rawsource)]


def setup(app: Sphinx) -> None:
    """Register the hook with Sphinx."""
    app.connect("doctree-read", end_at_the_last_line)
