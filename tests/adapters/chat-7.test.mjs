import { test } from "node:test";
import * as ai from "ai-7";
import { judgeChat } from "./chat.mjs";

test("ai 7 over our transport and the host ends with what the log says", (t) => judgeChat(t, "ai-7", ai, 7));
