/** A guest of a very long session: it gets what its screen shows, with the answer that is being written. */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";
import { readLink, roomTransport } from "@tau/wire/room";

import { appendCompaction, writeUncompactedSession } from "../../bench/uncompacted-session.ts";
import { launch } from "../support/launch.ts";
import { until } from "./frames-room.ts";
import { guest, share } from "./room.ts";

const began = "It began long before you came";
const scenario: Scenario = {
	steps: [
		{
			answer: { blocks: [{ text: `${began}, ${"and it goes on, ".repeat(20)}to its end.`, chunks: 20 }] },
			// Far longer than the test: the answer is in progress.
			fault: { pauseMs: 600_000, afterChunks: 10 },
		},
	],
};

test("who joins a session of 50 MB sees the answer in progress at once, and gets less than a twentieth of it", async () => {
	await using home = await launch(scenario);
	const path = join(home.project, "long.jsonl");
	const messages = 10_000;
	writeUncompactedSession(path, home.project, { messages, megabytes: 50 });
	appendCompaction(path, messages);
	expect(statSync(path).size).toBeGreaterThan(49e6);
	await using shared = await share(scenario, { home, args: ["--session", path] });
	const { host, link } = shared;
	host.type("go\r");
	await host.until(began);

	const lines: string[] = [];
	using _ = await roomTransport({ link: readLink(link, undefined) }).connect(
		{ client: { id: "counting", name: "Counter", kinds: [] } },
		{ signal: AbortSignal.timeout(60_000), onLine: (line) => void lines.push(line), onEnd() {} },
	);
	await until(() => lines.some((line) => line.includes(began)), "the answer in progress");
	// Nothing that the guest has to ask for, and nothing of what came before the last screens.
	expect(lines.reduce((bytes, line) => bytes + line.length, 0)).toBeLessThan(2.5e6);

	await using ann = await guest(link, { name: "Ann" });
	await ann.until(began);
	expect(host.screen()).not.toContain("to its end.");
});
