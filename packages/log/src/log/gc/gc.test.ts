/** Garbage collection deletes what no session refers to, and nothing else, whatever happens meanwhile. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { takeLock } from "@tau/utils";

import { SessionIndex } from "../listing/session-index.ts";
import { SessionManager } from "../session-manager.ts";
import { startProgram } from "../testing/programs.ts";
import { folder, image, said, shown, type Folder } from "../testing/sample.ts";
import { trashSession } from "../file/trash.ts";
import { collectGarbage, type GcOptions, type GcReport } from "./collect.ts";
import { removeBlob, weigh } from "./sweep-blobs.ts";

const hour = 60 * 60 * 1000;

let home: Folder;
const before = process.env.TAU_CODING_AGENT_DIR;
beforeEach(() => {
	home = folder();
	process.env.TAU_CODING_AGENT_DIR = home.path;
});
afterEach(() => {
	home[Symbol.dispose]();
	if (before === undefined) delete process.env.TAU_CODING_AGENT_DIR;
	else process.env.TAU_CODING_AGENT_DIR = before;
});

/** As if everything stored so far were two hours old. */
function gc(options: Partial<GcOptions> = {}): Promise<GcReport> {
	const cache = join(home.path, "cache");
	return collectGarbage({
		data: home.path,
		cache,
		directories: [],
		isDryRun: false,
		now: Date.now() + 2 * hour,
		...options,
	});
}

function sessionIn(project: string, name = "2024-12-03T14-00-00-000Z_one"): string {
	return join(home.path, "sessions", `--${project}--`, `${name}.jsonl`);
}

/** Returns the file of the blob. */
function show(session: string, seed: string): string {
	using manager = SessionManager.open(session);
	manager.appendMessage(shown(image(seed)));
	return blobOf(seed);
}

function blobOf(seed: string): string {
	const hash = new Bun.CryptoHasher("sha256").update(Buffer.from(image(seed).data, "base64")).digest("hex");
	return join(home.path, "blobs", hash);
}

/** A blob that no session refers to. */
function stray(seed: string): string {
	const session = sessionIn("gone");
	const blob = show(session, seed);
	rmSync(session);
	return blob;
}

