import { test } from "node:test";
import * as ai from "ai-6";
import { judgeChat } from "./chat.mjs";

test("ai 6 over our transport and the host ends with what the log says", (t) => judgeChat(t, "ai-6", ai, 6));
