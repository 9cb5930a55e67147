/** The functions that extensions import from pi's main package work as its documentation says. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";

import { modelsYml, playModel, testModel } from "@tau/ai/testing";
import type { Model, Usage } from "@tau/ai";
import { SessionManager, type SessionEntry } from "@tau/log";

import { ModelRegistry } from "./sdk/model-registry.ts";
import { AuthStorage } from "./sdk/auth-storage.ts";
import * as branches from "./branch-summary.ts";
import * as compaction from "./support/compaction.ts";
import * as diffs from "./diffs.ts";
import * as entries from "./support/entries.ts";
import * as pictures from "./pictures.ts";
import * as places from "./support/paths.ts";
import * as skills from "./sdk/skills.ts";

let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-functions-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const usage: Usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };

const answering = { role: "assistant", api: "anthropic-messages", provider: "p", model: "m" } as const;

/** Two turns, the first of them long. */
function conversation(log: SessionManager = SessionManager.inMemory("/tmp")): SessionManager {
	log.appendMessage({ role: "user", content: `first ${"word ".repeat(4000)}`, timestamp: 0 });
	log.appendMessage({
		...answering,
		content: [{ type: "toolCall", id: "1", name: "read", arguments: { path: "a.txt" } }],
		usage: { ...usage, input: 10, output: 5 },
		stopReason: "toolUse",
		timestamp: 0,
	});
	log.appendMessage({
		role: "toolResult",
		toolCallId: "1",
		toolName: "read",
		content: [{ type: "text", text: "text of a" }],
		isError: false,
		timestamp: 0,
	});
	log.appendMessage({ role: "user", content: "second", timestamp: 0 });
	log.appendMessage({
		...answering,
		content: [{ type: "text", text: "yes" }],
		usage: { ...usage, input: 20, output: 5, totalTokens: 25 },
		stopReason: "stop",
		timestamp: 0,
	});
	return log;
}

/** A model that plays the answers, and its requests. */
async function played(...steps: string[]) {
	const model = await playModel({ steps });
	writeFileSync(join(base, "models.yml"), modelsYml(model, { api: "anthropic-messages" }));
	const registry = ModelRegistry.create(AuthStorage.inMemory(), join(base, "models.yml"));
	const found = registry.find("played", "played-1");
	if (!found) throw new Error("the played model is missing");
	return Object.assign(model, { model: found as Model });
}

describe("entries", () => {
	test("a session file is parsed line by line, and invalid lines are skipped", () => {
		const text =
			'{"type":"session","id":"s","timestamp":"","cwd":"/"}\n\n{"type":"message"\nnull\n{"type":"custom","id":"a","parentId":null,"timestamp":"","customType":"x"}\n';
		expect(entries.parseSessionEntries(text).map(({ type }) => type)).toEqual(["session", "custom"]);
	});

	test("a session of version 1 becomes a chain with ids", () => {
		const old = entries.parseSessionEntries(
			[
				'{"type":"session","id":"s","timestamp":"","cwd":"/"}',
				'{"type":"message","timestamp":"","message":{"role":"hookMessage","customType":"x","content":"y","display":true,"timestamp":0}}',
				'{"type":"message","timestamp":"","message":{"role":"user","content":"hi","timestamp":0}}',
				'{"type":"compaction","timestamp":"","summary":"s","firstKeptEntryIndex":2,"tokensBefore":1}',
			].join("\n"),
		);
		entries.migrateSessionEntries(old);
		const [header, first, second, third] = old as unknown as Record<string, unknown>[];
		expect(header?.version).toBe(3);
		expect([second?.parentId, third?.parentId]).toEqual([first?.id, second?.id]);
		expect(first?.message).toMatchObject({ role: "custom" });
		expect(third?.firstKeptEntryId).toBe(second?.id);
	});

	test("property: any file can be parsed and migrated, and every entry has its parent", () => {
		const line = fc.oneof(
			fc.string(),
			fc.json(),
			fc
				.record({ type: fc.constantFrom("session", "message", "compaction", "custom") })
				.map((value) => JSON.stringify(value)),
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
				const read = entries.parseSessionEntries(lines.join("\n"));
				entries.migrateSessionEntries(read);
				for (const entry of read) if (entry.type !== "session") expect(entry.id).toBeString();
				const all = read.filter((entry): entry is SessionEntry => entry.type !== "session");
				entries.buildSessionProjection(all);
				compaction.getLastAssistantUsage(all);
				compaction.findTurnStartIndex(all, all.length - 1, 0);
				compaction.prepareCompaction(all, { enabled: true, reserveTokens: 0, keepRecentTokens: 1 });
			}),
		);
	});

	test("the context of a branch is what the model gets", () => {
		using log = conversation();
		const all = log.getEntries();
		const [first] = all;
		expect(entries.buildSessionContext(all).messages).toHaveLength(5);
		expect(entries.buildSessionContext(all, first?.id).messages).toHaveLength(1);
		log.appendCompaction("what was", all[3]?.id ?? "", 100);
		const compacted = log.getEntries();
		expect(entries.buildContextEntries(compacted).map(({ type }) => type)).toEqual([
			"compaction",
			"message",
			"message",
		]);
		const projection = entries.buildSessionProjection(compacted);
		expect(projection.messages[0]).toMatchObject({ role: "compactionSummary", summary: "what was" });
		expect(projection.entries[0]?.sourceEntry.type).toBe("compaction");
		expect(entries.getLatestCompactionEntry(compacted)?.summary).toBe("what was");
		expect(entries.getLatestCompactionEntry(all)).toBeNull();
	});
});

