"""Runs cells of Python for Tau.

Frames, one JSON object a line, use the original standard input and output. Text that cells and their processes print
goes to standard error, so that the system keeps it in order; a mark follows what belongs to a cell.
"""
import sys

# A file of the project must not take the place of a module that the runner itself needs.
_project_path = sys.path[:1] == [""] and sys.path.pop(0) == ""

import ast
import builtins
import io
import json
import os
import signal
import threading
import time
from queue import SimpleQueue

IMAGE_BYTES = 8 * 1024 * 1024
KEPT_SOURCES = 200
TABLE_ROWS = 200
CELL_CHARS = 60
# What comes in a burst is written together: a write for each line takes as long as all the rest of printing it.
BURST_SECONDS = 0.02
BURST_LINES = 50
BURST_BYTES = 64 * 1024
STARTS = {"subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork", "os.forkpty", "pty.spawn"}


class ToolError(Exception):
    """A tool of Tau has failed, or was not allowed to run."""


class Output:
    """Writes what cells print, in the order of both streams. Only a burst waits, for a moment."""

    def __init__(self):
        self.lock = threading.RLock()
        self.pending = bytearray()
        self.since = 0.0
        self.lines = 0
        self.child = False
        self.wake = threading.Event()
        self.thread = None
        # Processes print to the same place: what was printed before they started comes first.
        os.register_at_fork(before=self.drain, after_in_child=self.forked)
        sys.addaudithook(self.on_event)

    def write(self, data):
        with self.lock:
            self.pending += data
            self.lines += 1
            if self.lines > BURST_LINES and not self.child and len(self.pending) < BURST_BYTES:
                now = time.monotonic()
                if now - self.since < BURST_SECONDS:
                    self.wait()
                    return
                self.since = now
                self.lines = 0
            self.drain()

    def wait(self):
        if self.thread is None:
            self.thread = threading.Thread(target=self.drain_later, name="tau-output", daemon=True)
            self.thread.start()
        self.wake.set()

    def drain(self):
        with self.lock:
            while self.pending:
                del self.pending[: os.write(2, self.pending)]

    def drain_later(self):
        while True:
            self.wake.wait()
            time.sleep(BURST_SECONDS)
            self.wake.clear()
            self.drain()

    def forked(self):
        """The thread that writes later is not in the child, which may end without a word."""
        self.lock = threading.RLock()
        self.child = True

    def on_event(self, name, _arguments):
        if name in STARTS:
            self.drain()


class Sink(io.BufferedIOBase):
    """The bytes of one standard stream."""

    def __init__(self, output, fd):
        self.output = output
        self.fd = fd

    def write(self, data):
        data = bytes(data)
        self.output.write(data)
        return len(data)

    def writable(self):
        return True

    def fileno(self):
        return self.fd


def text_stream(output, fd):
    return io.TextIOWrapper(Sink(output, fd), encoding="utf-8", errors="backslashreplace", line_buffering=True)


