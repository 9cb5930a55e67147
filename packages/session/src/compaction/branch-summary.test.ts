/** An abandoned branch is summarized for the next one. */
import { expect, test } from "bun:test";

import type { Context } from "@tau/ai";
import { playModel } from "@tau/ai/testing";

import {
	answer,
	compactionFixture,
	converse,
	filler,
	smallWindow,
	use,
} from "../../../../test/support/compaction.ts";
import { hiddenTools } from "../../../../test/support/hidden-tools.ts";
import { testModel } from "../../../../test/support/session.ts";
import { SessionManager } from "@tau/log";
import { fileAccess } from "./file-access.ts";
import { summarizeBranch, type BranchSummaryMeans } from "./branch-summary.ts";

function means(contexts: Context[], text = "They went left."): BranchSummaryMeans {
	return {
		model: testModel({ contextWindow: 10_000 }),
		access: fileAccess({ findTool: (name) => hiddenTools().get(name), cwd: "/work" }),
		window: smallWindow,
		retry: smallWindow.retry,
		signal: new AbortController().signal,
		ask: async (context) => {
			contexts.push(context);
			return answer([{ type: "text", text }]);
		},
	};
}

test("a branch is summarized with its files, including those of earlier summaries", async () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["start"]);
	const fork = log.getLeafId() ?? "";
	use(log, "1", "read", { path: "a.ts" }, "text of a");
	log.appendCompaction("What came before.", fork, 100, { readFiles: ["b.ts"], modifiedFiles: ["c.ts"] });
	log.appendCompaction("An extension's.", fork, 100, { readFiles: ["no.ts"] }, true);
	converse(log, ["left"]);
	const contexts: Context[] = [];
	const left = log.getBranch().slice(2);
	const made = await summarizeBranch(left, { ...means(contexts), instructions: "Mind the signs." });
	expect(made?.details).toEqual({ readFiles: ["a.ts", "b.ts"], modifiedFiles: ["c.ts"] });
	expect(made?.summary).toBe("They went left.\n\n<files>\na.ts (Read)\nb.ts (Read)\nc.ts (Write)\n</files>");
	const label = JSON.stringify(contexts);
	for (const text of ["text of a", "What came before.", "left!", "Mind the signs."])
		expect(label).toContain(text);
	expect(label).not.toContain("start!");
	log.branchWithSummary(fork, made?.summary ?? "", made?.details);
	expect(log.buildSessionContext().messages.at(-1)).toMatchObject({
		role: "branchSummary",
		summary: made?.summary,
	});
});

test("the end of a long branch is summarized, in one request", async () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["first", "second", "third", "fourth"], 4000);
	const contexts: Context[] = [];
	await summarizeBranch(log.getBranch(), means(contexts));
	expect(contexts).toHaveLength(1);
	expect(JSON.stringify(contexts)).toContain("fourth!");
	expect(JSON.stringify(contexts)).not.toContain("first!");
});

test("a single message that is too long is included all the same", async () => {
	const log = SessionManager.inMemory("/work");
	log.appendMessage({ role: "user", content: `begin ${filler(50_000)} end`, timestamp: 1 });
	const contexts: Context[] = [];
	expect(await summarizeBranch(log.getBranch(), means(contexts))).toBeDefined();
	expect(JSON.stringify(contexts)).toContain("[User]: begin");
});

test("a branch without messages has no summary", async () => {
	const log = SessionManager.inMemory("/work");
	log.appendModelChange("a", "b");
	const contexts: Context[] = [];
	expect(await summarizeBranch(log.getBranch(), means(contexts))).toBeUndefined();
	expect(await summarizeBranch([], means(contexts))).toBeUndefined();
	expect(contexts).toEqual([]);
});

test("an abort and a failure are reported to the caller", async () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["left"]);
	const stop = new AbortController();
	stop.abort(new Error("escape"));
	await expect(summarizeBranch(log.getBranch(), { ...means([]), signal: stop.signal })).rejects.toThrow(
		"escape",
	);
	await expect(summarizeBranch(log.getBranch(), means([], ""))).rejects.toThrow("empty summary");
});

test("a session summarizes a branch with its own model, counts the usage, and writes nothing", async () => {
	await using played = await playModel({ steps: ["They went left."] });
	const log = SessionManager.inMemory("/work");
	converse(log, ["left"]);
	using fixture = compactionFixture(played, { log });
	const before = log.getHeads().length;
	const { signal } = new AbortController();
	const made = await fixture.session.summarizeBranch(log.getBranch(), {
		signal,
		instructions: "Mind the signs.",
	});
	expect(made?.summary).toContain("They went left.");
	expect(JSON.stringify(played.requests[0]?.body)).toContain("Mind the signs.");
	expect([log.getHeads().length, fixture.session.usage.byModel()[0]?.answers]).toEqual([before, 2]);
});
