/** Before a summary, tool results that nobody needs leave the context: all at once, and each can be read again. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "bun:test";

import type { AgentTool } from "@tau/agent";
import type { PlayedModel, Scenario, Step } from "@tau/ai/testing";

import {
	answer,
	converse,
	filler,
	look,
	playedCompaction,
	summing,
	use,
	type CompactionFixtureOptions,
} from "../../../../test/support/compaction.ts";
import { cachedText, commonPrefix } from "../../../../test/support/prefix.ts";
import { SessionManager } from "@tau/log";

const full = { input: 9000, output: 100 };
const blocks = [{ toolCall: { name: "look", arguments: {} } }];
const calling: Step = { answer: { blocks, usage: full } };
const summary: Step = { when: summing, answer: "Greek.", times: "always" };
const tools = [look];

/** A window of 10,000 tokens with about 7,000 in results; the newest 2,125 are protected. */
function worked(): SessionManager {
	const log = SessionManager.inMemory("/work");
	log.appendMessage({ role: "user", content: "Look at everything.", timestamp: 1 });
	for (let n = 0; n < 7; n++) use(log, `c${n}`, "read", { path: `file-${n}` }, `RESULT-${n} ${filler(1000)}`);
	return log;
}

const openFixture = (steps: Scenario["steps"], log: SessionManager, options: CompactionFixtureOptions = {}) =>
	playedCompaction({ steps }, { log, session: { tools }, ...options });

function edits(log: SessionManager): string[] {
	return log.getEntries().flatMap((entry) => (entry.type === "context_edit" ? [entry.targetId] : []));
}

function isSummed({ requests }: PlayedModel): boolean {
	return requests.some(({ rawBody }) => rawBody.includes(summing.bodyContains));
}

