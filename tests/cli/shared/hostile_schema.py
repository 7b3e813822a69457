"""Makes a schema and records whose 200 names of columns and categories are markup, quotes, control characters, marks of
writing direction or very long; or looks for them in a page:

    hostile_schema.py make SCHEMA.toml RECORDS.csv
    hostile_schema.py look PAGE.html
"""
import html.parser
import random
import sys

SEEDS = ["<script>alert(1)</script>", "</title><script>alert(1)</script>", "</style><img src=x onerror=alert(1)>",
         '" onmouseover="alert(1)', "' onfocus='alert(1)", "<svg/onload=alert(1)>", "]]><b>", "<!--", "--><b>",
         "&lt;b&gt;", "&#60;b&#62;", "javascript:alert(1)", "tab\tinside", "\x1b[31mred\x1b[0m", "\u202egnp.exe",
         "\u2066isolate\u2069", "\u05e9\u05dc\u05d5\u05dd", "\x85\x9bx", "\u4e2d\u6587", "\U0001f600"]
NAMES = [f"{before}{seed}{after}" for seed in SEEDS
         for before, after in (("", ""), ("age", ""), ("", "'\"><"), (seed, seed), ('<a href="', '">'), ("<", ""),
                               ("", "\\x00"), ("{{", "}}"), ("%s", "%n"))]
NAMES += [f"<{k}>&{k};" for k in range(198 - len(NAMES))] + ["W" * 100_000, "<" * 3000]
COLUMNS, CATEGORIES = NAMES[:20], NAMES[20:]


def quoted(text):
    return '"' + "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in text) + '"'


class Texts(html.parser.HTMLParser):
    """What a reader sees: the text of all elements but the style sheet."""

    def __init__(self):
        super().__init__()
        self.texts, self.skipped = [], 0

    def handle_starttag(self, tag, attributes):
        self.skipped += tag == "style"

    def handle_endtag(self, tag):
        self.skipped -= tag == "style"

    def handle_data(self, data):
        if not self.skipped:
            self.texts.append(data)


if sys.argv[1] == "make":
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write('public_row_count = 60\nrow_scaling = "const"\n[target]\ncolumn = "answer"\npositive = "yes"\n')
        for name in COLUMNS:
            out.write(f'[[column]]\nname = {quoted(name)}\nkind = "numeric"\nlower = 0\nupper = 1\n')
        out.write('[[column]]\nname = "kind"\nkind = "categorical"\ncategories = '
                  f'[{", ".join(quoted(name) for name in CATEGORIES)}]\n')
    generator = random.Random(1)
    with open(sys.argv[3], "w", encoding="utf-8", newline="") as out:
        cells = ['"' + name.replace('"', '""') + '"' for name in COLUMNS]
        out.write(",".join(cells + ["kind", "answer"]) + "\n")
        for _ in range(60):
            out.write(",".join([str(generator.randint(0, 1)) for _ in COLUMNS] +
                               ["x", generator.choice(["yes", "no"])]) + "\n")
else:
    reader = Texts()
    reader.feed(open(sys.argv[2], encoding="utf-8").read())
    seen = "\n".join(reader.texts)
    # A report cuts long names, and writes out what would act on a reader unseen.
    plain = [name for name in NAMES if name.isprintable() and "\u202e" not in name and len(name) < 50]
    missing = [name for name in plain if name not in seen]
    print("shown" if len(plain) > 100 and not missing else f"{len(plain)} plain, missing {missing[:5]}")
    print("no mark" if not set(seen) & set("\x1b\u202e\u2066\u2069\x85\x9b") else "marks of direction or control")
