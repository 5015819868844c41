#!/usr/bin/env python3
"""What a page must show of a thread, worked out from the SQLite file alone.

This is the second opinion of the browser tests. It is written from the semantics (A2 to A5) and from the types in
pkg/types/view.d.ts, and shares no line with the crate: another language, another reader of JSON, another way to fold.

    judge.py DB THREAD               prints the expectation as JSON
    judge.py DB THREAD --against -   compares it with what a page shows (JSON on standard input: {view, page, facts},
                                     each of them optional) and prints {"equal": …, "differences": […], …}
"""

import json
import sqlite3
import sys
from decimal import Decimal

from judge_compare import compare

REASONS = {
    "Permission": "tool_permission",
    "ClientExecution": "client_execution",
    "ScheduledAction": "scheduled_action",
    "Delegation": "delegation",
    "UserInput": "user_input",
    "ExternalEvent": "external_event",
    "Manual": "manual_pause",
    "RateLimit": "rate_limit",
    "BudgetReached": "budget_reached",
}

FAILURES = {
    "CapabilityBound": ("capability_bound", "a plugin contributed beyond its declared capability bound"),
    "StateConflict": ("state_conflict", "a staged state batch held an exclusive-key conflict"),
}

INDETERMINATE = ("indeterminate", "execution outcome could not be determined")

VISIBLE = {"text", "image", "document", "search_result", "redacted"}


def exact(text):
    """JSON with every digit of its numbers."""
    return json.loads(text, parse_float=Decimal)


def rows_of(db, thread):
    """The thread's epoch and its rows in log order."""
    connection = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
    try:
        head = connection.execute("SELECT epoch FROM threads WHERE thread_id = ?", (thread,)).fetchone()
        columns = "seq, commit_seq, time, run_id, kind, step, response, body"
        query = f"SELECT {columns} FROM records WHERE thread_id = ? ORDER BY seq"
        rows = [dict(zip(columns.split(", "), row)) for row in connection.execute(query, (thread,))]
    finally:
        connection.close()
    for row in rows:
        row["body"] = exact(row["body"])
    return head and head[0], rows


class Run:
    """What is known of a run after some of its rows."""

    def __init__(self, run_id):
        self.run_id = run_id
        self.state = "running"
        self.seq = None
        self.waiting = None  # the awaiting item that nothing has followed yet
        self.pending = None  # its pending_tool_use_id
        self.ticket = None  # (call, state) that the current ticket names
        self.batches = []  # the calls of each assistant message
        self.over = False

    def unanswered(self, call_id):
        """The occurrence that a result or a ticket with this id means (A3.4)."""
        for batch in reversed(self.batches):
            for call in batch:
                if call["id"] == call_id and call["output"] is None:
                    return call
        return None


