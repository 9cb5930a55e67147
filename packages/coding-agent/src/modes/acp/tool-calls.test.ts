/** What an editor shows of a call: enough to follow along. */
import { expect, test } from "bun:test";

import { describedCall } from "./tool-calls.ts";

const cwd = "/work";

test.each([
	["read", { path: "a.ts:50-100" }, "read", [{ path: "/work/a.ts", line: 50 }]],
	["read", { path: "a.zip:inner/b.txt" }, "read", [{ path: "/work/a.zip" }]],
	["read", { path: "https://example.org" }, "fetch", []],
	["write", { path: "b.ts", content: "x" }, "edit", [{ path: "/work/b.ts" }]],
	["grep", { pattern: "x", path: "src" }, "search", [{ path: "/work/src" }]],
	["bash", { command: "ls" }, "execute", []],
	["todo", { ops: [] }, "think", []],
	["mcp_other_tool", { any: 1 }, "other", []],
])("%s of %j is of kind %s", (toolName, args, kind, locations) => {
	expect(describedCall({ toolName, args, cwd })).toMatchObject({ kind, locations, rawInput: args });
});

test("what an agent does is under its name, and arguments that have not come yet are no problem", () => {
	expect(describedCall({ toolName: "bash", args: {}, cwd, agent: "helper" }).title).toStartWith("helper: ");
});
