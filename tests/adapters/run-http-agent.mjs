// One run of AG-UI's own HTTP agent, at the address of the first argument: prints whether it resolved or rejected.

import { HttpAgent } from "@ag-ui/client";

const agent = new HttpAgent({ url: process.argv[2], threadId: "cut" });
agent.addMessage({ id: "m", role: "user", content: "/plain" });
console.log(await agent.runAgent().then(() => "resolved", () => "rejected"));
