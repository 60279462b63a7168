# Drives a headless Chromium over its debugging protocol, through two pipes: no library, no port, no network. What the page
# said, threw and asked the network for is kept for the test to look at.
import json, os, select, shutil, subprocess, tempfile, time

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions", "--mute-audio",
         "--hide-scrollbars", "--disable-dev-shm-usage", "--remote-debugging-pipe", "about:blank"]


def find():
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


class Chromium:
    def __init__(self, path):
        self.home = tempfile.mkdtemp(prefix="heaptally-chromium-")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def wire():  # the browser reads 3 and writes 4
            os.dup2(os.dup2(to_browser, 100), 3), os.dup2(os.dup2(from_browser, 101), 4)
            os.set_inheritable(3, True), os.set_inheritable(4, True)

        environment = {name: value for name, value in os.environ.items() if not name.startswith(("HEAPTALLY", "LD_PRELOAD"))}
        self.process = subprocess.Popen([path, "--user-data-dir=" + self.home, *FLAGS], close_fds=False, preexec_fn=wire, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser), os.close(from_browser)
        self.held, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def read(self, deadline):
        while b"\0" not in self.held:
            if not select.select([self.inp], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.inp, 1 << 20)
            if not piece:
                raise ConnectionError("the browser is gone")
            self.held += piece
        message, self.held = self.held.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, seconds=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        deadline = time.monotonic() + seconds
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_event(self, method, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            for event in self.events:
                if event.get("method") == method:
                    self.events.remove(event)
                    return event["params"]
            self.events.append(self.read(deadline))

    def js(self, expression, seconds=60):
        """The value of an expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", seconds, expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def look(self, width, height, dark=False, paper=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=paper, features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_event("Page.loadEventFired")

    def key(self, key, text=""):
        codes = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8, "Tab": 9}
        more = {"text": text} if text else {}
        code = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def click(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def complaints(self):
        """Errors that the page threw or logged, and what it asked the network for."""
        out = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                out.append("threw: " + str(params["exceptionDetails"].get("exception", {}).get("description")))
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                out.append("logged: " + params["entry"]["text"])
            if event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                out.append("said: " + str(params["args"]))
            if event.get("method") == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:", "blob:")):
                out.append("asked for: " + params["request"]["url"])
        return out

    def end(self):
        try:
            self.session = None
            self.call("Browser.close", 10)
        except (OSError, TimeoutError, RuntimeError):
            self.process.kill()
        self.process.wait()
        os.close(self.out), os.close(self.inp)
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
