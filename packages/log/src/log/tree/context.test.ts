/** What a model gets of a branch, and what a user sees of it. */
import { describe, expect, test } from "bun:test";

import { SessionManager } from "../session-manager.ts";
import { answered, entry, folder, header, contextTexts, said } from "../testing/sample.ts";

test("an empty session has an empty context", () => {
	using session = SessionManager.inMemory();
	expect(session.buildSessionContext()).toEqual({
		messages: [],
		thinkingLevel: "off",
		model: null,
		models: {},
		injectedTtsrRules: [],
		mode: "none",
	});
});

test("only the branch of the leaf is included", () => {
	using session = SessionManager.inMemory();
	const root = session.appendMessage(said("root"));
	session.appendMessage(said("left"));
	session.appendModelChange("left", "left-1");
	session.branch(root);
	session.appendMessage(said("right"));
	expect(contextTexts(session)).toEqual(["root", "right"]);
	expect(session.buildSessionContext().model).toBeNull();
});

describe("after a compaction", () => {
	function compacted() {
		const session = SessionManager.inMemory();
		session.appendMessage(said("old"));
		const kept = session.appendMessage(said("kept"));
		session.appendCompaction("summary", kept, 100);
		session.appendMessage(said("new"));
		return session;
	}

	test("the summary replaces the earlier messages", () => {
		using session = compacted();
		expect(contextTexts(session)).toEqual(["compactionSummary", "kept", "new"]);
	});

	test("a second summary replaces the first", () => {
		using session = compacted();
		session.appendCompaction("second", session.getLeafId() ?? "", 100);
		expect(session.buildSessionContext().messages).toMatchObject([{ summary: "second" }, { content: "new" }]);
		const all = session.buildSessionContext({ transcript: true }).messages;
		expect(all.map(({ role }) => role)).toEqual([
			"user",
			"user",
			"compactionSummary",
			"user",
			"compactionSummary",
		]);
	});

	test("that kept nothing, or a missing entry, only the summary is left", () => {
		using session = compacted();
		session.appendCompaction("second", "nowhere", 100);
		session.appendMessage(said("newest"));
		expect(contextTexts(session)).toEqual(["compactionSummary", "newest"]);
	});

	test("a branch from before it is unaffected", () => {
		using session = compacted();
		session.branch(session.getEntries()[1]?.id ?? "");
		expect(contextTexts(session)).toEqual(["old", "kept"]);
	});

	test("a reset hides it, and everything before", () => {
		using session = compacted();
		session.append({ type: "reset_boundary" });
		session.appendMessage(said("fresh"));
		expect(contextTexts(session)).toEqual(["fresh"]);
		session.appendCompaction("again", session.getEntries()[1]?.id ?? "", 1);
		expect(contextTexts(session)).toEqual(["compactionSummary", "fresh"]);
	});
});

describe("an edit of the context", () => {
	test("changes an earlier entry from here on; the last edit counts, and the log keeps the entry", () => {
		using session = SessionManager.inMemory();
		session.appendMessage(said("one"));
		const two = session.appendMessage(said("two"));
		session.appendContextEdit(two, { content: "other" });
		expect(contextTexts(session)).toEqual(["one", "other"]);
		const three = session.appendCustomMessageEntry("x", "three", true);
		session.appendContextEdit(three, { content: "four" });
		session.appendContextEdit(two, null);
		expect(contextTexts(session)).toEqual(["one", "four"]);
		expect(session.getEntry(two)).toMatchObject({ message: { content: "two" } });
		expect(() => session.appendContextEdit("nowhere", null)).toThrow();
	});

	test("applies to its own branch", () => {
		using session = SessionManager.inMemory();
		const one = session.appendMessage(said("one"));
		session.appendContextEdit(one, null);
		session.branch(one);
		session.appendMessage(said("two"));
		expect(contextTexts(session)).toEqual(["one", "two"]);
	});

	test("is applied entry by entry in the projection", () => {
		using session = SessionManager.inMemory();
		session.appendMessage(said("old"));
		const kept = session.appendMessage(said("kept"));
		session.appendCompaction("summary", kept, 100);
		const last = session.appendMessage(said("new"));
		session.appendContextEdit(last, null);
		const { entries, messages } = session.buildSessionProjection();
		expect(entries.map(({ sourceEntry, messages: { length } }) => [sourceEntry.type, length])).toEqual([
			["compaction", 1],
			["message", 1],
			["message", 0],
			["context_edit", 0],
		]);
		expect(messages).toEqual(session.buildSessionContext().messages);
		expect(session.buildContextEntries()).toEqual(entries.map(({ sourceEntry }) => sourceEntry));
	});
});

describe("the model", () => {
	test("is the selected one, not the one that answered", () => {
		using session = SessionManager.inMemory();
		session.appendMessage(answered("hi", { provider: "a", model: "one" }));
		expect(session.buildSessionContext().model).toEqual({ provider: "a", modelId: "one" });
		session.appendModelChange("b", "two/with-slash");
		session.appendModelChange("c", "small", "smol");
		session.appendMessage(answered("hi", { provider: "fallback", model: "three" }));
		expect(session.buildSessionContext()).toMatchObject({
			model: { provider: "b", modelId: "two/with-slash" },
			models: { default: "b/two/with-slash", smol: "c/small" },
		});
	});

	test("has the thinking level that was set last", () => {
		using session = SessionManager.inMemory();
		session.appendThinkingLevelChange("high");
		session.appendThinkingLevelChange("low");
		expect(session.buildSessionContext().thinkingLevel).toBe("low");
	});
});

test("the mode and the injected rules are part of it", () => {
	using session = SessionManager.inMemory();
	session.appendModeChange("plan", { planFile: "p.md" });
	session.appendTtsrInjection(["a", "b"]);
	session.appendTtsrInjection(["b", "c"]);
	expect(session.buildSessionContext()).toMatchObject({
		mode: "plan",
		modeData: { planFile: "p.md" },
		injectedTtsrRules: ["a", "b", "c"],
	});
	session.appendModeChange("none");
	expect(session.buildSessionContext()).not.toHaveProperty("modeData");
});

test("entries that do not match their type are ignored", () => {
	using home = folder();
	const path = home.file([
		header,
		entry("a", null),
		entry("b", "a", { message: "not a message" }),
		entry("c", "b", { message: { content: "no role" } }),
		entry("d", "c", { type: "ttsr_injection", injectedRules: "none" }),
		entry("e", "d", { type: "model_change" }),
		entry("f", "e", { type: "branch_summary", summary: "" }),
		entry("g", "f"),
	]);
	using session = SessionManager.open(path);
	expect(contextTexts(session)).toEqual(["I am a", "I am g"]);
	expect(session.buildSessionContext()).toMatchObject({ model: null, injectedTtsrRules: [] });
});
