"""Formulas as MathML, which browsers draw without a script or a font."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx


def mathml(latex: str, display: bool) -> str:
    """Return a formula as MathML.

    >>> mathml("w + y x", display=False).startswith("<math")
    True
    """
    return str(convert(latex.strip(), display="block" if display else "inline"))


def show_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(mathml(node.astext(), display=False))
    raise nodes.SkipNode


def show_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on a separate line, with its label."""
    label = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(f'<div class="formula"{label}>{mathml(node.astext(), display=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer with Sphinx; `html_math_renderer = "mathml"` chooses it."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
