/** The beginning of each request is that of the request before it, byte by byte, unless the log says why it changed. */
import { afterEach, expect, setSystemTime, test } from "bun:test";

import type { AgentTool } from "@tau/agent";
import { playModel, type Answer, type ReceivedRequest, type Step } from "@tau/ai/testing";
import { SessionManager, type SessionEntry } from "@tau/log";
import { ToolRegistry } from "@tau/tools/registry";

import { callOf, extensionFixtureWith } from "../support/extensions.ts";
import { compactionFixture, filler, look, summing } from "../support/compaction.ts";
import { cachedText, commonPrefix } from "../support/prefix.ts";
import { testModel } from "../support/session.ts";

const turns = 1000;

/** Entries that change what the model has read already. */
const causes: ReadonlySet<SessionEntry["type"]> = new Set(["compaction", "context_edit"]);

/** A linear congruential generator: each run has the same turns. */
function random(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		return Math.floor((state / 2 ** 31) * below);
	};
}

/** Tokens are not counted, so that the session estimates them. */
const uncounted = { input: 0, output: 0 };

function answers(pick: (below: number) => number): Step[] {
	const call = (name: string) => ({ toolCall: { name, arguments: { n: pick(5), text: filler(pick(20)) } } });
	const thought = { thinking: filler(pick(30)), signature: "c2ln" };
	const kinds: (() => Answer["blocks"])[] = [
		() => [{ text: filler(20 + pick(100)) }],
		() => [call("look")],
		() => [thought, call("look"), call("write"), call("look")],
		() => [{ text: "Let me see." }, call("write")],
		() => [thought, { text: "Done." }],
	];
	return Array.from({ length: turns }, (): Step => {
		const blocks = (kinds[pick(kinds.length)] ?? (() => [{ text: "ok" }]))();
		return { answer: { blocks, usage: uncounted } };
	});
}

/** A tool with results of different lengths, some of them useless. */
function tool(name: string, pick: (below: number) => number): AgentTool {
	return {
		...look,
		name,
		execute: async () => ({
			content: [{ type: "text", text: `${name}: ${filler(pick(6) === 0 ? 900 : pick(60))}` }],
			useless: pick(4) === 0,
		}),
	};
}

interface Sent {
	text: string;
	/** How many causes the log had when it was sent. */
	causes: number;
}

/** Checks each request against the one before it for the same model and the same tools. */
class Prefixes {
	readonly broken: string[] = [];
	checked = 0;
	breaks = 0;
	readonly #last = new Map<string, Sent>();
	readonly #log: SessionManager;

	constructor(log: SessionManager) {
		this.#log = log;
	}

	/** How many different beginnings (model, tools, system prompt) were sent. */
	get heads(): number {
		return this.#last.size;
	}

	check(request: ReceivedRequest): void {
		const text = cachedText(request);
		const isSummary = request.rawBody.includes(summing.bodyContains);
		const [head = ""] = text.split("\n", 1);
		const last = this.#last.get(head);
		const now = this.#log.getHeads().filter(({ type }) => causes.has(type as SessionEntry["type"])).length;
		if (last && (last.causes === now || isSummary)) {
			this.checked++;
			const same = commonPrefix(last.text, text);
			if (same < last.text.length)
				this.broken.push(`request ${request.number}: ${last.text.slice(same, same + 80)}`);
		} else if (last) this.breaks++;
		if (!isSummary) this.#last.set(head, { text, causes: now });
	}
}

test("over a thousand turns with tools, steering, other models, tools and servers, pruning and compactions", async () => {
	const pick = random(7);
	const summary: Step = {
		when: summing,
		answer: { blocks: [{ text: "So far." }], usage: uncounted },
		times: "always",
	};
	await using played = await playModel({ steps: [summary, ...answers(pick)], fallback: { answer: "End." } });
	const log = SessionManager.inMemory("/work");
	const tools = new ToolRegistry();
	tools.register("custom", [tool("look", pick), tool("write", pick), tool("extra", pick)]);
	using on = compactionFixture(played, {
		log,
		settings: { afterAnswer: false },
		session: { tools, systemPrompt: (visible) => `Tools: ${visible.map(({ name }) => name).join(", ")}` },
	});
	const prefixes = new Prefixes(log);
	let seen = 0;
	const checkNew = (): void => {
		for (const request of played.requests.slice(seen)) prefixes.check(request);
		seen = played.requests.length;
	};
	on.session.subscribe((event) => {
		if (event.type === "message_start" && event.message.role === "assistant") checkNew();
		if (event.type === "compaction_end") checkNew();
		if (event.type === "tool_execution_start" && pick(10) === 0)
			on.session.steer({ text: `steer ${filler(pick(30))}` });
	});
	const other = testModel({ ...on.session.model, id: "played-2" });
	const first = on.session.model;
	let server: Disposable | undefined;
	while (played.requests.length < turns) {
		if (pick(8) === 0) on.session.setModel(on.session.model.id === first.id ? other : first);
		if (pick(20) === 0) tools.hide("mode", pick(2) === 0 ? ["extra"] : []);
		// A server that connects late, and is gone at times.
		if (pick(25) === 0) {
			if (server) server = void server[Symbol.dispose]();
			else server = tools.register("mcp:tracker", [tool("search_issues", pick), tool("close_issue", pick)]);
		}
		await on.session.prompt({ text: `prompt ${filler(pick(80))}` });
	}
	checkNew();
	expect(prefixes.broken).toEqual([]);
	expect(prefixes.checked).toBeGreaterThan(turns * 0.8);
	const entries = log.getHeads().map(({ type }) => type);
	expect(entries.filter((type) => type === "compaction").length).toBeGreaterThan(3);
	expect(entries).toContain("context_edit");
	expect(prefixes.breaks).toBeLessThan(turns * 0.15);
	// Two models, one tool that is hidden or not, one server that is there or not: the same tools are the same bytes.
	expect(prefixes.heads).toBeGreaterThan(4);
	expect(prefixes.heads).toBeLessThanOrEqual(8);
}, 240_000);

const day = 24 * 60 * 60 * 1000;

afterEach(() => void setSystemTime());

test("past midnight the beginning stays, and the new date is at the end, once", async () => {
	const steps = ["One.", "Two.", callOf("bash", { command: "true" }), "Four.", "Five."];
	await using on = await extensionFixtureWith(playModel)({ steps });
	const start = Date.now();
	const dateNotes = (request: number) =>
		on.request(request).match(/The date has changed: today is [\d-]+/g)?.length ?? 0;
	await on.prompt("one");
	setSystemTime(start + day);
	// A change of the tools builds the system prompt again, and so does a session that is resumed.
	on.session.refreshSystemPrompt();
	await on.prompt("two");
	on.session.subscribe((event) => {
		if (event.type === "tool_execution_end") setSystemTime(start + 2 * day);
	});
	await on.prompt("three");
	on.next();
	await on.prompt("four");
	const texts = on.played.requests.map(cachedText);
	for (const [at, text] of texts.slice(1).entries()) expect(text).toStartWith(texts[at] ?? "");
	expect(texts.map((_, at) => dateNotes(at))).toEqual([0, 1, 1, 2, 2]);
	expect(on.session.prefix.breaks).toEqual([]);
});
