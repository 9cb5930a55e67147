/** A compaction sees what the model sees, and nothing else. */
import { expect, test } from "bun:test";

import { answer, converse } from "../../../../test/support/compaction.ts";
import { SessionManager } from "@tau/log";
import { compactionPath, isOnBranch } from "./path.ts";

function said(log: SessionManager): unknown[] {
	return compactionPath(log).pieces.flatMap(({ message }) => message ?? []);
}

/** All but the summary, which replaces the missing entries. */
function seen(log: SessionManager): unknown[] {
	return log.buildSessionContext().messages.filter(({ role }) => role !== "compactionSummary");
}

test("it starts after a reset, even if the user had compacted before it", () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha"]);
	log.appendCompaction("Old.", log.getLeafId() ?? "", 10);
	log.append({ type: "reset_boundary" });
	converse(log, ["beta"]);
	expect(said(log)).toEqual(seen(log));
	expect(said(log)).toHaveLength(2);
	expect(compactionPath(log).previous).toBeUndefined();
});

test("it starts with what the last compaction kept, and has its summary", () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha", "beta", "gamma"]);
	const [, , sessionEntry] = log.getEntries();
	log.appendCompaction("First.", sessionEntry?.id ?? "", 10);
	converse(log, ["delta"]);
	log.appendCompaction("Second.", sessionEntry?.id ?? "", 10);
	converse(log, ["epsilon"]);
	expect(said(log)).toEqual(seen(log));
	expect(said(log)).toHaveLength(8);
	expect(compactionPath(log).previous?.summary).toBe("Second.");
});

test("a compaction whose first kept entry is missing keeps nothing", () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha"]);
	log.appendCompaction("All.", "gone", 10);
	converse(log, ["beta"]);
	expect(said(log)).toEqual(seen(log));
	expect(said(log)).toHaveLength(2);
});

test("a failed answer at the end is left out only on request", () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha"]);
	log.appendMessage({ role: "user", content: "beta?", timestamp: 1 });
	const requested = log.getLeafId();
	const failed = log.appendMessage({ ...answer([]), stopReason: "error" });
	expect(compactionPath(log, { withoutFailure: true })).toMatchObject({
		leafId: requested,
		failedId: failed,
	});
	expect(compactionPath(log, { withoutFailure: true }).pieces).toHaveLength(3);
	expect(compactionPath(log).pieces).toHaveLength(4);
	log.appendMessage({ role: "user", content: "gamma?", timestamp: 2 });
	expect(compactionPath(log, { withoutFailure: true }).pieces).toHaveLength(5);
});

test("an empty session has an empty path", () => {
	expect(compactionPath(SessionManager.inMemory("/work"))).toMatchObject({ leafId: null, pieces: [] });
});

test("isOnBranch knows the current branch", () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha"]);
	const [sessionEntry, replied] = log.getEntries();
	expect([isOnBranch(log, sessionEntry?.id ?? ""), isOnBranch(log, null), isOnBranch(log, "none")]).toEqual([
		true,
		true,
		false,
	]);
	log.branch(sessionEntry?.id ?? "");
	expect(isOnBranch(log, replied?.id ?? "")).toBe(false);
});
