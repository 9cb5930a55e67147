/** Everything that was announced survives a kill at any moment. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";

import { samples } from "../../../../../test/support/depth.ts";
import { SessionManager } from "../session-manager.ts";
import { startProgram } from "../testing/programs.ts";
import { folder, type Folder } from "../testing/sample.ts";

const kills = samples(200);
/** Processes in parallel: each waits most of its time for the other's kill. */
const workers = 4;

let home: Folder;
beforeEach(() => {
	home = folder();
});
afterEach(() => home[Symbol.dispose]());

/** The ids that a busy writer announced until it was killed, after a random number of them. */
async function killedWriter(path: string, patience: number): Promise<string[]> {
	const writer = startProgram("writeBusily", path);
	let text = "";
	const decoder = new TextDecoder();
	for await (const chunk of writer.stdout) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > patience) writer.kill("SIGKILL");
	}
	await writer.exited;
	// A kill may tear an announcement; a torn one was not made.
	return text.slice(0, text.lastIndexOf("\n") + 1).match(/.+/g) ?? [];
}

/** One session that is continued after every kill. */
async function work(path: string, rounds: number): Promise<number> {
	const announced = new Set<string>();
	for (let round = 0; round < rounds; round++) {
		const ids = await killedWriter(path, Math.floor(Math.random() * 400));
		expect(ids.length).toBeGreaterThan(0);
		for (const id of ids) announced.add(id);
		const opened = SessionManager.tryOpen(path, { access: "read" });
		if (!opened.ok) throw new Error(opened.reason);
		using session = opened.session;
		const there = new Set(session.getHeads().map(({ id }) => id));
		expect([...announced].filter((id) => !there.has(id))).toEqual([]);
	}
	using session = SessionManager.open(path);
	const entries = session.getEntries();
	expect(session.getProblems().filter(({ kind }) => kind !== "torn")).toEqual([]);
	// One chain through all the kills: no entry is unreachable.
	expect(session.getBranch()).toHaveLength(entries.length);
	return announced.size;
}

test(`${kills} kills of a busy session lose nothing that was announced`, async () => {
	const paths = Array.from({ length: workers }, (_, index) => join(home.path, `${index}.jsonl`));
	const counts = await Promise.all(paths.map((path) => work(path, kills / workers)));
	expect(Math.min(...counts)).toBeGreaterThanOrEqual(kills / workers);
}, 180_000);
