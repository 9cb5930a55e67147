/** Long work through the program: what the user said stays in the context, and a full context is no dead end. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";
import { cachedText, commonPrefix } from "../support/prefix.ts";

const model = ["--model", "played/played-1"];
const summary: Step = {
	when: { bodyContains: "Reply with the summary" },
	answer: "It went on.",
	times: "always",
};
/** The provider counts: a window of 20,000 is nearly full. */
const full = { input: 18_000, output: 100 };

function call(name: string, args: Record<string, unknown>, usage?: typeof full): Step {
	const blocks = [{ toolCall: { name, arguments: args } }];
	return { answer: { blocks, ...(usage ? { usage } : {}) } };
}

function shrink(tau: Launched): void {
	const compaction = "compaction:\n  keepRecentTokens: 100\n  reserveTokens: 1000\n";
	writeFileSync(join(tau.agentDir, "config.yml"), compaction);
	const file = join(tau.agentDir, "models.yml");
	writeFileSync(file, readFileSync(file, "utf8").replace("200000", "20000"));
}

test("after a worthless summary the model has the user's words, the instructions, the todos and an address for the rest", async () => {
	const todos = { ops: [{ op: "init", list: [{ phase: "Build", items: ["parse", "print"] }] }] };
	await using tau = await launch({
		steps: [
			summary,
			call("todo", todos),
			"Planned.",
			call("bash", { command: "seq 2000" }),
			"Counted.",
			call("bash", { command: "echo last" }, full),
			"Done.",
		],
	});
	shrink(tau);
	writeFileSync(join(tau.project, "AGENTS.md"), "Speak like a pirate.");
	const first = "Never touch generated.ts, whatever happens.";
	await tau.run(["-p", first, ...model]);
	await tau.run(["-p", "-c", "Now count.", ...model]);
	const { out, code } = await tau.run(["-p", "-c", "And end.", ...model]);
	expect([code, out.trim()]).toEqual([0, "Done."]);
	const bodies = tau.played.requests.map(({ rawBody }) => rawBody);
	const [asked = "", next = ""] = bodies.slice(-2);
	expect(asked).toContain("Reply with the summary");
	for (const text of [first, "Now count.", "And end.", "Speak like a pirate.", "- [/] parse", "It went on."])
		expect(next).toContain(text);
	// Two lines of the output: a number alone may be in an id.
	expect(asked).toContain("1998\\n1999");
	expect(next).not.toContain("1998\\n1999");
	// The summary was read from the cache.
	const [before, with_] = tau.played.requests.slice(-3, -1).map(cachedText);
	expect(commonPrefix(before ?? "", with_ ?? "")).toBe(before?.length ?? 0);
	// What left the context is read again by its address.
	const id = /<message id=\\"(\w+)\\">\\nNow count/.exec(next)?.[1];
	tau.played.setScenario({ steps: [call("read", { path: `session://${id}` }), "Read."] });
	await tau.run(["-p", "-c", "Read it.", ...model]);
	expect(tau.played.requests.at(-1)?.rawBody).toContain("1  Now count.");
	// So is what a tool returned, by its call or by a text in it.
	const result = /session:\/\/(\w+) {2}bash command=seq 2000/.exec(next)?.[1] ?? "";
	for (const path of [`session://${result}`, "session://find/1987"]) {
		tau.played.setScenario({ steps: [call("read", { path }), "Read."] });
		await tau.run(["-p", "-c", "Read it.", ...model]);
		expect(tau.played.requests.at(-1)?.rawBody).toContain("1987");
	}
	expect(tau.played.requests.at(-1)?.rawBody).toContain(`session://${result}  bash`);
	tau.played.setScenario({
		steps: [call("grep", { pattern: "^198[78]$", path: `session://${result}` }), "Found."],
	});
	await tau.run(["-p", "-c", "Search it.", ...model]);
	const hits = tau.played.requests.at(-1)?.rawBody ?? "";
	expect(hits.slice(hits.lastIndexOf("tool_result"))).toContain(
		`session://${result}\\n1987:1987\\n1988:1988`,
	);
});

test("tool results that left a full context are read again by their addresses", async () => {
	const seq = (from: number) => call("bash", { command: `seq ${from} 4000` });
	await using tau = await launch({ steps: [summary, seq(1), seq(2), seq(3), "Done."] });
	shrink(tau);
	const { out, err } = await tau.run(["-p", "count", ...model]);
	expect(out.trim()).toBe("Done.");
	expect(err).toContain("Removed");
	const after = tau.played.requests.at(-1)?.rawBody ?? "";
	expect(after).not.toContain("Reply with the summary");
	const ids = [...after.matchAll(/read session:\/\/(\w+) to see it again/g)].map(([, id]) => id);
	expect(ids.length).toBeGreaterThan(1);
	for (const [index, id] of ids.entries()) {
		tau.played.setScenario({ steps: [summary, call("read", { path: `session://${id}` }), "Read."] });
		const read = await tau.run(["-p", "-c", "Read it.", ...model]);
		expect(read.out.trim()).toBe("Read.");
		expect(tau.played.requests.at(-1)?.rawBody).toContain(`1  ${index + 1}\\n`);
	}
});

