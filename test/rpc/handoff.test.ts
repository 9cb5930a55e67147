/** An automatic handoff over RPC: clients follow it by events, and nothing that they send meanwhile is lost. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch, type Launched } from "../support/launch.ts";
import { isEvent, startRpc } from "./rpc-process.ts";

const model = ["--model", "played/played-1"];
const full = { input: 18_000, output: 100 };
const filled: Step = { answer: { blocks: [{ text: "Written." }], usage: full } };
const document: Step = {
	when: { bodyContains: "Reply with the document" },
	answer: { blocks: [{ text: "Next: the tests." }] },
	fault: { afterChunks: 0, pauseMs: 500 },
};

function useHandoff(tau: Launched): void {
	const settings = "compaction:\n  strategy: handoff\n  keepRecentTokens: 100\n  reserveTokens: 1000\n";
	writeFileSync(join(tau.agentDir, "config.yml"), settings);
	const file = join(tau.agentDir, "models.yml");
	writeFileSync(file, readFileSync(file, "utf8").replace("200000", "20000"));
}

test("a prompt that comes while the document is written is answered in the new session", async () => {
	await using tau = await launch({ steps: [document, "Read.", filled, "Onward.", "Title."] });
	useHandoff(tau);
	await using rpc = startRpc(tau, model);
	await rpc.ask({ type: "prompt", message: `Never touch generated.ts. ${"word ".repeat(2000)}` });
	await rpc.until(isEvent("agent_end"));
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message: "Write it." });
	const start = await rpc.until(isEvent("handoff_start"), from);
	expect(start).toMatchObject({ reason: "threshold" });
	const prompted = await rpc.ask({ type: "prompt", message: "Go on." });
	expect(prompted).toMatchObject({ success: true });
	const before = (await rpc.ask({ type: "get_state" })).data as { sessionId: string };
	const end = await rpc.until(isEvent("handoff_end"), from);
	expect(end).toMatchObject({ reason: "threshold", moved: true, pending: 1 });
	expect(end).not.toMatchObject({ sessionId: before.sessionId });
	await rpc.until(isEvent("agent_end"), rpc.frames.indexOf(end));
	const last = tau.played.requests.find(({ rawBody }) => rawBody.includes("Go on."))?.rawBody ?? "";
	for (const text of ["Next: the tests.", "Never touch generated.ts.", "Go on."])
		expect(last).toContain(text);
	expect(last).not.toContain("Written.");
	const messages = (await rpc.ask({ type: "get_messages" })).data as { messages: { role: string }[] };
	expect(messages.messages.map(({ role }) => role)).toEqual(["custom", "user", "assistant"]);
});

test("if no document can be written, the prompt is answered in the session that continues", async () => {
	const broken: Step = {
		when: { bodyContains: "Reply with the document" },
		fault: { http: 401 },
		times: "always",
	};
	const summary: Step = {
		when: { bodyContains: "Reply with the summary" },
		answer: "Short.",
		times: "always",
	};
	await using tau = await launch({ steps: [broken, summary, "Read.", filled, "Onward.", "More."] });
	useHandoff(tau);
	await using rpc = startRpc(tau, model);
	await rpc.ask({ type: "prompt", message: `Mind. ${"word ".repeat(2000)}` });
	await rpc.until(isEvent("agent_end"));
	const before = (await rpc.ask({ type: "get_state" })).data as { sessionId: string };
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message: "Write it." });
	const end = await rpc.until(isEvent("handoff_end"), from);
	expect(end).toMatchObject({ moved: false, sessionId: before.sessionId, errorMessage: expect.any(String) });
	await rpc.until(isEvent("compaction_end"), from);
	await rpc.ask({ type: "prompt", message: "Go on." });
	await rpc.until(isEvent("agent_end"), rpc.frames.length - 1);
	expect(tau.played.requests.at(-1)?.rawBody).toContain("Go on.");
});

test("a message that was queued in the run that a handoff stops is answered in the new session", async () => {
	const slow: Step = { answer: "One moment.", fault: { silent: true } };
	// The stopped answer has left nothing in the cache: the document is made from the text.
	const written: Step = { when: { bodyContains: "Reply with the summary" }, answer: "Next: the tests." };
	await using tau = await launch({ steps: [written, "Read.", slow, "Onward."] });
	await using rpc = startRpc(tau, model);
	await rpc.ask({ type: "prompt", message: "Never touch generated.ts." });
	await rpc.until(isEvent("agent_end"));
	await rpc.ask({ type: "prompt", message: "Think." });
	await tau.played.waitForRequest(2);
	await rpc.ask({ type: "follow_up", message: "Then test." });
	const handed = await rpc.ask({ type: "handoff" });
	expect(handed).toMatchObject({ success: true, data: { cancelled: false } });
	const end = await rpc.until(isEvent("handoff_end"));
	expect(end).toMatchObject({ reason: "manual", moved: true, pending: 1 });
	await rpc.until(isEvent("agent_end"), rpc.frames.indexOf(end));
	const last = tau.played.requests.at(-1)?.rawBody ?? "";
	for (const text of ["Next: the tests.", "Then test."]) expect(last).toContain(text);
});

test("a compaction after a handoff keeps what the user wrote before it, and the model can search there", async () => {
	const written: Step = { when: { bodyContains: "Reply with the document" }, answer: "Next: the tests." };
	const summary: Step = { when: { bodyContains: "Reply with the summary" }, answer: "Something." };
	const answers = (from: number) =>
		Array.from({ length: 6 }, (_, n) => `FACT${from + n} ${"word ".repeat(400)}`);
	await using tau = await launch({ steps: [written, ...answers(0), ...answers(6), summary, "Ready."] });
	writeFileSync(join(tau.agentDir, "config.yml"), "compaction:\n  keepRecentTokens: 300\n");
	await using rpc = startRpc(tau, model);
	const rules = Array.from({ length: 12 }, (_, n) => `USER${n} rule: never touch file-${n}.`);
	for (const [n, message] of rules.entries()) {
		if (n === 6) expect(await rpc.ask({ type: "handoff" })).toMatchObject({ success: true });
		const from = rpc.frames.length;
		await rpc.ask({ type: "prompt", message });
		await rpc.until(isEvent("agent_end"), from);
	}
	expect(await rpc.ask({ type: "compact" })).toMatchObject({ success: true });
	const find = (path: string): Step => ({
		answer: { blocks: [{ toolCall: { name: "read", arguments: { path } } }] },
	});
	tau.played.setScenario({ steps: [find("session://find/FACT2"), find("session://find/FACT2"), "Found."] });
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message: "Go on." });
	await rpc.until(isEvent("agent_end"), from);
	const [first = "", , last = ""] = tau.played.requests.slice(-3).map(({ rawBody }) => rawBody);
	for (const rule of rules) expect(first).toContain(rule);
	expect(first).not.toContain("FACT2");
	expect(last).toMatch(/session:\/\/\w+ {2}assistant: FACT2 word/);
	// Neither the search before nor this one is among the hits.
	expect(last.match(/session:\/\/\w+ {2}(assistant|read): /g)).toHaveLength(2);
});

test.each([
	["calls a tool", { toolCall: { name: "bash", arguments: { command: "echo hi" } } }],
	["writes nothing", { text: "" }],
])("a handoff is made from the text if the model %s instead of writing the document", async (_, block) => {
	const live: Step = { when: { bodyContains: "Reply with the document" }, answer: { blocks: [block] } };
	const text: Step = { when: { bodyContains: "Reply with the summary" }, answer: "Next: the tests." };
	await using tau = await launch({ steps: [live, text, "Read.", "Onward."] });
	await using rpc = startRpc(tau, model);
	await rpc.ask({ type: "prompt", message: "Never touch generated.ts." });
	await rpc.until(isEvent("agent_end"));
	expect(await rpc.ask({ type: "handoff" })).toMatchObject({ success: true, data: { cancelled: false } });
	const from = rpc.frames.length;
	await rpc.ask({ type: "prompt", message: "Go on." });
	await rpc.until(isEvent("agent_end"), from);
	expect(tau.played.requests.at(-1)?.rawBody).toContain("Next: the tests.");
});