describe("compaction", () => {
	const settings = { enabled: true, reserveTokens: 1000, keepRecentTokens: 60 };

	test("is due when the reserve is reached, unless it is disabled", () => {
		expect(compaction.shouldCompact(9001, 10_000, settings)).toBe(true);
		expect(compaction.shouldCompact(9000, 10_000, settings)).toBe(false);
		expect(compaction.shouldCompact(9001, 10_000, { ...settings, enabled: false })).toBe(false);
	});

	test("counts the usage of the last complete answer", () => {
		using log = conversation();
		const last = compaction.getLastAssistantUsage(log.getEntries());
		expect(last && compaction.calculateContextTokens(last)).toBe(25);
		expect(
			compaction.calculateContextTokens({ ...usage, input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }),
		).toBe(10);
	});

	test("cuts between turns, and finds where a turn starts", () => {
		using log = conversation();
		const all = log.getEntries();
		expect(compaction.findTurnStartIndex(all, 2, 0)).toBe(0);
		expect(compaction.findTurnStartIndex(all, 2, 1)).toBe(-1);
		expect(compaction.findCutPoint(all, 0, all.length, 60)).toEqual({
			firstKeptEntryIndex: 3,
			turnStartIndex: -1,
			isSplitTurn: false,
		});
		expect(compaction.findCutPoint(all, 0, all.length, 1_000_000).firstKeptEntryIndex).toBe(0);
	});

	test("summarizes with the model, keeps the file lists, and writes nothing", async () => {
		await using model = await played("The gist.");
		using log = conversation();
		const prepared = compaction.prepareCompaction(log.getBranch(), settings);
		if (!prepared) throw new Error("there is something to compact");
		const result = await compaction.compact(prepared, model.model, "key", undefined, "mind the tests");
		expect(result.summary).toStartWith("The gist.");
		expect(result.details.readFiles).toEqual(["a.txt"]);
		expect(result.firstKeptEntryId).toBe(log.getEntries()[3]?.id ?? "");
		expect(model.requests[0]?.rawBody).toContain("mind the tests");
		expect(log.getEntries()).toHaveLength(5);
	});

	test("a summary on its own has its usage", async () => {
		await using model = await played("Short.", "Shorter.");
		const messages = [{ role: "user" as const, content: "hello", timestamp: 0 }];
		expect(await compaction.generateSummary(messages, model.model, 1000, "key")).toBe("Short.");
		const made = await compaction.generateSummaryWithUsage(messages, model.model, 1000, "key");
		expect(made.text).toBe("Shorter.");
		expect(made.usage?.output).toBeGreaterThan(0);
	});
});

describe("branches", () => {
	function parted(): { log: SessionManager; left: string; right: string } {
		const log = SessionManager.inMemory("/tmp");
		const trunk = log.appendMessage({ role: "user", content: "trunk", timestamp: 0 });
		const left = log.appendMessage({ role: "user", content: "left", timestamp: 0 });
		log.branch(trunk);
		return { log, left, right: log.appendMessage({ role: "user", content: "right", timestamp: 0 }) };
	}

	test("the abandoned entries are those after the fork", () => {
		const { log, left, right } = parted();
		using _ = log;
		const result = branches.collectEntriesForBranchSummary(log, left, right);
		expect(result.entries.map(({ id }) => id)).toEqual([left]);
		expect(result.commonAncestorId).toBe(log.getEntries()[0]?.id ?? "");
		expect(branches.collectEntriesForBranchSummary(log, null, right).entries).toEqual([]);
	});

	test("the newest entries are kept first; a summary or the reason for none is returned", async () => {
		const { log, left } = parted();
		using _ = log;
		const branch: SessionEntry[] = log.getBranch(left);
		expect(branches.prepareBranchEntries(branch, 20).messages).toHaveLength(1);
		expect(branches.prepareBranchEntries(branch).messages).toHaveLength(2);
		await using model = await played("Went left.");
		const { signal } = new AbortController();
		const options = { model: model.model, apiKey: "key", signal };
		expect((await branches.generateBranchSummary(branch, options)).summary).toBe("Went left.");
		const dead = testModel({ baseUrl: "http://127.0.0.1:1" });
		expect((await branches.generateBranchSummary(branch, { ...options, model: dead })).error).toBeString();
	});
});

