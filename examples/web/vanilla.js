// A chat without a framework: one keyed list, patched where items have changed.
import { ThreadClient, threadfold } from "threadfold";

export function chat(root, { base, threadId }) {
  root.innerHTML = `<ol></ol><p role="status"></p><form><input name="text" aria-label="Message" autocomplete="off"><button>Send</button></form>`;
  const [list, status, form] = root.children;
  const thread = new ThreadClient({ source: threadfold({ base, threadId }) });
  const shown = new Map(); // by key: the item that a line shows, and the line

  function render() {
    const { items, run, status: connection } = thread.view;
    const lines = items.map((item) => {
      const before = shown.get(item.key);
      if (before?.item === item) return before.line; // settled: the same object
      const line = before?.line ?? document.createElement("li");
      line.dataset.key = item.key;
      line.className = `${item.kind} ${item.origin}`;
      line.replaceChildren(...content(item));
      shown.set(item.key, { item, line });
      return line;
    });
    lines.forEach((line, at) => list.children[at] === line || list.insertBefore(line, list.children[at] ?? null));
    while (list.children.length > lines.length) list.lastChild.remove();
    status.textContent = `${connection.state}${run ? `, the run is ${run.state}` : ""}`;
  }

  function content(item) {
    if (item.kind === "awaiting") return item.resolved ? [] : [question(item)];
    if (item.kind === "failed") return [`failed: ${item.message}`];
    return (item.parts ?? []).map((part) => {
      const block = document.createElement("p");
      block.textContent = part.type === "text" ? part.text : part.type === "tool_call" ? `${part.name}(${part.args}) ${part.state}` : part.type;
      return block;
    });
  }

  function question({ tool, pending_tool_use_id: call, run_id: runId }) {
    const asked = document.createElement("p");
    asked.textContent = `May I ${tool?.name ?? "go on"}? `;
    for (const approve of [true, false]) {
      const button = document.createElement("button");
      button.textContent = approve ? "Allow" : "Refuse";
      button.onclick = () => thread.resume(call, { approve }, { runId }).catch(() => {});
      asked.append(button);
    }
    return asked;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    thread.send(form.text.value).catch(() => {}); // a send that failed is shown as such
    form.reset();
  });
  thread.subscribe(render);
  thread.connect().catch(() => {}); // so is a connection; an unknown thread begins with the first send
  return () => thread.close();
}