test("a context that is full continues with the larger model that the current one names", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "echo hi" }, full), "Done."] });
	shrink(tau);
	const file = join(tau.agentDir, "models.yml");
	const [head = "", own = ""] = readFileSync(file, "utf8").split("      - id: ");
	const large = own.replace("played-1", "played-large").replace("20000", "1000000");
	const small = `${own.trimEnd()}\n        contextPromotionTarget: played-large\n`;
	writeFileSync(file, `${head}      - id: ${small}      - id: ${large}`);
	const { out, err, code } = await tau.run(["-p", "go", ...model]);
	expect([code, out.trim()]).toEqual([0, "Done."]);
	expect(tau.played.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
		"played-1",
		"played-large",
	]);
	expect(err).toContain("Continuing with played/played-large");
	// For this session only: its own model is not another one.
	const listed = new Bun.Glob("**/*.jsonl").scanSync({ cwd: join(tau.agentDir, "sessions"), absolute: true });
	const [session = ""] = listed;
	expect(readFileSync(session, "utf8")).toMatch(/"model_change".*"played-large".*"role":"temporary"/);
});

test("an answer that is cut off again and again ends print mode with an error", async () => {
	const cut: Step = { answer: { blocks: [{ text: "One," }], stopReason: "length" }, times: "always" };
	await using tau = await launch({ steps: [cut] });
	const { err, code } = await tau.run(["-p", "count", ...model]);
	expect(code).not.toBe(0);
	expect(err).toContain("output limit");
	expect(tau.played.requests).toHaveLength(4);
});

test("an answer in parts is one answer for a pipe, and fits its schema as a whole", async () => {
	const half: Step = { answer: { blocks: [{ text: '{"words": ["one", ' }], stopReason: "length" } };
	await using tau = await launch({ steps: [half, '"two"]}'] });
	const schema = JSON.stringify({ type: "object", required: ["words"] });
	const { out, code } = await tau.run(["-p", "count", "--output-schema", schema, ...model]);
	expect([code, JSON.parse(out)]).toEqual([0, { words: ["one", "two"] }]);
	expect(tau.played.requests).toHaveLength(2);
});

test("/handoff over RPC continues in a new session that has the document and the user's words", async () => {
	const document: Step = { when: { bodyContains: "Reply with the document" }, answer: "Next: the tests." };
	await using tau = await launch({ steps: [document, "Written.", "Onward."] });
	await using rpc = startRpc(tau, model);
	await rpc.ask({ type: "prompt", message: "Never touch generated.ts." });
	await rpc.until(isEvent("agent_end"));
	const before = await rpc.ask({ type: "get_state" });
	const response = await rpc.ask({ type: "handoff", customInstructions: "Mind the tests." });
	expect(response).toMatchObject({ success: true, data: { cancelled: false } });
	expect(tau.played.requests[1]?.rawBody).toContain("Mind the tests.");
	expect(tau.played.requests[1]?.rawBody).toContain("Written.");
	const after = await rpc.ask({ type: "get_state" });
	expect([before.success, after.success]).toEqual([true, true]);
	expect(after.data).not.toMatchObject({ sessionId: (before.data as { sessionId: string }).sessionId });
	const from = rpc.frames.indexOf(after);
	await rpc.ask({ type: "prompt", message: "Go on." });
	await rpc.until(isEvent("agent_end"), from);
	const next = tau.played.requests[2]?.rawBody ?? "";
	for (const text of ["Next: the tests.", "Never touch generated.ts.", "Go on."])
		expect(next).toContain(text);
	expect(next).not.toContain("Written.");
});

test("tau -p /context prints what fills the context of a session, and asks no model", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "seq 500" }), "Counted."] });
	await tau.run(["-p", "count", ...model]);
	const { length } = tau.played.requests;
	const { out, code } = await tau.run(["-p", "-c", "/context", ...model]);
	expect(code).toBe(0);
	expect(out).toMatch(/^Context: .* tokens of 200k/);
	expect(out).toMatch(/Tool results +\S+ +\S+%\n {2}bash seq 500 /);
	const json = await tau.run(["-p", "-c", "/context", "--mode", "json", ...model]);
	expect(json.out).toContain('"type":"notice"');
	expect(tau.played.requests).toHaveLength(length);
});

test("slash commands run in print mode, and a misspelt one asks no model", async () => {
	await using tau = await launch({ steps: ["First.", "Second.", "Third."] });
	mkdirSync(join(tau.agentDir, "prompts"), { recursive: true });
	writeFileSync(join(tau.agentDir, "prompts/greet.md"), "Say hello to $1.");
	await tau.run(["-p", "one", ...model]);
	const renamed = await tau.run(["-p", "-c", "/name A new name", ...model]);
	expect(renamed).toMatchObject({ code: 0 });
	const status = await tau.run(["-p", "-c", "/session", ...model]);
	expect(status.out).toContain("A new name");
	const unknown = await tau.run(["-p", "/sesion", ...model]);
	expect(unknown.code).toBe(2);
	expect(unknown.err).toContain("Unknown command /sesion. Did you mean /session");
	expect(tau.played.requests).toHaveLength(1);
	// Templates, and texts that merely begin with a slash, are prompts.
	expect((await tau.run(["-p", "/greet Ann", ...model])).out).toBe("Second.\n");
	expect(tau.played.requests[1]?.rawBody).toContain("Say hello to Ann.");
	await tau.run(["-p", "/tmp is full. Why?", ...model]);
	expect(tau.played.requests[2]?.rawBody).toContain("/tmp is full. Why?");
});
