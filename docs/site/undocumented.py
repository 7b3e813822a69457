"""Fails where a public header leaves a name undocumented: what doxygen warns of, on standard input.

Classes, enumerations, aliases, free functions and member functions with arguments need a comment. The
rest says by its name what it is: fields, constructors, operators, getters without arguments.
"""

import re
import sys

WARNING = re.compile(
    r"(?P<place>\S+:\d+): warning: (?:Member|Compound) (?P<name>.*?)"
    r"(?: \((?P<kind>\w+)\) of \w+ (?P<owner>\S+))? is not documented"
)


def needs_comment(name, kind, owner):
    last = (owner or "").split("::")[-1]
    return not (
        kind in {"variable", "friend"}
        or "operator" in name
        or name.startswith(("fields(", f"{last}("))
        or (kind == "function" and re.match(r"\w+\(\)", name))
    )


def main():
    bare = []
    for line in sys.stdin:
        found = WARNING.match(line)
        if not found:
            print(line, end="", file=sys.stderr)
        elif needs_comment(found["name"], found["kind"], found["owner"]):
            bare.append(f"{found['place']}: {found['name']} is not documented")
    print("\n".join(sorted(set(bare))), end="\n" if bare else "", file=sys.stderr)
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main())
