import { test } from "node:test";
import * as ai from "ai-6";
import { judgeVersion } from "./ai-sdk.mjs";

test("ai 6 ends with the parts that the Facts say", () => judgeVersion("ai-6", ai));