describe("skills", () => {
	function plant(path: string, text: string): void {
		mkdirSync(join(base, path, ".."), { recursive: true });
		writeFileSync(join(base, path), text);
	}

	test("are found in their directories; the first of a name is used, the other is reported", () => {
		plant("agent/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads <PDF> files\n---\nText");
		plant("project/.pi/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Another\n---\nText");
		plant("more/one.md", "---\nname: one\ndescription: One\ndisable-model-invocation: true\n---\n");
		const result = skills.loadSkills({
			cwd: join(base, "project"),
			agentDir: join(base, "agent"),
			skillPaths: [join(base, "more/one.md")],
		});
		expect(result.skills.map(({ name, disableModelInvocation }) => [name, disableModelInvocation])).toEqual([
			["pdf", false],
			["one", true],
		]);
		expect(result.diagnostics.map(({ message }) => message).join()).toContain('"pdf" is taken');
		const text = skills.formatSkillsForPrompt(result.skills);
		expect(text).toContain("<description>Reads &lt;PDF&gt; files</description>");
		expect(text).not.toContain("one.md");
		expect(skills.formatSkillsForPrompt([])).toBe("");
		expect(skills.loadSkills({ cwd: base, includeDefaults: false }).skills).toEqual([]);
		expect(skills.loadSkillsFromDir({ dir: join(base, "more"), source: "x" }).skills).toHaveLength(1);
	});

	test("a skill invocation is separated from the user's text", () => {
		const text = '<skill name="pdf" location="/x/SKILL.md">\nHow to.\n</skill>\n\nRead a.pdf';
		expect(skills.parseSkillBlock(text)).toEqual({
			name: "pdf",
			location: "/x/SKILL.md",
			content: "How to.",
			userMessage: "Read a.pdf",
		});
		expect(skills.parseSkillBlock("Read a.pdf")).toBeNull();
	});
});

describe("texts and images", () => {
	test("a diff has line numbers, and a patch works with the patch command", () => {
		const before = Array.from({ length: 20 }, (_, line) => `line ${line + 1}`).join("\n");
		const made = diffs.generateDiffString(before, before.replace("line 10", "line ten"), 1);
		expect(made.firstChangedLine).toBe(10);
		expect(made.diff.split("\n")).toEqual([
			"    ...",
			"  9 line 9",
			"-10 line 10",
			"+10 line ten",
			" 11 line 11",
			"    ...",
		]);
		expect(diffs.generateDiffString(before, before)).toEqual({ diff: "", firstChangedLine: undefined });
		expect(diffs.generateUnifiedPatch("a.txt", "one\n", "two\n")).toContain("@@ -1,1 +1,1 @@\n-one\n+two");
		expect(diffs.formatReadLineRange(10, "5")).toBe(":10-14");
		expect(diffs.formatReadLineRange(undefined, undefined)).toBe("");
		expect(diffs.formatReadLineRange("x", 1)).toBe("");
	});

	test("an image is recognized by its content, resized, and converted", async () => {
		// A red pixel, as wide as the test needs it.
		const png = await new Bun.Image(
			Buffer.from(
				"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
				"base64",
			),
		)
			.resize(300, 100)
			.png()
			.bytes();
		const path = join(base, "p.txt");
		writeFileSync(path, png);
		expect(await pictures.detectSupportedImageMimeTypeFromFile(path)).toBe("image/png");
		const small = await pictures.resizeImage(png, "image/png", { maxWidth: 30, maxHeight: 30 });
		expect(small).toMatchObject({ originalWidth: 300, width: 30, height: 10, wasResized: true });
		expect(small && pictures.formatDimensionNote(small)).toContain("300x100");
		expect(await pictures.resizeImage(Buffer.from("no picture"))).toBeNull();
		const jpeg = Buffer.from(await new Bun.Image(png).jpeg().bytes()).toString("base64");
		expect((await pictures.convertToPng(jpeg, "image/jpeg"))?.data).toStartWith("iVBORw0KGgo");
		expect(await pictures.convertToPng("bm8=", "image/jpeg")).toBeNull();
	});
});

test("a shell is found, and Tau's documentation is at its documented path", () => {
	expect(places.getShellConfig().shell).toMatch(/sh$/);
	expect(() => places.getShellConfig("/no/such/shell")).toThrow("/no/such/shell");
	expect(places.getDocsPath()).toStartWith(places.getPackageDir());
});
