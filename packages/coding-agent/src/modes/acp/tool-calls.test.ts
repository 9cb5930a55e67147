/** What an editor shows of a call: enough to follow along. */
import { expect, test } from "bun:test";

import type { UserRequestOf } from "@tau/wire";

import { approvalContent, describedCall, shownText } from "./tool-calls.ts";

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

test("invisible characters of a command are shown by their code", () => {
	const command = "rm a \u202e# b\u200b\n```\nls";
	const request = { touches: [{ kind: "exec", command, cwd: "/p" }], choices: [] } as unknown;
	const [shown] = approvalContent(request as UserRequestOf<"approval">, "/p");
	const text = "````sh\n$ rm a <U+202E># b<U+200B>\n```\nls\n````";
	expect(shown).toEqual({ type: "content", content: { type: "text", text } });
});

test("a command of a project cannot hide what else it would run", () => {
	expect(shownText("a\n  ./a <!--\nb\n  ./evil\u2066", "")).toBe(
		"```\na\n  ./a <!--\nb\n  ./evil<U+2066>\n```",
	);
});
