/** The list of sessions fits the terminal, and its ids are enough to name a session. */
import { expect, test } from "bun:test";
import type { SessionInfo } from "@tau/log";

import { sessionTable } from "./list.ts";

const now = Date.parse("2025-01-03T00:00:00Z");

function info(id: string, facts: Partial<SessionInfo> = {}): SessionInfo {
	const created = new Date(now - 5 * 60_000);
	return {
		path: `/s/${id}.jsonl`,
		id,
		cwd: "/work",
		created,
		modified: created,
		messageCount: 2,
		firstMessage: "say something",
		size: 1234,
		allMessagesText: "",
		...facts,
	};
}

test("no line is wider than the terminal, whatever the script", () => {
	const rows = [info("0193b0f0", { firstMessage: "漢字".repeat(80) }), info("0193b0f1", { name: "short" })];
	const lines = sessionTable(rows, 50, now).trimEnd().split("\n");
	expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeWithin(48, 51);
	expect(lines[1]).toEndWith("…");
	expect(lines[2]).toEndWith("  short");
});

test("ids are shortened as far as they stay unique", () => {
	const table = sessionTable([info("0193b0f0-0000-7a"), info("0193b0f0-0000-7b")], 200, now);
	expect(table).toMatch(/^0193b0f0-0000-7a +5m +2 +1\.2 kB +say something$/m);
	expect(table).toMatch(/^0193b0f0-0000-7b /m);
});

const ages: [since: string, shown: string][] = [
	["2025-01-02T23:59:59Z", "0m"],
	["2025-01-02T23:00:00Z", "1h"],
	["2025-01-01T00:00:01Z", "47h"],
	["2025-01-01T00:00:00Z", "2d"],
	["2025-01-04T00:00:00Z", "0m"],
];
test.each(ages)("a message at %s is %s old", (since, shown) => {
	const table = sessionTable([info("0193b0f0", { modified: new Date(since) })], 200, now);
	expect(table.split("\n")[1]).toMatch(new RegExp(`^0193b0f0 +${shown} `));
});

test("names cannot move the cursor", () => {
	expect(sessionTable([info("0193b0f0", { name: "a\u001b[2Jb\nc" })], 200, now)).toContain("  ab c\n");
});
