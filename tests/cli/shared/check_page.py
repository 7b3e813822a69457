"""Parses pages of `tacet report`: elements that are closed in order and are on the list, a language, the content
policy, nothing that loads or runs, headings in order, unique ids, and for each figure a named image and a table."""
import html.parser
import sys

ALLOWED = set("""html head meta title style body a header nav main footer section h1 h2 h3 p ul li dl dt dd div span
strong code pre figure figcaption details summary table caption thead tbody tr th td svg desc g path line rect circle
text""".split())
LANDMARKS = {"header", "nav", "main", "footer"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.faults, self.ids, self.seen, self.level = [], [], set(), set(), 0
        self.inside = None

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.seen.add(tag)
        if tag not in ALLOWED:
            self.faults.append(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "srcset", "style", "action", "data"):
                self.faults.append(f"{tag} {name}")
            if name == "href" and not value.startswith("#"):
                self.faults.append(f"link to {value}")
            if name == "id":
                self.faults += [f"id {value} twice"] if value in self.ids else []
                self.ids.add(value)
        if tag == "html" and values.get("lang") != "en":
            self.faults.append("no language")
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            if int(tag[1]) > self.level + 1:
                self.faults.append(f"{tag} below h{self.level}")
            self.level = int(tag[1])
        if tag == "figure":
            self.inside = set()
        elif self.inside is not None:
            self.inside.add(tag)
            if tag == "svg" and (values.get("role") != "img" or not values.get("aria-labelledby")):
                self.faults.append("an image without a name")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> in the wrong place")
        if tag == "figure":
            missing = {"svg", "title", "desc", "figcaption", "details", "table"} - self.inside
            if missing:
                self.faults.append(f"a figure without {sorted(missing)}")
            self.inside = None


for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults + [f"<{tag}> was never closed" for tag in page.open]
    faults += [f"no {tag}" for tag in sorted(LANDMARKS - page.seen)]
    if "default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;" not in text:
        faults.append("no content policy")
    faults += [f"{word} in it" for word in ("<script", "http://", "https://", "url(", "@import") if word in text]
    if len(text) > 400_000:
        faults.append(f"{len(text)} bytes")
    if faults:
        print(f"{name}: {faults}")
        sys.exit(1)
print("sound")
