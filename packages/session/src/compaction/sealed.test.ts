/** Compactions without a summary: the history on images, or in a form of the provider; other models get a summary. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Model } from "@tau/ai";
import type { Scenario, Step } from "@tau/ai/testing";

import {
	converse,
	filler,
	look,
	playedCompaction,
	summing,
	use,
	words,
	type CompactionFixtureOptions,
} from "../../../../test/support/compaction.ts";
import { replaceSummary, summaryInfo } from "../context/edit-summary.ts";
import { isSealedFor, SessionManager, type CompactionEntry } from "@tau/log";
import { autoRetry } from "../index.ts";

const summary: Step = { when: summing, answer: "## Goal\nLearn Greek.", times: "always" };
const overflow: Step = { fault: { overflow: true } };
const sees: Partial<Model> = { input: ["text", "image"], contextWindow: 100_000 };
const settings = { strategy: "snapcompact" as const };

type Body = { messages: { role: string; content: string | { type: string; text?: string }[] }[] };

/** The parts of the first message of the last request. */
function firstMessage(requests: readonly { body: unknown }[]): { text: string; images: unknown[] } {
	const content = (requests.at(-1)?.body as Body | undefined)?.messages[0]?.content ?? "";
	if (typeof content === "string") return { text: content, images: [] };
	return {
		text: content.map(({ text = "" }) => text).join(""),
		images: content.filter(({ type }) => type === "image"),
	};
}

function compactions(log: SessionManager): CompactionEntry[] {
	return log.getEntries().filter((entry): entry is CompactionEntry => entry.type === "compaction");
}

const open = (steps: Scenario["steps"], options: CompactionFixtureOptions = {}) =>
	playedCompaction({ steps }, { model: sees, settings, ...options });

describe("snapcompact", () => {
	test("replaces the history by images without a request; the user's words stay text", async () => {
		await using on = await open(["Eta!"]);
		const { summary: guide, shortSummary } = await on.session.compact();
		expect(on.played.requests).toHaveLength(0);
		expect(guide).toContain("printed on its images (1)");
		expect(shortSummary).toBe("The history is on 1 image.");
		await on.session.prompt({ text: "eta?" });
		const { text, images } = firstMessage(on.played.requests);
		expect(images).toHaveLength(1);
		for (const word of words.slice(0, 4)) expect(text).toContain(`${word}?`);
		expect(text).not.toContain("alpha!");
	});

	test("gives the same entry for the same conversation", async () => {
		const data: unknown[] = [];
		for (let run = 0; run < 2; run++) {
			await using on = await open([]);
			await on.session.compact();
			data.push(compactions(on.log)[0]?.preserveData);
		}
		expect(data[0]).toEqual(data[1]);
	});

	test("adds images with each compaction, and folds a summary in words into the first", async () => {
		await using on = await open([summary]);
		await on.session.compact("Mind the letters.");
		expect(compactions(on.log)[0]?.preserveData).toBeUndefined();
		converse(on.log, ["eta", "theta", "iota"]);
		await on.session.compact();
		converse(on.log, ["kappa", "lambda", "my"]);
		await on.session.compact();
		const [, second, third] = compactions(on.log).map(
			({ preserveData }) =>
				(preserveData as { snapcompact: { frames: { data: string }[] } })?.snapcompact.frames,
		);
		expect([second?.length, third?.length]).toEqual([1, 2]);
		expect(third?.[0]).toEqual(second?.[0] ?? { data: "" });
		expect(on.played.requests).toHaveLength(1);
	});

	test("rescues an overflow without another request", async () => {
		await using on = await open([overflow, "Eta!"]);
		await on.session.prompt({ text: "eta?" });
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
		expect(on.played.requests).toHaveLength(2);
		expect(firstMessage(on.played.requests).images).toHaveLength(1);
	});

	test("a model that sees no images gets a summary, and the user a notice", async () => {
		await using on = await open([summary], { model: { ...sees, input: ["text"] } });
		expect((await on.session.compact()).summary).toContain("Learn Greek.");
		expect(on.events.find(({ type }) => type === "notice")).toMatchObject({
			level: "warning",
			message: expect.stringContaining("does not read images"),
		});
	});

	test("a script that the fonts lack is summarized", async () => {
		const log = SessionManager.inMemory("/work");
		converse(log, ["漢字".repeat(50), "仮名".repeat(50), "かな".repeat(50)]);
		await using on = await open([summary], { log });
		expect((await on.session.compact()).summary).toContain("Learn Greek.");
	});

	test("a model that cannot see continues with a summary of what the images show", async () => {
		await using on = await open([summary, "Eta!"]);
		await on.session.compact();
		on.session.setModel({ ...on.session.model, id: "blind", input: ["text"] });
		await on.session.prompt({ text: "eta?" });
		expect(on.played.requests[0]?.rawBody).toContain("alpha!");
		const { text, images } = firstMessage(on.played.requests);
		expect([images.length, text.includes("Learn Greek."), text.includes("alpha?")]).toEqual([0, true, true]);
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
	});

	test("a blind model that takes over during a run, by the user or as a fallback, gets a summary first", async () => {
		const looks: Step = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }] } };
		await using on = await open([looks, summary, "Eta!"], { session: { tools: [look] } });
		await on.session.compact();
		const blind = { ...on.session.model, id: "blind", input: ["text" as const] };
		on.session.subscribe((event) => {
			if (event.type === "tool_execution_start") on.session.setModel(blind);
		});
		await on.session.prompt({ text: "eta?" });
		const { text, images } = firstMessage(on.played.requests);
		expect([images.length, text.includes("Learn Greek.")]).toEqual([0, true]);
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
		const once = { maxAttempts: 0, baseDelayMs: 0, maxDelayMs: 0 };
		const behaviors = [
			autoRetry(once, { fallback: ([first]) => first && { ...first, id: "blind", input: ["text"] } }),
		];
		await using retried = await open([{ fault: { http: 503 } }, summary, "Eta!"], { session: { behaviors } });
		await retried.session.compact();
		await retried.session.prompt({ text: "eta?" });
		expect(firstMessage(retried.played.requests).images).toEqual([]);
		expect(firstMessage(retried.played.requests).text).toContain("Learn Greek.");
		expect(retried.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
	});

	test("a long result of a tool is shortened, so that it does not displace the conversation", async () => {
		const log = SessionManager.inMemory("/work");
		log.appendMessage({ role: "user", content: "Look.", timestamp: 1 });
		use(log, "1", "read", { path: "a" }, `BEGIN ${filler(30_000)} END`);
		converse(log, words);
		await using on = await open([], { log });
		await on.session.compact();
		expect(compactions(log)[0]?.preserveData).toMatchObject({ snapcompact: { frames: [{}] } });
	});
});

