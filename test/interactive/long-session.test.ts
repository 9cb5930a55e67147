/** A long conversation stays as fast and as complete on the screen as a short one. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { AssistantMessage } from "@tau/ai";
import { SessionManager } from "@tau/coding-agent";

import { launch, type Launched } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const pairs = 1000;

/** Two thousand messages on disk; the path of their file. */
function longSession({ project, home }: Launched): string {
	using log = SessionManager.create(project, join(home, "sessions"));
	for (let at = 1; at <= pairs; at++) {
		const answer: AssistantMessage = {
			role: "assistant",
			content: [{ type: "text", text: `Answer ${at}.` }],
			api: "anthropic-messages",
			provider: "played",
			model: "played-1",
			usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
			stopReason: "stop",
			timestamp: at,
		};
		log.appendMessage({ role: "user", content: `Question ${at}?`, timestamp: at });
		log.appendMessage(answer);
	}
	return log.getSessionFile() ?? expect.unreachable();
}

test("a session of 2,000 messages opens at its end, accepts keys, and everything is in the scrollback once", async () => {
	await using home = await launch({ steps: ["And on it goes."] });
	await using tau = await openTau({ steps: [] }, { home, args: ["--session", longSession(home)] });
	await tau.until(`Answer ${pairs}.`);
	expect(tau.scrollback()).toMatch(/\d+ earlier entries/);
	tau.type("what now");
	await tau.until("what now");
	tau.press("enter");
	await tau.until("And on it goes.");
	const drawn = [...tau.scrollback().matchAll(/(Question|Answer) (\d+)[?.]/g)].map(([text]) => text);
	const expected = Array.from({ length: pairs }, (_, at) => [`Question ${at + 1}?`, `Answer ${at + 1}.`]);
	// The end of the conversation, without a gap and without duplicates.
	expect(drawn.length).toBeGreaterThanOrEqual(100);
	expect(drawn).toEqual(expected.flat().slice(-drawn.length));
	expect(JSON.stringify(home.played.requests.at(-1))).toContain("Question 1?");
});

test("consecutive file reads become one line, on the screen and in the scrollback", async () => {
	const names = Array.from({ length: 12 }, (_, at) => `file${at + 1}.txt`);
	const steps = names.map((path) => ({
		answer: { blocks: [{ toolCall: { name: "read", arguments: { path } } }] },
	}));
	await using home = await launch({ steps: [...steps, "All read."] });
	for (const name of names) writeFileSync(join(home.project, name), "text\n");
	await using tau = await openTau({ steps: [] }, { home, rows: 12 });
	await tau.until("played-1");
	tau.type("read them\r");
	await tau.until("All read.");
	const lines = tau
		.scrollback()
		.split("\n")
		.filter((line) => line.includes("file"));
	expect(lines).toEqual([expect.stringMatching(/^ ✓ read ×12 file1\.txt, file2\.txt, .*…$/)]);
});
