"""Reports in a real browser, each at three widths, light and dark and without scripts.

    tests/browser/run.py PROGRAM TREE OUTPUT [REPORT...]

Nothing is loaded, nothing is said on the console, nothing scrolls sideways, no text of a figure overlaps another or
leaves it, axe-core finds nothing, the keyboard reaches everything, and the places of all marks are the numbers of
report.json. Pictures and printed pages stay in OUTPUT for people to look at. Exit code 77 where there is no browser."""
import importlib.util
import json
import pathlib
import shutil
import sys
import tempfile
import time

import figures
import page_scripts
import reports
import webdriver

WIDTHS = (320, 768, 1280)
FIRST_SCREEN = (1280, 900)
QUESTIONS = ("Who is protected, and against what?", "Could somebody find out that I took part?",
             "Which columns matter?", "How good is it?", "May I run another model at epsilon 1?")
ASKED = {"berkeley": "sex", "curves": "sex"}  # reports, and a column of which somebody asks whether it matters
A4, LETTER = (21.0, 29.7), (21.59, 27.94)


def axe_source():
    """The rules of axe-core, from a package that only this test needs; nothing where it is not installed."""
    found = importlib.util.find_spec("axe_core_python")
    if not found:
        return None
    return (pathlib.Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


class Visit:
    """One report and what is wrong with it."""

    def __init__(self, browser, page, output):
        self.browser, self.page, self.output = browser, page, output
        self.name, self.faults = page.stem, []

    def fault(self, where, what):
        self.faults.append(f"{self.name}, {where}: {what}")

    def expect_silence(self, where):
        for entry in self.browser.log("browser"):
            self.fault(where, f"on the console: {entry['message']}")
        for entry in self.browser.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url, page = message["params"]["request"]["url"], self.page.resolve().as_uri()
            # The page with which the browser starts may still be loading pictures of its own.
            if message["params"]["documentURL"].split("#")[0] == page and url.split("#")[0] != page:
                self.fault(where, f"asks for {url}")

    def expect_room(self, where):
        whole, seen = self.browser.run(page_scripts.SIZES)
        if whole > seen:
            self.fault(where, f"scrolls sideways, {whole} pixels on {seen}")
        for what in self.browser.run(page_scripts.TEXT_FAULTS):
            self.fault(where, what)
        for what in self.browser.run(page_scripts.CUT_TEXTS):
            self.fault(where, f"is cut: {what}")

    def look(self, width, scheme):
        where = f"{width} {scheme}"
        self.browser.size(width)
        self.browser.media(prefers_color_scheme=scheme)
        self.browser.open(self.page)
        (self.output / f"{self.name}-{width}-{scheme}.png").write_bytes(self.browser.picture())
        self.expect_silence(where)
        self.expect_room(where)
        self.browser.run(page_scripts.OPEN_ALL)
        self.expect_room(where + ", all open")
        if (width, scheme) == (WIDTHS[-1], "light"):
            (self.output / f"{self.name}-open.png").write_bytes(self.browser.picture())

    def look_at_first_screen(self):
        """Where somebody asks the five questions, the answers are there without scrolling."""
        if self.name not in ASKED:
            return
        self.browser.size(*FIRST_SCREEN)
        self.browser.media(prefers_color_scheme="light")
        self.browser.open(self.page)
        (self.output / f"{self.name}-first.png").write_bytes(self.browser.picture(whole=False))
        found = self.browser.run(page_scripts.ANSWERS)
        for question in QUESTIONS:
            ends = [end for asked, _, end in found if asked == question]
            if not ends or ends[0] > FIRST_SCREEN[1]:
                self.fault("first screen", f"does not answer: {question}")
        if not any(f"'{ASKED[self.name]}'" in answer for asked, answer, _ in found if asked == QUESTIONS[2]):
            self.fault("first screen", f"does not say whether {ASKED[self.name]} matters")

    def look_in_forced_colours(self):
        self.browser.size(WIDTHS[1])
        self.browser.media(forced_colors="active")
        self.browser.open(self.page)
        (self.output / f"{self.name}-forced.png").write_bytes(self.browser.picture())
        self.expect_room("forced colours")
        self.browser.media(prefers_color_scheme="light")

    def look_without_scripts(self):
        self.browser.media(prefers_color_scheme="light")
        self.browser.size(WIDTHS[-1])
        self.browser.scripts(False)
        self.browser.open(self.page)
        plain = self.browser.picture()
        self.browser.scripts(True)
        if plain != (self.output / f"{self.name}-{WIDTHS[-1]}-light.png").read_bytes():
            self.fault("without scripts", "looks different")

    def ask_axe(self, source, width, scheme):
        self.browser.size(width)
        self.browser.media(prefers_color_scheme=scheme)
        self.browser.open(self.page)
        self.browser.run(page_scripts.OPEN_ALL)
        self.browser.run(source)
        for what in self.browser.run_later(page_scripts.AXE):
            self.fault(f"{width} {scheme}, axe-core", what)
        self.browser.log("browser")

    def walk_by_keyboard(self):
        """Tab goes to the link past the contents first and then through all the rest; Enter opens what is folded."""
        self.browser.open(self.page)
        wanted = self.browser.run(page_scripts.REACHED_BY_KEYBOARD)
        reached = []
        while len(reached) <= wanted:
            self.browser.press(webdriver.TAB)
            tag, kind, before = self.browser.run(page_scripts.FOCUS)
            if before or tag == "BODY":
                break
            reached.append(tag)
            if len(reached) == 1 and kind != "skip":
                self.fault("keyboard", f"the first stop is {tag} {kind}")
            if tag == "SUMMARY" and reached.count(tag) == 1:
                self.browser.press(webdriver.ENTER)
                if not self.browser.run("return document.activeElement.parentElement.open"):
                    self.fault("keyboard", "Enter opens nothing")
                self.browser.press(webdriver.ENTER)
        if len(reached) != wanted:
            self.fault("keyboard", f"reaches {len(reached)} of {wanted} places")

    def read_figures(self):
        self.browser.size(WIDTHS[-1])
        self.browser.open(self.page)
        self.browser.run(page_scripts.OPEN_ALL)
        report = json.loads((self.page.parent / f"{self.name}.numbers" / "report.json").read_text())
        try:
            return figures.compare(report, self.browser.run(page_scripts.FIGURES))
        except AssertionError as error:
            self.fault("figures", error)
            return 0, 0.0

    def print_out(self):
        self.browser.open(self.page)
        for paper, size in (("a4", A4), ("letter", LETTER)):
            (self.output / f"{self.name}-{paper}.pdf").write_bytes(self.browser.printed(*size))


def visit(browser, page, output, source):
    seen = Visit(browser, page, output)
    browser.log("performance")
    for width in WIDTHS:
        for scheme in ("dark", "light"):
            seen.look(width, scheme)
    seen.look_without_scripts()
    seen.look_at_first_screen()
    seen.look_in_forced_colours()
    compared, worst = seen.read_figures()
    seen.walk_by_keyboard()
    seen.print_out()
    if source:
        seen.ask_axe(source, WIDTHS[0], "light")
        seen.ask_axe(source, WIDTHS[-1], "dark")
    return seen.faults, compared, worst


def main():
    program, tree, output = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if not webdriver.browser_programs():
        print("browser: skipped, no chromium and chromedriver are installed (scripts/setup browser)")
        return 77
    source = axe_source()
    if not source:
        print("browser: without axe-core, which the package axe-core-python has")
    shutil.rmtree(output, ignore_errors=True)
    made = output / "reports"
    made.mkdir(parents=True)
    maker = reports.Maker(program, tree, made)
    faults = []
    with tempfile.TemporaryDirectory() as profile:
        browser = webdriver.Browser(profile)
        try:
            for kind in reports.KINDS:
                if sys.argv[4:] and kind.__name__ not in sys.argv[4:]:
                    continue
                began = time.monotonic()
                page = kind(maker)
                found, compared, worst = visit(browser, page, output, source)
                print(f"browser: {kind.__name__}: {page.stat().st_size} bytes, {compared} numbers compared, at most "
                      f"{worst:.3f} pixels off, {len(found)} faults, {time.monotonic() - began:.1f} s", flush=True)
                faults += found
        finally:
            browser.close()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