class Runner:
    def __init__(self):
        self.input = os.fdopen(os.dup(0), "rb")
        self.output = os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        self.printed = Output()
        sys.stdout = sys.__stdout__ = text_stream(self.printed, 1)
        sys.stderr = sys.__stderr__ = text_stream(self.printed, 2)
        self.write_lock = threading.Lock()
        self.cells = SimpleQueue()
        self.waiting = {}
        self.calls = 0
        self.running = None
        self.stopped = None
        self.loop = None
        self.sources = {}
        self.mark = ""
        self.main = threading.get_ident()
        module = type(sys)("__main__")
        sys.modules["__main__"] = module
        self.names = module.__dict__
        self.names["__builtins__"] = builtins
        self.hidden = set()

    def send(self, **frame):
        self.printed.drain()
        data = (json.dumps(frame) + "\n").encode()
        with self.write_lock:
            while data:
                data = data[os.write(self.output, data):]

    def listen(self):
        for line in self.input:
            frame = json.loads(line)
            kind = frame["type"]
            if kind == "interrupt":
                # The cell may still wait for its turn: it looks here when it starts.
                self.stopped = frame["id"]
                if self.running == frame["id"]:
                    signal.pthread_kill(self.main, signal.SIGINT)
            elif kind == "result":
                waiter = self.waiting.pop(frame["call"], None)
                if waiter:
                    waiter.put(frame)
            else:
                self.cells.put(frame)
        self.cells.put(None)

    def on_interrupt(self, _signal, _frame):
        if self.running is not None:
            raise KeyboardInterrupt

    def serve(self):
        signal.signal(signal.SIGINT, self.on_interrupt)
        threading.Thread(target=self.listen, name="tau", daemon=True).start()
        while True:
            frame = self.cells.get()
            if frame is None:
                return
            if frame["type"] == "init":
                self.begin(frame)
            elif frame["type"] == "complete":
                self.complete(frame["id"], frame["text"], frame["most"])
            else:
                self.handle(frame["id"], frame["code"])

    def begin(self, frame):
        self.mark = frame["mark"]
        if _project_path:
            sys.path.insert(0, "")
        self.names.update(prelude(self))
        self.hidden = set(self.names)
        for path in frame["modules"]:
            try:
                with open(path, encoding="utf-8") as file:
                    source = file.read()
                exec(compile(source, path, "exec", dont_inherit=True), self.names)
            except Exception as error:
                print(f"[{path} was not loaded: {type(error).__name__}: {error}]", flush=True)

    def complete(self, number, text, most):
        """Names for the editor. No code of the user runs: properties and __getattr__ are left alone."""
        import keyword
        from inspect import getattr_static

        *path, start = text.split(".")
        found = [*self.names, *keyword.kwlist, *dir(builtins)]
        try:
            for at, name in enumerate(path):
                value = self.names[name] if at == 0 else getattr_static(value, name)
                found = members(value)
        except (KeyError, AttributeError):
            found = []
        names = {name for name in found if name.startswith(start) and (start.startswith("_") or not name.startswith("_"))}
        self.send(type="names", id=number, names=sorted(names)[:most])

    def handle(self, number, code):
        end = {"ok": True}
        imports = []
        try:
            # Inside the handler: an interrupt may arrive at any moment after this line.
            self.running = number
            if self.stopped == number:
                raise KeyboardInterrupt
            imports = self.run(f"<cell {number}>", code)
            self.show_figures()
        except BaseException as error:
            self.running = None
            end = {"ok": False, "interrupted": isinstance(error, KeyboardInterrupt), **self.describe(error)}
        self.running = None
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        self.printed.write(self.mark.encode())
        self.printed.drain()
        names = [name for name in self.names if name not in self.hidden and not name.startswith("_")]
        self.send(type="done", id=number, names=names[-100:], imports=imports, **end)

    def run(self, name, code):
        self.sources[name] = code
        while len(self.sources) > KEPT_SOURCES:
            del self.sources[next(iter(self.sources))]
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        if "linecache" in sys.modules or "inspect" in code:
            self.keep_lines()
        try:
            tree = compile(code, name, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        except SyntaxError as error:
            explain_magic(error, code)
            raise
        body = tree.body
        imports = [ast.unparse(node) for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        if body:
            self.step(compile(tree, name, "exec", flags, dont_inherit=True))
        if last is not None:
            value = self.step(compile(ast.Expression(last.value), name, "eval", flags, dont_inherit=True))
            if value is not None:
                self.names["_"] = value
                if not is_silenced(last, code):
                    self.show(value)
        return imports

    def keep_lines(self):
        """Tracebacks and inspect.getsource read the lines of cells."""
        import linecache

        for name, code in self.sources.items():
            linecache.cache[name] = (len(code), None, code.splitlines(True), name)

    def step(self, code):
        # 0x80 is CO_COROUTINE: the cell awaits something.
        if not code.co_flags & 0x80:
            return eval(code, self.names)
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(eval(code, self.names))
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt:
            task.cancel()
            try:
                self.loop.run_until_complete(task)
            except BaseException:
                pass
            raise

    def describe(self, error):
        import traceback

        self.keep_lines()
        trace = without_own(error.__traceback__)
        line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
        inside = trace
        while inside is not None:
            if inside.tb_frame.f_code.co_filename.startswith("<cell "):
                line = inside.tb_lineno
            inside = inside.tb_next
        try:
            text = "".join(traceback.format_exception(type(error), error, trace))
        except Exception:
            text = f"{type(error).__name__}\n"
        print(text, end="", file=sys.stderr, flush=True)
        try:
            message = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()[-1]
        except Exception:
            message = type(error).__name__
        return {"error": message[:2000], "line": line}

    def show(self, value):
        if self.show_image(value):
            return
        markdown = getattr(value, "_repr_markdown_", None)
        text = markdown() if callable(markdown) and not isinstance(value, type) else None
        if text is None:
            text = repr(value)
            if len(text) > 100 and isinstance(value, (dict, list, tuple, set)):
                import pprint

                text = pprint.pformat(value, width=100, compact=True, sort_dicts=False)
            elif type(value).__repr__ is object.__repr__ and callable(getattr(value, "_repr_html_", None)):
                text = plain_text(value._repr_html_())
        print(text)

    def show_image(self, value):
        if isinstance(value, type):
            return False
        if isinstance(value, (bytes, bytearray)) and value[:4] in (b"\x89PNG", b"GIF8", b"\xff\xd8\xff\xe0", b"\xff\xd8\xff\xe1"):
            return self.send_image(bytes(value))
        for method in ("_repr_png_", "_repr_jpeg_"):
            make = getattr(value, method, None)
            data = make() if callable(make) else None
            if isinstance(data, str):
                import base64

                data = base64.b64decode(data)
            if data:
                return self.send_image(data)
        if type(value).__module__.startswith("matplotlib") and hasattr(value, "savefig"):
            return self.send_figure(value)
        return False

    def send_image(self, data):
        import base64

        if len(data) > IMAGE_BYTES:
            print(f"[an image of {len(data)} bytes is too large to show]")
        else:
            self.send(type="image", data=base64.b64encode(data).decode())
        return True

    def send_figure(self, figure):
        import io

        file = io.BytesIO()
        figure.savefig(file, format="png", bbox_inches="tight")
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot:
            pyplot.close(figure)
        return self.send_image(file.getvalue())

    def show_figures(self):
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot and hasattr(pyplot, "get_fignums"):
            for number in pyplot.get_fignums():
                self.send_figure(pyplot.figure(number))

    def call(self, tool, positional, named, **more):
        with self.write_lock:
            self.calls += 1
            number = self.calls
        answer = SimpleQueue()
        self.waiting[number] = answer
        sys.stdout.flush()
        try:
            self.send(type="call", call=number, tool=tool, positional=positional, named=named, **more)
            frame = answer.get()
        finally:
            self.waiting.pop(number, None)
        if not frame["ok"]:
            raise ToolError(frame["text"])
        return frame["text"]


def plain_text(html):
    """The text of HTML, with the breaks of its blocks, and cells of a row side by side."""
    from html.parser import HTMLParser

    parts = []

    class Reader(HTMLParser):
        skipped = 0

        def handle_starttag(self, tag, attrs):
            self.skipped += tag in ("style", "script")
            if tag in ("td", "th"):
                parts.append("\t")
            elif tag in ("br", "p", "div", "tr", "li", "table", "ul", "ol", "pre", "h1", "h2", "h3", "h4"):
                parts.append("\n")
            if tag == "li":
                parts.append("- ")

        def handle_endtag(self, tag):
            self.skipped -= tag in ("style", "script")

        def handle_data(self, data):
            if not self.skipped:
                parts.append(data if data.strip() else " ")

    Reader().feed(html)
    lines = (line.strip() for line in "".join(parts).splitlines())
    return "\n".join(line for line in lines if line)


def without_own(trace):
    """The frames of cells and modules: those of the runner are of no use to anyone."""
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    inside = trace
    while inside is not None:
        while inside.tb_next is not None and inside.tb_next.tb_frame.f_globals is globals():
            inside.tb_next = inside.tb_next.tb_next
        inside = inside.tb_next
    return trace


def members(value):
    """What dir() would list, without asking the value."""
    classes = value.__mro__ if isinstance(value, type) else type(value).__mro__
    names = [name for each in classes for name in vars(each)]
    try:
        names += object.__getattribute__(value, "__dict__")
    except AttributeError:
        pass
    return [name for name in names if isinstance(name, str)]


class Tools:
    """The tools of Tau: tools.grep(pattern="x", path="src") returns the text of the result."""

    def __init__(self, runner):
        self._runner = runner

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*positional, **named):
            return self._runner.call(name, list(positional), named)

        call.__name__ = name
        return call


def table(rows):
    """Rows of the same flat keys as columns of text; None for anything else."""
    if not rows or not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        return None
    if any(isinstance(value, (dict, list)) for row in rows for value in row.values()):
        return None
    shown = [[str(key) for key in rows[0]]]
    shown += [[str(value)[:CELL_CHARS] for value in row.values()] for row in rows[:TABLE_ROWS]]
    widths = [max(len(row[at]) for row in shown) for at in range(len(shown[0]))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in shown]
    if len(rows) > TABLE_ROWS:
        lines.append(f"[{len(rows) - TABLE_ROWS} more rows]")
    return "\n".join(lines)


def is_silenced(last, code):
    """A semicolon after the last expression hides its value, as in IPython."""
    line = code.split("\n")[last.end_lineno - 1].encode()
    return line[last.end_col_offset :].lstrip().startswith(b";")


def explain_magic(error, code):
    """Lines such as %matplotlib inline or !ls are IPython's, and not Python."""
    lines = code.split("\n")
    number = error.lineno or 0
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    if line.startswith("!"):
        error.msg = 'cells have no "!" for commands; use run("...")'
    elif line.startswith("%"):
        error.msg = "cells have no magics (%...); leave this line out, or write it in Python"


def prelude(runner):
    tools = Tools(runner)

    def display(*values):
        """Shows images, tables, JSON data and anything else."""
        for value in values:
            if isinstance(value, str):
                print(value)
            elif isinstance(value, (dict, list)):
                text = table(value) if isinstance(value, list) else None
                if text is None:
                    try:
                        text = json.dumps(value, indent=2, ensure_ascii=False)
                        runner.send(type="json", value=value if len(text) < 100_000 else None)
                    except (TypeError, ValueError):
                        text = None
                print(text) if text is not None else runner.show(value)
            else:
                runner.show(value)

    def read(path, offset=1, limit=None):
        """The text of a file, or `limit` lines of it from line `offset` on. Rules about reading hold for it."""
        runner.call("read", [], {"path": str(path)}, checks=True)
        with open(os.path.expanduser(path), encoding="utf-8", errors="replace") as file:
            if offset == 1 and limit is None:
                return file.read()
            from itertools import islice

            return "".join(islice(file, offset - 1, None if limit is None else offset - 1 + limit))

    def write(path, content):
        """Writes a file with Tau's tool."""
        return tools.write(path=str(path), content=content)

    def run(command, **options):
        """Runs a command in Tau's shell and returns what it prints. Raises ToolError when it fails."""
        return tools.bash(command=command, **options)

    def fetch(url):
        """The text of a web page, with Tau's reader."""
        return tools.read(path=url)

    def no_input(prompt=""):
        raise EOFError("Cells cannot ask for input. Assign the value instead.")

    builtins.input = no_input
    return {"tools": tools, "display": display, "read": read, "write": write, "run": run, "fetch": fetch, "ToolError": ToolError}


Runner().serve()
