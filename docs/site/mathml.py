"""Typesets mathematics when the site is built: LaTeX between dollar signs becomes MathML, which
browsers draw by themselves. No script and no font comes with it. What cannot be read is an
error."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import SphinxError


def _mathml(self, node, display):
    try:
        return convert(node.astext(), display="block" if display else "inline")
    except Exception as error:
        raise SphinxError(
            f"{node.source or self.builder.current_docname}: cannot typeset "
            f"{node.astext()!r}: {error!r}"
        ) from error


def inline(self, node):
    self.body.append(_mathml(self, node, False))
    raise nodes.SkipNode


def block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(_mathml(self, node, True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
