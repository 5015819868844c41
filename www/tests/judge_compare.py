"""Compares what the judge expects with what a page shows: `thread.view`, the visible text, the Facts that it was told."""

import json
import re
from decimal import Decimal

# How a page may word the end of a run. The words are free, what they claim is not.
ENDS = {
    "natural_end": re.compile(r"finished|done|complete", re.I),
    "max_steps": re.compile(r"step", re.I),
    "cancelled": re.compile(r"cancel", re.I),
    "stopped": re.compile(r"stopped", re.I),
}
SUCCESS = re.compile(r"\b(finished|done|complete|completed|success)\b", re.I)


class Differences(list):
    def say(self, where, expected, found):
        self.append(f"{where}: expected {short(expected)}, found {short(found)}")

    def same(self, where, expected, found):
        if not equal(expected, found):
            self.say(where, expected, found)


def short(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else f"{text[:200]}…{text[-80:]} ({len(text)} characters)"


def equal(one, other):
    """Equality of JSON values: 1 is 1.0, true is not 1, and no digit is rounded away."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, Decimal)) and isinstance(other, (int, Decimal)):
        return Decimal(one) == Decimal(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other))
    return type(one) is type(other) and one == other


def value_of(text):
    """The value of JSON text; the text itself where it is none."""
    try:
        return json.loads(text, parse_float=Decimal)
    except (TypeError, ValueError):
        return {"not JSON": text}


def compare(expected, found):
    differences = Differences()
    if found.get("view") is not None:
        view(differences, expected, found["view"])
    if found.get("page") is not None:
        page(differences, expected["items"], found["page"])
    if found.get("facts") is not None:
        facts(differences, expected["facts"], found["facts"])
    return differences


# -------------------------------------------------------------------------------------------------------- thread.view


def view(out, expected, found):
    items = found["items"]
    keys = [item["key"] for item in items]
    if len(set(keys)) != len(keys):
        out.say("view: keys", "each once", keys)
    out.same("view: run", expected["run"], found["run"])
    kinds = lambda list_: [[item["seq"], item["kind"]] for item in list_]
    if kinds(items) != kinds(expected["items"]):
        out.say("view: items", kinds(expected["items"]), kinds(items))
        return
    for want, got in zip(expected["items"], items):
        view_item(out, f"view: {want['kind']} {want['seq']}", want, got, items)


def view_item(out, where, want, got, items):
    out.same(f"{where}: origin", "committed", got["origin"])
    for key in want.keys() - {"parts", "output", "tool", "call", "message"}:
        out.same(f"{where}: {key}", want[key], got.get(key))
    if want.get("message") is not None:
        out.same(f"{where}: message", want["message"], got["message"])
    for key in ("parts", "output"):
        if key in want:
            parts(out, where, want[key], got[key])
    if want["kind"] == "user":
        out.same(f"{where}: send", None, got["send"])
    if want["kind"] == "awaiting":
        tool = got["tool"] and {"name": got["tool"]["name"], "input": value_of(got["tool"]["args"])}
        out.same(f"{where}: tool", want["tool"], tool)
        out.same(f"{where}: call", want["call"], place(got["call"], want, items))


def place(call, want, items):
    """The place that an awaiting item points at, as (seq of the message, number of the part)."""
    if call is None:
        return None
    target = next((item for item in items if item["key"] == call["key"]), None)
    if target is None or call["part"] >= len(target["parts"]):
        return {"points nowhere": call}
    if target["parts"][call["part"]].get("id") != want["pending_tool_use_id"]:
        return {"points at another call": call}
    # Empty parts may be left out of a view, so the number is that of the expectation if the call is the same one.
    return want["call"] if want["call"] and target["seq"] == want["call"][0] else [target["seq"], call["part"]]


def shown(part):
    """Whether there is anything to see of a part."""
    return part["type"] not in ("text", "reasoning") or part["text"] != ""


def parts(out, where, want, got):
    want, got = [part for part in want if shown(part)], [part for part in got if shown(part)]
    types = lambda list_: [part["type"] for part in list_]
    if types(want) != types(got):
        out.say(f"{where}: parts", types(want), types(got))
        return
    for number, (one, other) in enumerate(zip(want, got)):
        here = f"{where}: part {number}"
        if one["type"] != "tool_call":
            for key in one:
                out.same(f"{here}: {key}", one[key], other.get(key))
            continue
        for key in ("id", "name", "state"):
            out.same(f"{here}: {key}", one[key], other[key])
        out.same(f"{here}: args", one["input"], value_of(other["args"]))
        if (one["output"] is None) != (other["output"] is None):
            out.say(f"{here}: output", one["output"], other["output"])
        elif one["output"] is not None:
            parts(out, f"{here}: output", one["output"], other["output"])


# --------------------------------------------------------------------------------------------------------- the page


def page(out, want, got):
    keys = [element["key"] for element in got]
    if len(set(keys)) != len(keys):
        out.say("page: keys", "each once", keys)
    kinds = [[item["seq"], item["kind"]] for item in want]
    seen = [[number(element["seq"]), element["kind"]] for element in got]
    if kinds != seen:
        out.say("page: items", kinds, seen)
        return
    for item, element in zip(want, got):
        page_item(out, f"page: {item['kind']} {item['seq']}", item, element)


def number(text):
    return int(text) if text is not None and text.lstrip("-").isdigit() else None


def page_item(out, where, want, got):
    kind, text = want["kind"], got["text"]
    out.same(f"{where}: origin", "committed", got["origin"])
    if kind in ("user", "injected", "system", "assistant"):
        page_parts(out, where, want["parts"], got["parts"])
    if kind == "injected" and text.strip().startswith("You"):
        out.say(f"{where}", "not shown as something the person said", text)
    if kind == "awaiting":
        if want["resolved"] and got["buttons"]:
            out.say(f"{where}: buttons", 0, got["buttons"])
        if not want["resolved"] and not got["buttons"]:
            out.say(f"{where}: buttons", "something to answer with", 0)
    if kind == "finished" and not ENDS[want["cause"]].search(text):
        out.say(f"{where}: text", want["cause"], text)
    if kind == "failed":
        if SUCCESS.search(text) or "fail" not in text.lower() and "unknown" not in text.lower():
            out.say(f"{where}: text", "a failure that reads as one", text)
        if want["code"] != "indeterminate" and want["code"] not in text:
            out.say(f"{where}: text", want["code"], text)
        if want["message"] and want["message"] not in text:
            out.say(f"{where}: text", want["message"], text)


def page_parts(out, where, want, got):
    want = [part for part in want if shown(part) and part["type"] in ("text", "reasoning", "tool_call")]
    got = [part for part in got if part["type"] == "tool_call" or part["text"] != ""]
    types = lambda list_: [part["type"] for part in list_]
    if types(want) != types(got):
        out.say(f"{where}: parts", types(want), types(got))
        return
    for at, (one, other) in enumerate(zip(want, got)):
        here = f"{where}: part {at}"
        if one["type"] != "tool_call":
            out.same(f"{here}: text", visible(one["text"]), visible(other["text"]))
            continue
        out.same(f"{here}: call id", one["id"], other["call_id"])
        if one["name"] not in other["name"]:
            out.say(f"{here}: name", one["name"], other["name"])
        out.same(f"{here}: args", one["input"], value_of(other["args"]))
        output = one["output"]
        if output is None:
            out.same(f"{here}: result", None, other["result"])
        elif all(inner["type"] == "text" for inner in output):
            result = "\n".join(inner["text"] for inner in output)
            found = other["result"] or ""
            if squeezed(result) != squeezed(found):
                out.say(f"{here}: result", result, other["result"])


def visible(text):
    """Line ends as innerText tells them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def squeezed(text):
    """Results that are JSON are laid out by the page: then only the value counts."""
    try:
        return json.dumps(json.loads(text, parse_float=str, parse_int=str), sort_keys=True)
    except ValueError:
        return visible(text)


# --------------------------------------------------------------------------------------------------------- the Facts


def facts(out, want, got):
    place = lambda fact: (fact["position"]["seq"], fact["position"]["index"])
    if [place(fact) for fact in want] != [place(fact) for fact in got]:
        out.say("facts: positions", [place(fact) for fact in want], [place(fact) for fact in got])
        return
    for one, other in zip(want, got):
        here = f"facts: {place(one)}"
        out.same(f"{here}: run", one["run_id"], other["run_id"])
        for key in one["fact"]:
            out.same(f"{here}: {key}", one["fact"][key], other["fact"].get(key))