describe("a context that is full of old results", () => {
	test("loses them at once instead of being summarized, and the run continues", async () => {
		const log = worked();
		await using on = await openFixture(
			[summary, calling, { answer: { blocks, usage: { input: 3000, output: 10 } } }, "Done."],
			log,
		);
		await on.session.prompt({ text: "Go on." });
		expect(isSummed(on.played)).toBe(false);
		const [before = "", after = "", last = ""] = on.played.requests.map(({ rawBody }) => rawBody);
		for (let n = 0; n < 7; n++) expect(before).toContain(`RESULT-${n}`);
		expect(after).not.toContain("RESULT-0");
		expect(after).toContain("RESULT-6");
		expect(after).toContain("Look at everything.");
		expect(after).toContain('"file-0');
		// One break of the prefix: what follows only grows.
		const [, second = "", third = ""] = on.played.requests.map(cachedText);
		expect(commonPrefix(second, third)).toBe(second.length);
		expect(last).not.toContain("RESULT-0");
		expect(on.events.find(({ type }) => type === "notice")).toMatchObject({
			message: expect.stringMatching(/^Removed \d tool results/),
		});
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	});

	test("names each with an address at which it can be read, and loses nothing in the transcript", async () => {
		const log = worked();
		await using on = await openFixture([calling, "Done."], log);
		await on.session.prompt({ text: "Go on." });
		const after = on.played.requests.at(-1)?.rawBody ?? "";
		const addresses = [...after.matchAll(/\[Output truncated - \d+ tokens; read session:\/\/(\w+) to see/g)];
		expect(addresses.map(([, id]) => id)).toEqual(edits(log));
		for (const [n, [, id = ""]] of addresses.entries())
			expect(JSON.stringify(log.getEntry(id))).toContain(`RESULT-${n} some words`);
		const transcript = JSON.stringify(log.buildSessionContext({ transcript: true }).messages);
		for (let n = 0; n < 7; n++) expect(transcript).toContain(`RESULT-${n}`);
	});

	test("is counted without them, also in a resumed session, until the provider counts again", async () => {
		const log = worked();
		await using on = await openFixture([calling, "Done."], log, { settings: { afterAnswer: false } });
		const counts: number[] = [];
		on.session.subscribe((event) => {
			if (event.type === "agent_start" || event.type === "agent_end")
				counts.push(on.session.contextUsage().tokens);
		});
		await on.session.prompt({ text: "Go on." });
		const [, atEnd = 0, resumed = 0] = counts;
		expect(atEnd).toBeGreaterThan(9000);
		expect(resumed).toBeLessThan(8500 * 0.75);
		expect(log.pastMessages().isCompacted).toBe(true);
	});

	test("comes back when the user goes back before that point", async () => {
		const log = worked();
		const leaf = log.getLeafId() ?? "";
		await using on = await openFixture([calling, "Done."], log);
		await on.session.prompt({ text: "Go on." });
		log.branch(leaf);
		expect(JSON.stringify(log.buildSessionContext().messages)).toContain("RESULT-0");
	});
});

test("a summary is made if removing results would not be enough, and no result is touched", async () => {
	const log = worked();
	converse(log, ["alpha", "beta"], 3000);
	await using on = await openFixture([summary, calling, "Done."], log);
	await on.session.prompt({ text: "Go on." });
	expect(isSummed(on.played)).toBe(true);
	expect(edits(log)).toEqual([]);
});

test("useless and repeated results go at any age; skills, pictures and short results stay", async () => {
	const log = SessionManager.inMemory("/work");
	const result = (id: string, args: Record<string, unknown>, more: object): string => {
		log.appendMessage(answer([{ type: "toolCall", id, name: "read", arguments: args }]));
		const content = [{ type: "text" as const, text: `${id} ${filler(1200)}` }];
		const message = {
			role: "toolResult" as const,
			toolCallId: id,
			toolName: "read",
			content,
			isError: false,
		};
		return log.appendMessage({ ...message, timestamp: 1, ...more });
	};
	log.appendMessage({ role: "user", content: "Look.", timestamp: 1 });
	const old = result("old", { path: "x" }, {});
	result("skill", { path: "skill://pdf" }, {});
	const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
	result("picture", { path: "p.png" }, { content: [image] });
	const repeated = result("repeated", { path: "same" }, {});
	const useless = result("useless", { path: "nothing" }, { useless: true });
	result("again", { path: "same" }, {});
	const content = [{ type: "text", text: `No matches for "${filler(60)}" in src.` }];
	const noMatches = result("no matches", { path: "src" }, { useless: true, content });
	use(log, "short", "read", { path: "short" }, "short");
	await using on = await openFixture([calling, "Done."], log);
	await on.session.prompt({ text: "Go on." });
	expect(edits(log)).toEqual([old, repeated, useless, noMatches]);
	const after = on.played.requests.at(-1)?.rawBody ?? "";
	expect(after).toContain("[Uneventful result elided]");
	for (const text of ["skill some", "again some", "short"]) expect(after).toContain(text);
});

test("a tool's mark as useless is logged with its result, and no provider gets it", async () => {
	const log = SessionManager.inMemory("/work");
	const marked: AgentTool = {
		...look,
		execute: async () => ({ content: [{ type: "text", text: "No matches." }], useless: true }),
	};
	const call: Step = { answer: { blocks } };
	await using on = await openFixture([call, "Done."], log, { session: { tools: [marked] } });
	await on.session.prompt({ text: "Look." });
	const results = log.getEntries().filter((entry) => JSON.stringify(entry).includes('"toolResult"'));
	expect(results).toMatchObject([{ message: { useless: true } }]);
	expect(on.played.requests[1]?.rawBody).toContain("No matches.");
	expect(on.played.requests[1]?.rawBody).not.toContain("useless");
});

test("a summary is not made from calls that came to nothing", async () => {
	const log = SessionManager.inMemory("/work");
	log.appendMessage({ role: "user", content: "Look.", timestamp: 1 });
	log.appendMessage(answer([{ type: "toolCall", id: "1", name: "grep", arguments: { pattern: "nowhere" } }]));
	const content = [{ type: "text" as const, text: "No matches." }];
	const message = { role: "toolResult" as const, toolCallId: "1", toolName: "grep", content, isError: false };
	log.appendMessage({ ...message, useless: true, timestamp: 1 });
	use(log, "2", "grep", { pattern: "there" }, "a match");
	converse(log, ["alpha", "beta", "gamma"]);
	await using on = await openFixture([summary], log);
	await on.session.compact();
	const asked = on.played.requests[0]?.rawBody ?? "";
	expect(asked).toContain("there");
	for (const text of ["nowhere", "No matches."]) expect(asked).not.toContain(text);
});

test("a result that the model has not read yet stays, however large it is", async () => {
	const log = worked();
	const large: AgentTool = {
		...look,
		execute: async () => ({ content: [{ type: "text", text: `NEWEST ${filler(3000)}` }], useless: true }),
	};
	await using on = await openFixture([calling, "Done."], log, { session: { tools: [large] } });
	await on.session.prompt({ text: "Go on." });
	expect(edits(log).length).toBeGreaterThan(3);
	expect(on.played.requests.at(-1)?.rawBody).toContain("NEWEST some words");
});

test("the mark of a useless result is known after a resume, and it leaves first", async () => {
	const dir = mkdtempSync(join(tmpdir(), "tau-useless-"));
	afterAll(() => rmSync(dir, { recursive: true, force: true }));
	const marked: AgentTool = {
		...look,
		execute: async () => ({ content: [{ type: "text", text: `NOTHING ${filler(1000)}` }], useless: true }),
	};
	const stored = SessionManager.create(dir, dir);
	for (let n = 0; n < 5; n++)
		use(stored, `c${n}`, "read", { path: `file-${n}` }, `RESULT-${n} ${filler(1000)}`);
	{
		await using on = await openFixture([{ answer: { blocks } }, "Done."], stored, {
			session: { tools: [marked] },
			settings: { afterAnswer: false },
		});
		await on.session.prompt({ text: "Look." });
	}
	const file = stored.getSessionFile() ?? "";
	stored[Symbol.dispose]();
	const opened = SessionManager.tryOpen(file);
	if (!opened.ok) throw new Error("The session cannot be opened.");
	using log = opened.session;
	await using on = await openFixture([calling, "Done."], log);
	await on.session.prompt({ text: "Go on." });
	const after = on.played.requests.at(-1)?.rawBody ?? "";
	expect(after).toContain("[Uneventful result elided]");
	expect(after).not.toContain("NOTHING some");
	const useless = log.getEntries().find((entry) => JSON.stringify(entry).includes('"useless":true'));
	expect(edits(log)).toContain(useless?.id ?? "");
});
