"""Pages of the documentation in a real browser, at 360 and 1280 pixels, light and dark.

    tests/browser/site_pages.py SITE OUTPUT [PAGE...]

No page loads anything from elsewhere or scrolls sideways, and axe-core finds nothing. Pictures stay in OUTPUT. Exit code 77
where there is no browser."""
import json
import pathlib
import sys
import tempfile

import page_scripts
import run
import webdriver

WIDTHS = (360, 1280)
PAGES = ("index", "start", "python-tutorial", "how-to/README", "how-to/epsilon", "how-to/from-diffprivlib", "reference/README",
         "reference/commands", "reference/errors/data", "reference/cpp", "proofs/gradient", "proofs/loss_table",
         "explanations/guarantee", "glossary")


class Page(run.Visit):
    def expect_local(self, where):
        self.browser.log("browser")
        for entry in self.browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    self.fault(where, f"asks for {url}")

    def look(self, width, scheme):
        where = f"{width} {scheme}"
        self.browser.size(width)
        self.browser.media(prefers_color_scheme=scheme)
        self.browser.open(self.page)
        self.expect_local(where)
        whole, seen = self.browser.run(page_scripts.SIZES)
        if whole > seen:
            self.fault(where, f"scrolls sideways, {whole} pixels on {seen}")
        name = f"{self.name}-{width}-{scheme}.png"
        (self.output / name).write_bytes(self.browser.picture())


def main(site, output, *names):
    if not webdriver.browser_programs():
        print("browser: no chromium with its driver; the site is not looked at")
        return 77
    site, output = pathlib.Path(site), pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    rules, faults = run.axe_source(), []
    if not rules:
        print("browser: without axe-core, which the package axe-core-python has")
    with tempfile.TemporaryDirectory() as folder:
        browser = webdriver.Browser(pathlib.Path(folder))
        try:
            browser.ask("POST", "/url", {"url": "about:blank"})
            browser.log("performance")  # what the first window asked for
            for name in names or PAGES:
                page = Page(browser, site / f"{name}.html", output)
                page.name = name.replace("/", "-")
                for width, scheme in zip(WIDTHS, ("dark", "light")):
                    page.look(width, scheme)
                    if rules:
                        page.ask_axe(rules, width, scheme)
                faults += page.faults
        finally:
            browser.close()
    print("\n".join(faults) or f"{len(names or PAGES)} pages of the site: nothing is wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