class Judge:
    """Reads rows one by one; `items` and `facts` grow."""

    def __init__(self):
        self.items = []
        self.facts = []
        self.runs = {}

    # ------------------------------------------------------------------------------------------------------ a record

    def read(self, row):
        run_id = row["run_id"]
        if run_id is None:
            self.message(row, None)
            return
        run = self.runs.get(run_id)
        first = run is None
        if first:
            run = self.runs[run_id] = Run(run_id)
            self.fact(row, 0, {"type": "run_started"})
        if run.over:
            return  # Ended is absorbing (A2.3): what comes later is an anomaly.
        ends = row["kind"] == "run" and isinstance(row["body"].get("state"), dict)
        if run.waiting is not None:
            run.waiting["resolved"] = True
            if not ends:
                detail = {"cause": "resumed", "pending_tool_use_id": run.pending}
                self.fact(row, 0, {"type": "continuation", "steered": False, "detail": detail})
            run.waiting, run.ticket = None, None
        if row["kind"] == "message":
            self.message(row, run)
        else:
            self.state(row, run)

    def fact(self, row, index, fact):
        self.facts.append({"position": {"seq": row["seq"], "index": index}, "run_id": row["run_id"], "fact": fact})

    def item(self, row, kind, **more):
        item = {"kind": kind, "seq": row["seq"], "time": row["time"], "run_id": row["run_id"], **more}
        self.items.append(item)
        return item

    # ----------------------------------------------------------------------------------------------------- a message

    def message(self, row, run):
        message = row["body"]
        role, message_id, content = message["role"], message["id"], message["content"]
        if role == "Assistant":
            self.assistant(row, run, message_id, content)
        elif role == "Tool":
            self.results(row, run, message_id, content)
        elif role == "System":
            self.item(row, "system", message_id=message_id, parts=[part(block) for block in content])
        else:
            self.user(row, run, message_id, content)

    def user(self, row, run, message_id, content):
        reason = injected(message_id, row["run_id"])
        parts = [part(block) for block in content]
        if reason is None:
            self.item(row, "user", message_id=message_id, parts=parts)
            return
        self.item(row, "injected", reason=reason, message_id=message_id, parts=parts)
        if run is not None and reason == "steer":
            self.fact(row, 1, {"type": "continuation", "steered": True, "detail": {"message_id": message_id}})
        elif run is not None and reason == "continuation":
            detail = {"message_id": message_id, "cause": "max_tokens"}
            self.fact(row, 1, {"type": "continuation", "steered": False, "detail": detail})

    def assistant(self, row, run, message_id, content):
        parts, calls = [], []
        for block in content:
            if block.get("type") == "thinking":
                parts.append({"type": "reasoning", "text": whole(block.get("text", ""))})
            elif block.get("type") == "tool_use":
                call = {
                    "type": "tool_call", "id": block["id"], "name": block["name"], "input": block["input"],
                    "state": "open", "output": None, "is_error": None, "at": (row["seq"], len(parts)),
                }
                parts.append(call)
                calls.append(call)
            else:
                parts.append(part(block))
        self.item(row, "assistant", message_id=message_id, step=row["step"], response=row["response"], parts=parts)
        if run is None:
            return
        run.batches.append(calls)
        index = 0
        if any(block.get("type") == "thinking" for block in content):
            index += 1
            self.fact(row, index, {"type": "assistant_thinking"})
        visible = [block for block in content if is_visible(block)]
        if visible:
            index += 1
            self.fact(row, index, {"type": "assistant_message", "id": message_id, "content": visible})
        for call in calls:
            index += 1
            fact = {"type": "tool_call", "id": call["id"], "name": call["name"], "input": call["input"]}
            call["fact"] = fact
            self.fact(row, index, fact)

    def results(self, row, run, message_id, content):
        index = 0
        for block in content:
            if block.get("type") != "tool_result":
                continue
            index += 1
            call_id, output, is_error = block["tool_use_id"], block["content"], bool(block.get("is_error", False))
            shown = [part(inner) for inner in output]
            fact = {"type": "tool_result", "id": call_id, "content": output, "is_error": is_error}
            self.fact(row, index, fact)
            call = run and run.unanswered(call_id)
            if call:
                call["output"], call["is_error"] = shown, is_error
            else:
                self.item(
                    row, "orphan_result", message_id=message_id, tool_use_id=call_id, is_error=is_error, output=shown
                )

    # ------------------------------------------------------------------------------------------------------- a state

    def state(self, row, run):
        state, ticket = row["body"]["state"], row["body"].get("resume_ticket")
        run.seq = row["seq"]
        if isinstance(state, dict) and "Ended" in state:
            run.over = True
            self.ended(row, run, state["Ended"])
        elif state in ("Awaiting", "Waiting"):
            run.state = "awaiting"
            self.awaiting(row, run, (ticket or {}).get("target") or {})
        else:
            run.state = "running"

    def awaiting(self, row, run, target):
        reason = pending = tool = call = None
        if "ToolCall" in target:
            inner = target["ToolCall"]
            reason, pending = REASONS.get(inner["reason"]), inner["call_id"]
            call = run.unanswered(pending)
            if call:
                run.ticket = (call, "pending_client" if inner["reason"] == "ClientExecution" else "pending_builtin")
            if inner.get("tool"):
                tool = {"name": inner["tool"]["tool_id"], "input": inner["tool"]["arguments"]}
        elif "RemoteInput" in target:
            inner = target["RemoteInput"]
            reason, pending = REASONS.get(inner["reason"]), inner["call_id"]
            call = run.unanswered(pending)
        elif "Pause" in target:
            reason = REASONS.get(target["Pause"])
        run.pending = pending
        run.waiting = self.item(
            row, "awaiting", reason=reason, pending_tool_use_id=pending, tool=tool, call=call and call["at"],
            resolved=False,
        )
        fact = {"type": "awaiting", "pending_tool_use_id": pending}
        if reason:
            fact["reason"] = reason
        self.fact(row, 1, fact)

    def ended(self, row, run, cause):
        finished = {
            "NaturalEnd": (False, "natural_end"), "MaxSteps": (True, "max_steps"), "Cancelled": (False, "cancelled"),
        }
        if isinstance(cause, str) and cause in finished:
            exhausted, word = finished[cause]
            self.finished(row, run, exhausted, word, None)
        elif isinstance(cause, dict) and "Stopped" in cause:
            self.finished(row, run, False, "stopped", cause["Stopped"])
        elif isinstance(cause, dict) and "Error" in cause:
            self.failed(row, run, *failure_of(cause["Error"]))
        else:
            self.failed(row, run, *INDETERMINATE)  # Also a cause that nobody knows: never success (A4).

    def finished(self, row, run, exhausted, cause, detail):
        run.state = "finished"
        self.item(row, "finished", exhausted=exhausted, cause=cause, detail=detail)
        fact = {"type": "run_finished", "exhausted": exhausted, "cause": cause}
        if cause == "stopped":
            fact["detail"] = detail
        self.fact(row, 1, fact)

    def failed(self, row, run, code, message):
        run.state = "failed"
        self.item(row, "failed", code=code, message=message)
        self.fact(row, 1, {"type": "run_failed", "code": code, "message": message})

    # ------------------------------------------------------------------------------------------------------- the end

    def settle(self):
        """Gives each call its state and disposition by the table of A3.5, as of the last row."""
        for run in self.runs.values():
            for call in (call for batch in run.batches for call in batch):
                if call["output"] is not None:
                    state, disposition = "error" if call["is_error"] else "output", "executed"
                elif run.over:
                    state = disposition = "unresolved"
                elif run.ticket and run.ticket[0] is call:
                    state = disposition = run.ticket[1]
                else:
                    state = disposition = "open"
                call["state"] = state
                call.pop("fact")["disposition"] = disposition

    def current(self):
        """The run that matters now: the last one that began and is not over, else the last one that began."""
        runs = list(self.runs.values())
        chosen = next((run for run in reversed(runs) if not run.over), runs[-1] if runs else None)
        return chosen and {"run_id": chosen.run_id, "state": chosen.state, "seq": chosen.seq}


