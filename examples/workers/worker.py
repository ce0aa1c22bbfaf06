"""A worker for fsmc run --worker: one JSON object on each line, both ways.

It needs nothing but Python 3. Attempts run side by side, each in a thread; an
attempt that is cancelled says so and stops at its next step.
"""

import json
import sys
import threading
import urllib.error
import urllib.request

out = threading.Lock()
cancelled = {}  # by id: set when the attempt is to stop


def say(id, **answer):
    with out:
        print(json.dumps({"id": id, **answer}), flush=True)


class Failed(Exception):
    """A failure of a category that the machine declares."""

    def __init__(self, category, message):
        super().__init__(message)
        self.category = category


def fetch(id, url):
    chunks = []
    try:
        with urllib.request.urlopen(url, timeout=10) as page:
            while chunk := page.read(64 * 1024):
                say(id, heartbeat=True)
                if cancelled[id].is_set():
                    return None
                chunks.append(chunk)
    except urllib.error.URLError as error:
        raise Failed("unreachable", str(error)) from error
    return {"event": "Fetched", "data": {"text": b"".join(chunks).decode("utf-8", "replace")}}


def count(id, text):
    return {"event": "Counted", "data": {"words": len(text.split())}}


ACTIVITIES = {"fetch": fetch, "count": count}


def attempt(task):
    id = task["id"]
    try:
        # Without an answer, because it was cancelled, an empty object says that
        # it has stopped.
        say(id, **(ACTIVITIES[task["activity"]](id, **task["args"]) or {}))
    except Failed as failure:
        say(id, failed=failure.category, message=str(failure))
    except Exception as error:  # what no one has classified
        say(id, failed="unknown", message=repr(error))
    finally:
        del cancelled[id]


threads = []
for line in sys.stdin:
    task = json.loads(line)
    if "cancel" in task:
        if task["id"] in cancelled:
            cancelled[task["id"]].set()
    else:
        cancelled[task["id"]] = threading.Event()
        threads.append(threading.Thread(target=attempt, args=(task,)))
        threads[-1].start()
for thread in threads:  # standard input is closed: finish what is under way
    thread.join()
