"""A browser by WebDriver (W3C), over Python's standard library: Chromium with its driver, as Debian packages them."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element, by the standard
TAB, ENTER = "\ue004", "\ue007"


def browser_programs():
    """The driver and the browser, or None where one of them is not installed."""
    driver, browser = shutil.which("chromedriver"), shutil.which("chromium")
    return (driver, browser) if driver and browser else None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """One window. `folder` holds its profile; nothing of the user's is read."""

    def __init__(self, folder):
        driver, browser = browser_programs()
        port = free_port()
        environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
        self.driver = subprocess.Popen([driver, f"--port={port}", "--log-level=SEVERE"], env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        self.session = ""
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--disable-background-networking", "--disable-component-update", "--no-first-run",
                   "--force-device-scale-factor=1", "--lang=en", f"--user-data-dir={pathlib.Path(folder) / 'profile'}"]
        capabilities = {"alwaysMatch": {"browserName": "chrome", "timeouts": {"script": 240000},
                                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                                        "goog:chromeOptions": {"binary": browser, "args": options}}}
        self.session = "/session/" + self._started(capabilities)["sessionId"]

    def _started(self, capabilities):
        for _ in range(200):
            try:
                return self.ask("POST", "/session", {"capabilities": capabilities})
            except (ConnectionError, urllib.error.URLError) as error:
                if isinstance(error, urllib.error.HTTPError) or self.driver.poll() is not None:
                    raise
                time.sleep(0.05)
        raise TimeoutError("chromedriver does not answer")

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + self.session + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode(errors='replace')[:2000]}") from error

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=30)

    def open(self, path):
        self.ask("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})

    def run(self, script, *values):
        """What a function with this body returns in the page."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(values)})

    def run_later(self, script, *values):
        """The same of a body that calls its last argument with the answer."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(values)})

    def tool(self, command, **values):
        """A command of the browser's own protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": values})

    def size(self, width, height=900):
        self.tool("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, **features):
        """As if the reader preferred so: media(prefers_color_scheme="dark")."""
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.tool("Emulation.setEmulatedMedia", features=listed)

    def scripts(self, allowed):
        self.tool("Emulation.setScriptExecutionDisabled", value=not allowed)

    def log(self, kind):
        """What was logged since the last time that somebody asked."""
        return self.ask("POST", "/se/log", {"type": kind})

    def picture(self, whole=True):
        """PNG of the whole page, or of its first screen."""
        answer = self.tool("Page.captureScreenshot", captureBeyondViewport=whole, format="png",
                           **({"clip": self._extent()} if whole else {}))
        return base64.b64decode(answer["data"])

    def _extent(self):
        content = self.tool("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": content["width"], "height": min(content["height"], 16000), "scale": 1}

    def printed(self, width, height):
        """PDF on paper of so many centimetres."""
        return base64.b64decode(self.ask("POST", "/print", {"page": {"width": width, "height": height},
                                                            "background": True, "shrinkToFit": False}))

    def press(self, key):
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})
