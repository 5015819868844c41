// The application that every project is: it folds a page and follows a thread, and says what came of it.

/** What the application must come to. */
export const WANTED = { facts: ["run_started", "assistant_message", "run_finished"], shown: "hello|hi", after: "closed", chunks: [] };

const PAGE = {
  contract: "threadfold/1",
  thread_id: "t1",
  epoch: "e1",
  frontier: 3,
  has_more: false,
  messages: [
    { seq: 0, time: 1, run_id: "r1", message: { id: "m1", role: "User", content: [{ type: "text", text: "hello" }] } },
    { seq: 2, time: 2, run_id: "r1", step: 0, response: 0, message: { id: "r1-assistant-0", role: "Assistant", content: [{ type: "text", text: "hi" }] } },
  ],
  runs: [
    { seq: 1, time: 1, run_id: "r1", state: "Running" },
    { seq: 3, time: 2, run_id: "r1", state: { Ended: "NaturalEnd" } },
  ],
};

/** A module that exports `check()`. @param {string} entry Of the package. @param {string} [setup] Lines before `init`. */
export const check = (entry = "threadfold", init = "await init();", more = "") => `
import { ThreadClient, createTranscoder, fold, init } from "${entry}";
${more}
const page = ${JSON.stringify(PAGE)};

export async function check() {
  ${init}
  const facts = fold(page).map(({ fact }) => fact.type);
  const thread = new ThreadClient({
    source: {
      openLive: (sink) => sink.event("opened", { contract: "threadfold/1", epoch: "e1", frontier: 3, revision: 0, active: null }),
      readCommitted: () => page,
    },
  });
  await thread.connect();
  const shown = thread.view.items.flatMap((item) => item.parts ?? []).map((part) => part.text).join("|");
  thread.close();
  const after = await thread.send("late").catch((error) => error.code);
  // It has a module of its own, which is loaded now.
  const chunks = (await createTranscoder("ai-sdk")).delta({ run_id: "r1", delta: { type: "text_delta", delta: "" } });
  return { facts, shown, after, chunks };
}
`;

/** A script that shows the result. @param {string} from Where `check` is. */
export const show = (from = "./check.js") => `
import { check } from "${from}";
const tell = (value) => { document.querySelector("#result").textContent = JSON.stringify(value); };
check().then(tell, (error) => tell({ code: error.code, message: String(error.stack ?? error) }));
`;

/** @param {string} script Its address. @param {string} [head] */
export const html = (script, head = "") =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>app</title>${head}</head>` +
  `<body><pre id="result"></pre><script type="module" src="${script}"></script></body></html>`;
