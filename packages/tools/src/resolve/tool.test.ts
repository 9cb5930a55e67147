/** A preview is applied or discarded by a decision, newest first, and never twice. */
import { expect, test } from "bun:test";

import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import { pendingActions } from "./pending.ts";
import { resolve } from "./tool.ts";

function offer(env: TestToolEnv, label: string, done: string[], more: { rejects?: string } = {}): void {
	const { rejects } = more;
	env.services.get(pendingActions, env).push({
		label,
		sourceToolName: "sample",
		apply: async (reason) => {
			done.push(`${label}: ${reason}`);
			return textResult(`made ${label}`, { files: 1 });
		},
		...(rejects === undefined ? {} : { reject: async () => textResult(rejects) }),
	});
}

test("the newest is decided first, and the next one is named", async () => {
	await using env = await testToolEnv();
	const done: string[] = [];
	offer(env, "one", done);
	offer(env, "two", done);
	const tool = resolve.bind(env);
	const first = await callTool(tool, { action: "apply", reason: "fine" });
	expect(textOf(first)).toBe("made two\n(1 more pending; the next is: one)");
	expect(first.details).toEqual({
		action: "apply",
		label: "two",
		sourceToolName: "sample",
		result: { files: 1 },
	});
	expect(textOf(await callTool(tool, { action: "discard" }))).toBe("Discarded: one");
	expect(done).toEqual(["two: fine"]);
	const none = await callTool(tool, { action: "apply" });
	expect(none.isError).toBe(true);
	expect(textOf(none)).toBe("No pending action to resolve. Nothing to apply or discard.");
});

test("the owner of a preview may define what discarding does", async () => {
	await using env = await testToolEnv();
	offer(env, "one", [], { rejects: "put away" });
	expect(textOf(await callTool(resolve.bind(env), { action: "discard" }))).toBe("put away");
});

test("undecided previews are limited in number", async () => {
	await using env = await testToolEnv();
	for (let at = 0; at < limits.pending * 2; at++) offer(env, String(at), []);
	const pending = env.services.get(pendingActions, env);
	expect(pending.count).toBe(limits.pending);
	expect(pending.peek()?.label).toBe(String(limits.pending * 2 - 1));
});
