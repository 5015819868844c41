// @ts-check
// Alters a committed row behind the host's back.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const SCRIPT = `
import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=10)
query = "SELECT seq, body FROM records WHERE thread_id = ? AND kind = 'message' ORDER BY seq"
for seq, body in connection.execute(query, (sys.argv[2],)).fetchall():
    message = json.loads(body)
    texts = [block for block in message["content"] if block["type"] == "text" and block["text"]]
    if message["role"] == "Assistant" and texts:
        texts[0]["text"] = texts[0]["text"][:-1] + ("!" if texts[0]["text"][-1] != "!" else "?")
        update = "UPDATE records SET body = ? WHERE thread_id = ? AND seq = ?"
        connection.execute(update, (json.dumps(message, ensure_ascii=False), sys.argv[2], seq))
        connection.commit()
        print(f"the last character of the message at seq {seq}")
        break
else:
    sys.exit("there is no message to tamper with")
`;

/** Changes one character of the thread's first answer, and says where. @param {string} db @param {string} thread */
export async function tamper(db, thread) {
  const { stdout } = await promisify(execFile)("python3", ["-c", SCRIPT, db, thread]);
  return stdout.trim();
}