describe("a blob", () => {
	test("is deleted when no session refers to it, and the freed space is counted", async () => {
		const gone = [stray("a"), stray("b")];
		const kept = show(sessionIn("work"), "c");
		expect(await gc({ isDryRun: true })).toMatchObject({ blobs: { count: 2, bytes: 6000 }, obstacles: [] });
		expect(gone.map((blob) => existsSync(blob))).toEqual([true, true]);
		expect(await gc()).toMatchObject({ blobs: { count: 2, bytes: 6000 } });
		expect(readdirSync(dirname(kept))).toEqual([basename(kept)]);
		expect(await gc()).toMatchObject({ blobs: { count: 0, bytes: 0 } });
	});

	test("stays while it is new", async () => {
		const blob = stray("a");
		expect(await gc({ now: Date.now() })).toMatchObject({ blobs: { count: 0 }, young: 1 });
		expect(existsSync(blob)).toBe(true);
	});

	test("that is old and stored again counts as new: its line may not be written yet", async () => {
		const blob = stray("a");
		utimesSync(blob, 1, 1);
		expect(stray("a")).toBe(blob);
		expect(await gc({ now: Date.now() })).toMatchObject({ blobs: { count: 0 }, young: 1 });
	});

	test("stays if a session in the trash refers to it", async () => {
		const session = sessionIn("work");
		const blob = show(session, "a");
		trashSession(session, join(home.path, "trash"));
		await gc();
		expect(existsSync(blob)).toBe(true);
	});

	test.each([".damaged", ".orig", ".orig2"])("stays if a %s refers to it", async (ending) => {
		const session = sessionIn("work");
		const blob = show(session, "a");
		writeFileSync(session + ending, readFileSync(session));
		rmSync(session);
		await gc();
		expect(existsSync(blob)).toBe(true);
	});

	test("stays if a subagent, a damaged line or the end of a large file refers to it", async () => {
		const session = sessionIn("work");
		const [one, two] = [stray("a"), stray("b")];
		const outputs = session.slice(0, -".jsonl".length);
		mkdirSync(join(outputs, "deep"), { recursive: true });
		writeFileSync(session, `{"type":"mess\u0000"data":"blob:sha256:${basename(one)}`);
		// Across the end of the chunk that is searched at once.
		const reference = `"blob:sha256:${basename(two)}"`;
		const padding = "x".repeat(1024 * 1024 - 50);
		writeFileSync(join(outputs, "deep/Anna.jsonl"), padding + reference);
		await gc();
		expect([existsSync(one), existsSync(two)]).toEqual([true, true]);
	});

	test("stays if a session in a directory of the settings or the command line refers to it", async () => {
		const directory = join(home.path, "elsewhere");
		mkdirSync(directory);
		const blob = stray("a");
		writeFileSync(join(directory, "s.jsonl"), `{"data":"blob:sha256:${basename(blob)}"}`);
		expect(await gc({ directories: [directory] })).toMatchObject({ blobs: { count: 0 } });
		expect(await gc()).toMatchObject({ blobs: { count: 1 } });
	});

	const ways: [promise: string, write: (directory: string) => void][] = [
		["showed it there", (directory) => void show(join(directory, "s.jsonl"), "a")],
		[
			"was forked there",
			(directory) => {
				const source = sessionIn("work");
				show(source, "a");
				SessionManager.forkFrom(source, "/work", directory)[Symbol.dispose]();
				rmSync(source);
			},
		],
	];
	test.each(ways)("stays when a session in any directory %s, without being configured", async (_, write) => {
		const directory = join(home.path, "elsewhere");
		write(directory);
		expect(await gc()).toMatchObject({ blobs: { count: 0 }, obstacles: [] });
		expect(existsSync(blobOf("a"))).toBe(true);
		renameSync(directory, join(home.path, "gone"));
		expect(await gc()).toMatchObject({ blobs: { count: 1 }, obstacles: [] });
		expect(readdirSync(join(home.path, "blobs/session-dirs"))).toEqual([]);
	});

	test("that was stored since a running session started stays until that session ends", async () => {
		const blob = stray("a");
		const session = sessionIn("work");
		mkdirSync(dirname(session), { recursive: true });
		const taken = takeLock(session);
		if (!taken.ok) throw new Error("locked");
		const later = new Date(Date.now() + 60_000);
		utimesSync(blob, later, later);
		expect(await gc()).toMatchObject({ blobs: { count: 0 }, young: 1 });
		taken.lock[Symbol.dispose]();
		expect(await gc()).toMatchObject({ blobs: { count: 1 } });
	});

	test("that is stored again at the last moment stays", () => {
		const blob = stray("a");
		const seen = weigh(blob);
		if (!seen) throw new Error("no blob");
		utimesSync(blob, 1, 1);
		expect(removeBlob(seen)).toBe(false);
		expect(readdirSync(dirname(blob))).toEqual([basename(blob)]);
	});

	test("that a killed collection had set aside is restored", async () => {
		const blob = show(sessionIn("work"), "a");
		writeFileSync(`${blob}.gc`, readFileSync(blob));
		rmSync(blob);
		await gc();
		expect(readdirSync(dirname(blob))).toEqual([basename(blob)]);
	});
});

describe("no blob is deleted if not everything can be searched", () => {
	test("a known directory on a disk that is not mounted", async () => {
		const blob = stray("a");
		const notes = join(home.path, "blobs/session-dirs");
		mkdirSync(notes);
		writeFileSync(join(notes, "1"), JSON.stringify({ path: join(home.path, "away"), device: -1 }));
		const report = await gc();
		expect(report.obstacles).toEqual([expect.stringContaining(join(home.path, "away"))]);
		expect(existsSync(blob)).toBe(true);
	});

	test("a known directory that cannot be read", async () => {
		const blob = stray("a");
		mkdirSync(join(home.path, "blobs/session-dirs"));
		writeFileSync(join(home.path, "blobs/session-dirs/1"), "{");
		expect((await gc()).obstacles).toHaveLength(1);
		expect(existsSync(blob)).toBe(true);
	});
});