describe("on disk", () => {
	const directories: string[] = [];
	afterEach(() => {
		for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
	});

	test("images are stored beside the log, resume with the session, and leave it with the branch", async () => {
		const directory = mkdtempSync(join(tmpdir(), "tau-frames-"));
		directories.push(directory);
		const sessions = join(directory, "sessions", "--work--");
		const log = SessionManager.create("/work", sessions);
		converse(log, words);
		const before = log.getLeafId() ?? "";
		await using on = await open(["Eta!"], { log });
		await on.session.compact();
		const file = log.getSessionFile() ?? "";
		const images = log
			.buildSessionContext()
			.messages.flatMap((message) => (message.role === "compactionSummary" ? (message.images ?? []) : []));
		expect(images).toHaveLength(1);
		expect(await Bun.file(file).text()).toContain("blob:sha256:");
		const opened = SessionManager.tryOpen(file, { access: "read" });
		if (!opened.ok) throw new Error(opened.reason);
		using resumed = opened.session;
		expect(resumed.buildSessionContext().messages).toEqual(log.buildSessionContext().messages);
		// A summary of the log takes the place of images whose files are gone.
		rmSync(join(directory, "blobs"), { recursive: true });
		const torn = SessionManager.tryOpen(file, { access: "read" });
		if (!torn.ok) throw new Error(torn.reason);
		using left = torn.session;
		const [first] = left.buildSessionContext().messages;
		if (first?.role !== "compactionSummary") throw new Error("no summary");
		expect([first.images, isSealedFor(first, on.session.model)]).toEqual([[], true]);
		log.branch(before);
		expect(log.buildSessionContext().messages[0]).toMatchObject({ role: "user", content: "alpha?" });
	});
});

