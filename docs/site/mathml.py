"""Typesets mathematics when the site is built: LaTeX between dollar signs becomes MathML, which
browsers draw by themselves. No script and no font comes with it. What cannot be read is an
error."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import SphinxError


# Bars and angles are pairs, so that their exponents and distances are those of the whole.
PAIR = re.compile(r"(?<!\\left)(?<!\\right)\\(?:(l)|r)(vert|Vert|angle)(?![A-Za-z])")
OPENS = re.compile(
    r"((?:<math[^>]*>|<mrow>|<mtd>|<mo[^>]*>(?:\[|\(|,|:|=|<|&#x0007B;|&#x00028;|&#x0002C;|&#x0003D;|"
    r"&#x0003C;|&#x02264;|&#x02265;|&#x02192;|&#x02208;)</mo>)(?:<mrow>)?)<mo>(&#x02212;|&#x0002B;|&#x000B1;)</mo>"
)
NAMES = re.compile(r"<mo>(max|min|sup|inf|lim|det|ln|log|exp)</mo>")


def _paired(match):
    side = "left" if match[1] else "right"
    return f"\\{side}" + {
        "vert": "|",
        "Vert": r"\|",
        "angle": r"\langle " if match[1] else r"\rangle ",
    }[match[2]]


def typeset(text, display):
    made = convert(PAIR.sub(_paired, text), display="block" if display else "inline")
    made = OPENS.sub(r'\1<mo form="prefix">\2</mo>', made)  # a sign, and no difference
    made = made.replace('fence="true"', 'fence="true" lspace="0" rspace="0"')
    made = re.sub("<mo>(/|&#x0002F;)</mo>", '<mo lspace="0.05em" rspace="0.05em">/</mo>', made)
    return NAMES.sub(r'<mo lspace="0.1em" rspace="0.1em">\1</mo>', made)


def _mathml(self, node, display):
    try:
        return typeset(node.astext(), display)
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
