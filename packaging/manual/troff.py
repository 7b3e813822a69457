"""Text as the macros of man(7) take it."""

import re

_SPECIAL = {"\\": "\\e", "-": "\\-", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga", "'": "\\(aq"}


def escaped(text):
    """Every character stands for itself, at the beginning of a line too."""
    out = "".join(_SPECIAL.get(c) or (c if ord(c) < 128 else f"\\[u{ord(c):04X}]") for c in text)
    return "\\&" + out if out[:1] in (".", "'") else out


def words(text):
    """A paragraph: `what is typed` is bold, hyphens within words stay hyphens."""
    out = []
    for k, part in enumerate(re.split(r"`([^`]*)`", text)):
        if k % 2:
            out.append(f"\\fB{escaped(part)}\\fR")
        else:
            out.append(re.sub(r"(?<=[A-Za-z])\\-(?=[a-z])", "-", escaped(part)))
    line = "".join(out)
    return "\\&" + line if line[:1] in (".", "'") else line


def title(name, section, release):
    return f'.TH "{name.upper()}" "{section}" "" "tacet {release}" "tacet"\n'


def example(text):
    """Lines that stay as they are."""
    lines = [escaped(line) for line in text.rstrip("\n").split("\n")]
    return ".PP\n.RS 4\n.EX\n" + "\n".join(lines) + "\n.EE\n.RE\n"