describe("compaction by the provider", () => {
	const native: CompactionFixtureOptions = {
		settings: { providerNative: true },
	};

	async function openNative(steps: Scenario["steps"]) {
		const on = await playedCompaction({ steps }, native);
		const { url } = on.played;
		const compat = { supportsCompaction: true };
		on.session.setModel({ ...on.session.model, api: "openai-responses", baseUrl: `${url}/v1`, compat });
		return on;
	}

	type Input = { input: { type?: string; role?: string; content?: { text: string }[] }[] };

	test("its items are replayed with each request, and the user's words are sent once", async () => {
		await using on = await openNative(["opaque", "Eta!"]);
		const { summary: text, shortSummary } = await on.session.compact();
		expect(on.played.requests[0]?.path).toBe("/v1/responses/compact");
		expect(text).toContain("The provider has compacted");
		expect(shortSummary).toStartWith("Compacted by ");
		await on.session.prompt({ text: "eta?" });
		const request = on.played.requests[1];
		const { input } = (request?.body ?? { input: [] }) as Input;
		expect(input.some(({ type }) => type === "compaction")).toBeTrue();
		expect(request?.rawBody.match(/alpha\?/g)).toHaveLength(1);
		expect(request?.rawBody).not.toContain("alpha!");
		expect(on.log.getEntries().find(({ type }) => type === "usage")).toMatchObject({ kind: "compaction" });
	});

	test("what the user edits is a summary in words, with all messages of the user", async () => {
		await using on = await openNative(["opaque"]);
		await on.session.compact();
		const { text = "" } = summaryInfo(on.log) ?? {};
		expect(text).toContain("alpha?");
		replaceSummary(on.log, text.replace("The provider has compacted", "Greek was learned:"));
		const [first] = on.log.buildSessionContext().messages;
		expect(first).toMatchObject({ summary: expect.stringContaining("alpha?") });
		expect(first).not.toHaveProperty("items");
	});

	test("a second one builds upon the first", async () => {
		await using on = await openNative(["opaque", "more"]);
		await on.session.compact();
		converse(on.log, ["eta", "theta", "iota"]);
		await on.session.compact();
		const [, second] = on.played.requests.map(({ body }) => (body as Input).input);
		expect(second?.filter(({ type }) => type === "compaction")).toHaveLength(1);
		expect(second?.some(({ content }) => content?.[0]?.text === "alpha?")).toBeTrue();
	});

	test("if it fails, the model writes a summary", async () => {
		await using on = await openNative([{ fault: { http: 404 } }, summary]);
		expect((await on.session.compact()).summary).toContain("Learn Greek.");
		expect(compactions(on.log)[0]).toMatchObject({ shortSummary: "Learn Greek." });
		expect(on.events.find(({ type }) => type === "notice")).toMatchObject({ level: "warning" });
	});

	test("a model of another provider continues with a summary in words", async () => {
		await using on = await openNative(["opaque", summary, "Eta!"]);
		await on.session.compact();
		on.session.setModel({ ...on.session.model, provider: "another" });
		await on.session.prompt({ text: "eta?" });
		expect(on.played.requests[1]?.rawBody).toContain("alpha!");
		const last = on.played.requests.at(-1)?.rawBody ?? "";
		expect([last.includes("Learn Greek."), last.includes('"compaction"')]).toEqual([true, false]);
	});

	const foreign: Step = {
		fault: { http: 400, body: { error: { message: "No.", code: "invalid_encrypted_content" } } },
	};

	test("under another account, which cannot read the items, it continues with a summary of the log", async () => {
		await using on = await openNative(["opaque", foreign, summary, "Eta!"]);
		await on.session.compact();
		await on.session.prompt({ text: "eta?" });
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Eta!" }] });
		expect(on.played.requests[2]?.rawBody).toContain("alpha!");
		const last = on.played.requests.at(-1)?.rawBody ?? "";
		expect([last.includes("Learn Greek."), last.includes('"compaction"')]).toEqual([true, false]);
		expect(on.events.filter(({ type }) => type === "notice")).toMatchObject([
			{ level: "warning", message: expect.stringContaining("encrypted for another account") },
		]);
	});

	test("under another account, earlier thinking is left out, and a second refusal is final", async () => {
		const thought = { thinking: "hm", signature: "c2VjcmV0" };
		const steps = [{ answer: { blocks: [thought, { text: "Eta!" }] } }, foreign, "Theta!", foreign];
		await using on = await openNative(steps);
		on.session.setModel({ ...on.session.model, reasoning: true });
		on.session.setThinkingLevel("high");
		await on.session.prompt({ text: "eta?" });
		await on.session.prompt({ text: "theta?" });
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Theta!" }] });
		expect(on.played.requests.map(({ rawBody }) => rawBody.includes('"type":"reasoning"'))).toEqual([
			false,
			true,
			false,
		]);
		await on.session.prompt({ text: "iota?" });
		expect(on.session.state.messages.at(-1)).toMatchObject({ stopReason: "error" });
		expect(on.played.requests).toHaveLength(4);
	});
});
