import { test } from "node:test";
import * as ai from "ai-7";
import { judgeVersion } from "./ai-sdk.mjs";

test("ai 7 ends with the parts that the Facts say", () => judgeVersion("ai-7", ai));
