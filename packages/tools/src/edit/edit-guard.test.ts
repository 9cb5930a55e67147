/** An edit that cannot match is interrupted while it streams; the model gets the reason and continues. */
import { expect, test, describe } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { playModel, type Scenario } from "@tau/ai/testing";
import { testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { testModel, testSession } from "../../../../test/support/session.ts";
import { edit } from "./tool.ts";
import { write } from "../write/tool.ts";
import { editGuard } from "./edit-guard.ts";
import type { EditMode } from "../files/edit-mode.ts";
import { fileTag } from "../files/hashline.ts";
import type { AgentTool } from "@tau/agent";

const calling = (name: string, args: Record<string, unknown>) => ({
	toolCall: { name, arguments: args },
	chunks: 30,
});

/** The bodies sent to the model, request by request. */
async function run(env: TestToolEnv, steps: Scenario["steps"], ownEdit?: AgentTool): Promise<string[]> {
	await using played = await playModel({ steps });
	const guard = editGuard(env, () => ownEdit === undefined);
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		tools: ownEdit ? [ownEdit] : [edit.bind(env), write.bind(env)],
		behaviors: [guard],
	});
	await session.prompt({ text: "go" });
	// A message of the guard is never mistaken for the user's.
	expect(session.state.messages.filter(({ role }) => role === "user")).toHaveLength(1);
	return played.requests.map(({ rawBody }) => rawBody);
}

test("a wrong edit is interrupted at the wrong line, long before its end, and does not run", async () => {
	await using env = await testToolEnv();
	writeFileSync(env.resolve("f"), "one\ntwo\nthree\n");
	const bad = { path: "f", edits: [{ oldText: "one\nzwei\nthree\n", newText: "x".repeat(2000) }] };
	// The played model would pause for a minute in the middle of the new text: only the guard ends it.
	const answer = { blocks: [calling("edit", bad)] };
	const requests = await run(env, [{ answer, fault: { pauseMs: 60_000, afterChunks: 20 } }, "Sorry."]);
	expect(requests).toHaveLength(2);
	expect(requests[1]).toContain("oldText does not occur in f.");
	expect(requests[1]).toContain("interrupted while you were writing it");
	expect(requests[1]).not.toContain("xxxx");
	expect(readFileSync(env.resolve("f"), "utf8")).toBe("one\ntwo\nthree\n");
});

test("a correct edit is not interrupted", async () => {
	await using env = await testToolEnv();
	writeFileSync(env.resolve("f"), "one\ntwo\nthree\n");
	const good = { path: "f", edits: [{ oldText: "one\ntwo\n", newText: "1\n2\n" }] };
	const requests = await run(env, [{ answer: { blocks: [calling("edit", good)] } }, "Done."]);
	expect(requests[1]).toContain("Edited f");
	expect(readFileSync(env.resolve("f"), "utf8")).toBe("1\n2\nthree\n");
});

describe("a correct edit", () => {
	const patch = "*** Begin Patch\n*** Update File: f\n@@\n one\n-two\n+2\n";
	const calls: [what: string, mode: EditMode, args: Record<string, unknown>, after: string][] = [
		[
			"with its path behind its edits",
			"replace",
			{ edits: [{ oldText: "two", newText: "2" }], path: "././././././f" },
			"one\n2\nthree\n",
		],
		[
			"with the new text before the old",
			"replace",
			{ path: "f", edits: [{ newText: "1\n2", oldText: "one \ntwo \nthree " }] },
			"1\n2\n",
		],
		[
			"with its numbers behind the text, and its tag last",
			"hashline",
			{ edits: [{ text: "2\n", to: 2, from: 2 }], path: "f", tag: fileTag("one\ntwo\nthree\n") },
			"one\n2\nthree\n",
		],
		[
			"that is a patch behind blank lines",
			"apply_patch",
			{ input: `\n\n${patch}*** End Patch\n` },
			"one\n2\nthree\n",
		],
		[
			"that is a patch with an indented end",
			"apply_patch",
			{ input: `${patch} *** End Patch\n` },
			"one\n2\nthree\n",
		],
	];
	test.each(calls)("%s is not interrupted", async (_, mode, args, after) => {
		await using env = await testToolEnv();
		await env.settings.set("edit.mode", mode, "session");
		writeFileSync(env.resolve("f"), "one\ntwo\nthree\n");
		// Chunks that arrive at once would be checked as one.
		const answer = { blocks: [calling("edit", args)], delayMs: 3 };
		const requests = await run(env, [{ answer }, "Done."]);
		expect(requests).toHaveLength(2);
		expect(readFileSync(env.resolve("f"), "utf8")).toBe(after);
	});
});

test("an `edit` tool of an extension is not checked: its files may be elsewhere", async () => {
	await using env = await testToolEnv();
	const calls: unknown[] = [];
	const ownEdit: AgentTool = {
		...write.bind(env),
		name: "edit",
		validate: (value) => ({ ok: true, value }),
		execute: async (_, params) => {
			calls.push(params);
			return { content: [{ type: "text", text: "Edited on the other machine." }] };
		},
	};
	const args = { path: "elsewhere", edits: [{ oldText: "a", newText: "b" }] };
	const requests = await run(env, [{ answer: { blocks: [calling("edit", args)] } }, "Done."], ownEdit);
	expect(requests).toHaveLength(2);
	expect(calls).toEqual([args]);
});

test("an edit of a file that the same answer writes first is checked when it runs", async () => {
	await using env = await testToolEnv();
	const blocks = [
		calling("write", { path: "new", content: "one\ntwo\n" }),
		calling("edit", { path: "new", edits: [{ oldText: "two\n", newText: "2\n" }] }),
	];
	const requests = await run(env, [{ answer: { blocks } }, "Done."]);
	expect(requests).toHaveLength(2);
	expect(readFileSync(env.resolve("new"), "utf8")).toBe("one\n2\n");
});
