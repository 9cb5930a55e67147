/** The local machine behaves as its interface says, and decorating a machine changes nothing else of it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ChangeOrigin, CommittedChange, FileChange } from "./change.ts";
import { FileFallbacks, withFallback, type DeniedWrite } from "./fallback.ts";
import { localMachine } from "./local.ts";
import type { Machine } from "./machine.ts";
import { withObserver } from "./observed.ts";
import { problem } from "./problem.ts";

const { files, shell } = localMachine();
const { signal } = new AbortController();
let home = "";
beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "tau-machine-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));
const at = (name: string): string => join(home, name);

async function writing(name: string, text: string): Promise<FileChange> {
	const before = await files.readText(name, at(name));
	if (!before.ok) throw new Error(before.reason);
	return { before, after: { text, hasBom: false } };
}

describe("reading files", () => {
	test("existing files, links, and missing files", async () => {
		writeFileSync(at("a"), "1234");
		symlinkSync("a", at("link"));
		symlinkSync("nowhere", at("broken"));
		expect(await files.stat(at("a"))).toMatchObject({ kind: "file", size: 4 });
		expect(await files.stat(at("link"))).toMatchObject({ kind: "file", size: 4 });
		expect(await files.lstat(at("link"))).toMatchObject({ kind: "link", linkTarget: "a" });
		expect(await files.stat(home)).toMatchObject({ kind: "directory" });
		expect([await files.stat(at("broken")), await files.stat(at("none"))]).toEqual([undefined, undefined]);
		expect((await files.lstat(at("broken")))?.linkTarget).toBe("nowhere");
		expect(files.stat(at("a/below"))).rejects.toMatchObject({ code: "ENOTDIR" });
		expect(await files.realpath(at("link"))).toBe(at("a"));
	});

	test("a file is read completely, in part, and not beyond a limit", async () => {
		const bytes = new Uint8Array(700_000).map((_, index) => index % 251);
		writeFileSync(at("a"), bytes);
		const maxBytes = 1_000_000;
		expect(await files.read(at("a"), { signal, maxBytes })).toEqual(bytes);
		const range = { start: 300_000, end: 600_000 };
		expect(await files.read(at("a"), { signal, maxBytes, range })).toEqual(bytes.subarray(300_000, 600_000));
		const past = { start: 699_999, end: 800_000 };
		expect(await files.read(at("a"), { signal, maxBytes, range: past })).toEqual(bytes.subarray(699_999));
		expect(await files.read(at("a"), { signal, maxBytes: 700_000 })).toEqual(bytes);
		expect(files.read(at("a"), { signal, maxBytes: 699_999 })).rejects.toMatchObject({ code: "EFBIG" });
		await expect(files.read(at("none"), { signal, maxBytes })).rejects.toMatchObject({ code: "ENOENT" });
	});

	test("a pipe does not block, and an abort ends any wait", async () => {
		expect(Bun.spawnSync(["mkfifo", at("pipe")]).exitCode).toBe(0);
		expect(await files.open(at("pipe"), signal)).toBeUndefined();
		writeFileSync(at("a"), "x");
		expect(files.read(at("a"), { signal: AbortSignal.abort(), maxBytes: 10 })).rejects.toThrow();
	});
});

test("a commit reports its changes, a move as one change", async () => {
	writeFileSync(at("old"), "text");
	writeFileSync(at("other"), "1");
	const source = await files.readEntry("old", at("old"));
	if (!source.ok) throw new Error(source.reason);
	const moved = { ...(await writing("new/name", "text 2")), renamedFrom: source.target };
	const done = await files.commit([{ before: source }, moved, await writing("other", "2")], { signal });
	expect(done).toMatchObject({
		ok: true,
		changes: [
			{
				kind: "renamed",
				path: at("new/name"),
				renamedFrom: at("old"),
				before: { size: 4 },
				after: { size: 6 },
			},
			{ kind: "changed", path: at("other") },
		],
	});
	expect([existsSync(at("old")), readFileSync(at("new/name"), "utf8")]).toEqual([false, "text 2"]);
});

test("bytes that are not text are written as they are", async () => {
	const { before } = await writing("a.bin", "");
	const bytes = new Uint8Array([0, 255, 1]);
	const done = await files.commit([{ before, after: { text: "", hasBom: false, bytes } }], { signal });
	expect(done).toMatchObject({ ok: true, changes: [{ kind: "created", after: { size: 3 } }] });
	expect(new Uint8Array(readFileSync(at("a.bin")))).toEqual(bytes);
});

describe("an observer", () => {
	test("is notified of each commit once, with its call, and not of one that failed", async () => {
		const received: [string[], ChangeOrigin][] = [];
		const noted: (string | undefined)[] = [];
		const machine = withObserver(localMachine(), {
			onCommitted: (changes: readonly CommittedChange[], origin) =>
				received.push([changes.map(({ path }) => path), origin]),
			onNoted: (_, path) => noted.push(path),
		});
		const change = await writing("a", "1");
		await machine.files.commit([change], { signal, toolCallId: "call" });
		expect(await machine.files.commit([change], { signal })).toMatchObject({ kind: "changed" });
		machine.files.noteChange({});
		machine.files.noteChange({}, at("db"));
		expect(received).toEqual([[[at("a")], { toolCallId: "call" }]]);
		expect(noted).toEqual([undefined, at("db")]);
	});
});

describe("fallbacks", () => {
	/** The system denies everything, to every user. */
	const denying: Machine = {
		...localMachine(),
		files: {
			...files,
			async commit(changes, { whenDenied }) {
				for (const change of changes)
					if (!(await whenDenied?.(change, "denied"))) return problem("denied", "No permission.");
				return { ok: true, changes: [] };
			},
		},
	};

	test("are called in order until one makes the change; one that throws has failed", async () => {
		const asked: string[] = [];
		const fallbacks = new FileFallbacks();
		const answer = (name: string, done: boolean) => async (denied: DeniedWrite) => {
			asked.push(`${name} ${denied.content}`);
			if (name === "throws") throw new Error("no");
			return done;
		};
		using _one = fallbacks.addWriter(answer("throws", true));
		using _two = fallbacks.addWriter(answer("no", false));
		const three = fallbacks.addWriter(answer("yes", true));
		using _four = fallbacks.addWriter(answer("never", true));
		const machine = withFallback(denying, fallbacks);
		expect(await machine.files.commit([await writing("a", "text")], { signal })).toMatchObject({ ok: true });
		expect(asked).toEqual(["throws text", "no text", "yes text"]);
		three[Symbol.dispose]();
		await machine.files.commit([await writing("a", "more")], { signal });
		expect(asked.at(-1)).toBe("never more");
	});

	test("of one machine do not affect another", async () => {
		const fallbacks = new FileFallbacks();
		using _ = fallbacks.addWriter(async () => true);
		const change = await writing("a", "text");
		expect(await withFallback(denying, new FileFallbacks()).files.commit([change], { signal })).toMatchObject(
			{
				kind: "denied",
			},
		);
		expect(await withFallback(denying, fallbacks).files.commit([change], { signal })).toMatchObject({
			ok: true,
		});
	});

	test("for deletions get whether it is a file, and are not called for binary content", async () => {
		mkdirSync(at("d"));
		writeFileSync(at("d/a"), "x");
		const asked: unknown[] = [];
		const fallbacks = new FileFallbacks();
		using _one = fallbacks.addDeleter(async ({ dst, confirmedFile }) => asked.push([dst, confirmedFile]) > 0);
		using _two = fallbacks.addWriter(async () => true);
		const machine = withFallback(denying, fallbacks);
		const before = await files.readEntry("a", at("d/a"));
		if (!before.ok) throw new Error(before.reason);
		expect(await machine.files.commit([{ before }], { signal })).toMatchObject({ ok: true });
		expect(asked).toEqual([[at("d/a"), true]]);
		const bytes = { before, after: { text: "", hasBom: false, bytes: new Uint8Array(1) } };
		expect(await machine.files.commit([bytes], { signal })).toMatchObject({ kind: "denied" });
	});
});

test("its shells are of this machine", async () => {
	const env = { PATH: process.env.PATH ?? "" };
	await using session = shell.session({ cwd: home, env });
	let output = "";
	const common = {
		timeoutMs: 40_000,
		signal,
		onOutput: (chunk: Uint8Array) => void (output += Buffer.from(chunk).toString()),
	};
	await session.run({ ...common, command: "mkdir sub && cd sub" });
	expect(session.cwd).toBe(at("sub"));
	await shell.run({ ...common, command: "echo $PWD", cwd: home, env });
	expect(output).toBe(`${home}\n`);
});