describe("outputs", () => {
	function outputs(session: string): string {
		const directory = session.slice(0, -".jsonl".length);
		mkdirSync(directory, { recursive: true });
		writeFileSync(join(directory, "0.bash.log"), "output");
		return directory;
	}

	test("are deleted with their session, and only then", async () => {
		const gone = outputs(sessionIn("work", "2024-12-03T14-00-00-000Z_gone"));
		const session = sessionIn("work");
		const kept = outputs(session);
		using manager = SessionManager.open(session);
		manager.appendMessage(said("here"));
		expect(await gc()).toMatchObject({ outputs: { count: 1, bytes: 6 } });
		expect([existsSync(gone), existsSync(kept)]).toEqual([false, true]);
	});

	test("stay while they are new, while the session is about to be written, and in the trash", async () => {
		const session = sessionIn("work");
		const directory = outputs(session);
		expect(await gc({ now: Date.now() })).toMatchObject({ outputs: { count: 0 } });
		const taken = takeLock(session);
		if (!taken.ok) throw new Error("locked");
		expect(await gc()).toMatchObject({ outputs: { count: 0 } });
		taken.lock[Symbol.dispose]();
		const thrown = outputs(join(home.path, "trash/now/2024-12-03T14-00-00-000Z_thrown.jsonl"));
		expect(await gc()).toMatchObject({ outputs: { count: 1 } });
		expect([existsSync(directory), existsSync(thrown)]).toEqual([false, true]);
	});

	test("a user's own directories among the sessions are left unchanged", async () => {
		const directory = join(home.path, "elsewhere");
		mkdirSync(join(directory, "photos"), { recursive: true });
		mkdirSync(join(home.path, "sessions/--work--/notes"), { recursive: true });
		expect(await gc({ directories: [directory] })).toMatchObject({ outputs: { count: 0 } });
		expect(existsSync(join(directory, "photos"))).toBe(true);
	});
});

test("incomplete files are deleted, and missing sessions are removed from the index", async () => {
	const session = sessionIn("work");
	const blob = show(session, "a");
	writeFileSync(`${blob}.12345678.tmp`, "half");
	writeFileSync(`${session}.12345678.tmp`, "half a log");
	const path = join(home.path, "cache/sessions.sqlite");
	{
		using index = await SessionIndex.open(path);
		const summary = { id: "x" } as never;
		const row = { size: 1, mtimeMs: 1, inode: 1, summary };
		index?.write(dirname(session), new Map([[basename(session), row]]), []);
		index?.write("/nowhere", new Map([["a.jsonl", row]]), []);
	}
	expect(await gc({ isDryRun: true })).toMatchObject({ indexRows: 1, unfinished: { count: 2, bytes: 14 } });
	expect(await gc()).toMatchObject({ indexRows: 1, unfinished: { count: 2 } });
	expect(await gc()).toMatchObject({ indexRows: 0, unfinished: { count: 0 } });
	expect(existsSync(blob)).toBe(true);
});

test("an empty directory needs no work", async () => {
	expect(await gc()).toMatchObject({ blobs: { count: 0 }, outputs: { count: 0 }, obstacles: [] });
	expect(readdirSync(home.path)).toEqual([]);
});

test("a session that is written meanwhile loses nothing", async () => {
	const session = sessionIn("work");
	mkdirSync(dirname(session), { recursive: true });
	const writer = startProgram("showBusily", session);
	let rounds = 0;
	for await (const _ of writer.stdout) {
		// Without an hour's grace: what protects the writer here is that it is alive.
		await gc();
		if (++rounds === 20) writer.kill("SIGKILL");
	}
	await writer.exited;
	const opened = SessionManager.tryOpen(session, { access: "read" });
	if (!opened.ok) throw new Error(opened.reason);
	using read = opened.session;
	expect(read.getEntries().length).toBeGreaterThanOrEqual(20);
	expect(read.getProblems().filter(({ kind }) => kind === "missing")).toEqual([]);
	expect((await gc()).obstacles).toEqual([]);
});
