/** The commands about the context over RPC: what fills it, dropping items, summaries, and questions beside the conversation. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { isEvent, startRpc, type RpcProcess } from "./rpc-process.ts";

interface Report {
	text: string;
	sources: { name: string; items: { id: string; name: string; isDropped: boolean }[] }[];
	misses: { cause: string }[];
}

async function data<T = Record<string, unknown>>(rpc: RpcProcess, command: object): Promise<T> {
	const response = await rpc.ask(command);
	if (response.success !== true) throw new Error(JSON.stringify(response));
	return (response.data ?? {}) as T;
}

async function prompt(rpc: RpcProcess, message: string): Promise<void> {
	const response = await rpc.ask({ type: "prompt", message });
	await rpc.until(isEvent("agent_end"), rpc.frames.indexOf(response));
}

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

test("get_context, inspect_context, drop_context and restore_context", async () => {
	await using tau = await launch({ steps: [bash("echo NOISE; echo more"), "One.", "Two.", "Three."] });
	await using rpc = startRpc(tau);
	await prompt(rpc, "make noise");
	const report = await data<Report>(rpc, { type: "get_context" });
	expect(report.text).toMatch(/^Context: .* tokens of 200k/);
	expect(report.text).toContain("Tool results");
	const result = report.sources.find(({ name }) => name === "Tool results")?.items[0];
	expect(result?.name).toBe("bash echo NOISE; echo more");
	const { text } = await data(rpc, { type: "inspect_context", itemId: result?.id });
	expect(text).toContain("NOISE\nmore");
	await data(rpc, { type: "drop_context", itemIds: [result?.id] });
	await rpc.until(isEvent("context_edited"));
	await prompt(rpc, "two");
	expect(tau.played.requests.at(-1)?.rawBody).not.toContain("NOISE\\nmore");
	const { misses } = await data<Report>(rpc, { type: "get_context" });
	expect(misses).toMatchObject([{ cause: "dropped items" }]);
	await data(rpc, { type: "restore_context", itemIds: [result?.id] });
	await prompt(rpc, "three");
	expect(tau.played.requests.at(-1)?.rawBody).toContain("NOISE\\nmore");
	const unknown = await rpc.ask({ type: "drop_context", itemIds: ["nothing/there"] });
	expect(unknown).toMatchObject({ success: false, error: "There is no item nothing/there in the context." });
});

test("get_summary, edit_summary and undo_summary", async () => {
	const summing = { bodyContains: "Reply with the summary and nothing else" };
	const long = "many words ".repeat(3000);
	await using tau = await launch({
		steps: [{ when: summing, answer: "In short.", times: "always" }, long, long, "Later.", "Last."],
	});
	await using rpc = startRpc(tau);
	expect(await data(rpc, { type: "get_summary" })).toEqual({ summary: null });
	await prompt(rpc, "Never touch main.");
	await prompt(rpc, "go on");
	await data(rpc, { type: "set_setting", path: "compaction.keepRecentTokens", value: 1000 });
	await data(rpc, { type: "compact" });
	const { summary } = await data<{ summary: { text: string; messages: { text: string }[] } }>(rpc, {
		type: "get_summary",
	});
	expect(summary.text).toContain("In short.");
	expect(summary.messages[0]?.text).toBe("Never touch main.");
	await data(rpc, { type: "edit_summary", text: summary.text.replace("In short.", "EDITED.") });
	await prompt(rpc, "and now?");
	expect(tau.played.requests.at(-1)?.rawBody).toContain("EDITED.");
	expect(tau.played.requests.at(-1)?.rawBody).toContain("Never touch main.");
	await data(rpc, { type: "undo_summary" });
	await data(rpc, { type: "undo_summary" });
	expect(await data(rpc, { type: "get_summary" })).toMatchObject({
		summary: { text: expect.stringContaining("EDITED.") },
	});
	const tree = JSON.stringify(await data(rpc, { type: "get_tree" }));
	expect(tree.split('"type":"compaction"').length - 1).toBe(4);
});

test("btw during a run, ask_model, and abort_side_question", async () => {
	const aside = { bodyContains: "a question beside the conversation" };
	await using tau = await launch({
		steps: [
			{ when: { bodyContains: "never answered?" }, fault: { silent: true } },
			{ when: aside, answer: "Aside." },
			{ when: { bodyContains: "asks you for a second opinion" }, answer: "Second." },
			bash("until [ -e go ]; do sleep 0.01; done"),
			"Done.",
			"Next.",
		],
	});
	appendFileSync(join(tau.agentDir, "models.yml"), "      - id: played-2\n");
	await using rpc = startRpc(tau);
	await rpc.ask({ type: "prompt", message: "work" });
	await rpc.until(isEvent("tool_execution_start"));
	expect(await data(rpc, { type: "btw", question: "what?" })).toMatchObject({
		text: "Aside.",
		model: "played-1",
		usage: { totalTokens: expect.any(Number) },
	});
	await data(rpc, { type: "bash", command: "touch go" });
	await rpc.until(isEvent("agent_end"));
	const answer = await data(rpc, {
		type: "ask_model",
		provider: "played",
		modelId: "played-2",
		question: "your view?",
	});
	expect(answer).toMatchObject({ text: "Second.", model: "played-2" });
	await prompt(rpc, "next");
	const last = tau.played.requests.at(-1)?.rawBody ?? "";
	expect(last).toContain("played/played-2 answered");
	expect(last).not.toContain("Aside.");
	const asking = rpc.ask({ type: "btw", question: "never answered?" });
	await tau.played.waitForRequest(tau.played.requests.length + 1);
	await data(rpc, { type: "abort_side_question" });
	expect(await asking).toMatchObject({ success: false, error: "The question was cancelled." });
});