def injected(message_id, run_id):
    """Which turn of the host's own this is; None for what the person said (A2.2)."""
    own = f"{run_id}-" if run_id is not None else None
    if own and message_id.startswith(own):
        rest = message_id[len(own):].split("-")
        if rest[0] == "steer" and len(rest) == 2 and rest[1].isdigit():
            return "steer"
        if rest[0] == "continuation" and len(rest) == 3 and rest[1].isdigit() and rest[2].isdigit():
            return "continuation"
    if message_id.startswith("resume-input-"):
        return "resume_input"
    if message_id.startswith("agent-thread-report-"):
        return "report"
    return None


def failure_of(failure):
    if isinstance(failure, dict) and "Inference" in failure:
        return failure["Inference"]["code"], failure["Inference"]["message"]
    if isinstance(failure, str) and failure in FAILURES:
        return FAILURES[failure]
    return "unknown", None  # The words for a failure that nobody knows are free.


def is_visible(block):
    kind = block.get("type")
    if kind == "text":
        return block.get("text", "") != ""
    return kind in VISIBLE or kind not in ("thinking", "tool_use", "tool_result")


def part(block):
    """A block as a part; reasoning and calls are parts of their own only in an assistant's message."""
    kind = block.get("type")
    if kind == "text":
        return {"type": "text", "text": whole(block.get("text", ""))}
    if kind == "image":
        return {"type": "image", "source": block["source"]}
    if kind == "document":
        return {"type": "document", **{key: block.get(key) for key in ("source", "title", "context")}}
    if kind == "search_result":
        return {"type": "search_result", **{key: block.get(key) for key in ("source", "title", "content", "citations")}}
    if kind == "redacted":
        return {"type": "redacted"}
    return {"type": "unknown", "block": block}


def whole(text):
    """Halves of characters in committed text are U+FFFD (A1)."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def expectation(db, thread):
    epoch, rows = rows_of(db, thread)
    judge = Judge()
    for row in rows:
        judge.read(row)
    judge.settle()
    return {
        "thread_id": thread,
        "epoch": epoch,
        "frontier": rows[-1]["seq"] if rows else -1,
        "commits": len({row["commit_seq"] for row in rows}),
        "run": judge.current(),
        "items": judge.items,
        "facts": judge.facts,
    }


def printed(value):
    """JSON in which decimals are numbers again, for people and for JavaScript."""
    return json.dumps(value, ensure_ascii=False, default=lambda number: float(number))


def main(arguments):
    if len(arguments) not in (2, 4) or len(arguments) == 4 and arguments[2] != "--against":
        print(__doc__, file=sys.stderr)
        return 2
    expected = expectation(arguments[0], arguments[1])
    if len(arguments) == 2:
        print(printed(expected))
        return 0
    text = sys.stdin.read() if arguments[3] == "-" else open(arguments[3], encoding="utf-8").read()
    differences = compare(expected, exact(text))
    counts = {key: expected[key] for key in ("epoch", "frontier", "commits")}
    counts |= {"runs": sum(1 for fact in expected["facts"] if fact["fact"]["type"] == "run_started")}
    counts |= {"facts": len(expected["facts"]), "items": len(expected["items"])}
    print(printed({"equal": not differences, "differences": differences[:40], **counts}))
    return 0 if not differences else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
