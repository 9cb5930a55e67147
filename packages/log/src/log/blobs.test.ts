/** Large images are stored once on disk, complete before a line refers to them, and a missing one breaks no session. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import type { ImageContent } from "@tau/ai";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import type { SessionEntry } from "./tree/entry.ts";
import { limits } from "./limits.ts";
import { SessionManager } from "./session-manager.ts";
import { startProgram } from "./testing/programs.ts";
import { entry, folder, header, image, linesOf, said, shown, type Folder } from "./testing/sample.ts";

let home: Folder;
let blobs: string;
beforeEach(() => {
	home = folder();
	blobs = join(home.path, "blobs");
});
afterEach(() => home[Symbol.dispose]());

/** A session in an agent directory of its own, so that its blobs are its own too. */
function sessionPath(name = "session.jsonl", data = home.path): string {
	const directory = join(data, "sessions/--work--");
	mkdirSync(directory, { recursive: true });
	return join(directory, name);
}

function hashOf({ data }: ImageContent): string {
	return new Bun.CryptoHasher("sha256").update(Buffer.from(data, "base64")).digest("hex");
}

/** The first image or text of a message. */
function firstBlock(sessionEntry: SessionEntry | undefined): unknown {
	if (sessionEntry?.type !== "message" || !("content" in sessionEntry.message)) return undefined;
	return Array.isArray(sessionEntry.message.content) ? sessionEntry.message.content[0] : undefined;
}

function reading(path: string): SessionManager {
	const opened = SessionManager.tryOpen(path, { access: "read" });
	if (!opened.ok) throw new Error(opened.reason);
	return opened.session;
}

/** A session whose one entry refers to an image, and the entry's id. */
function keep(picture: ImageContent, path = sessionPath()): { path: string; id: string } {
	using session = SessionManager.open(path);
	return { path, id: session.appendMessage(shown(picture)) };
}

describe("a large image", () => {
	test("is stored once in a private file, however many sessions refer to it, and is read back unchanged", () => {
		const picture = image("a");
		for (const name of ["one.jsonl", "two.jsonl"]) {
			const { path, id } = keep(picture, sessionPath(name));
			expect(linesOf(path)[1]).toContain(`"data":"blob:sha256:${hashOf(picture)}"`);
			using session = reading(path);
			expect(firstBlock(session.getEntry(id))).toEqual(picture);
			expect(session.buildSessionContext().messages).toEqual([shown(picture)]);
		}
		expect(readdirSync(blobs)).toEqual([hashOf(picture)]);
		const file = join(blobs, hashOf(picture));
		expect(readFileSync(file)).toEqual(Buffer.from(picture.data, "base64"));
		expect([statSync(file).mode & 0o777, statSync(blobs).mode & 0o777]).toEqual([0o600, 0o700]);
	});

	test("is available right after it was appended", () => {
		using session = SessionManager.open(sessionPath());
		const id = session.appendMessage(shown(image("a")));
		expect(firstBlock(session.getEntry(id))).toEqual(image("a"));
	});

	test("is extracted wherever it is: results, details, data URLs of providers", () => {
		const url = `data:image/png;base64,${image("url").data}`;
		const path = sessionPath();
		using session = SessionManager.open(path);
		session.appendCustomMessageEntry("a", [image("content")], true, { nested: [{ image_url: url }] });
		const line = linesOf(path)[1] ?? "";
		expect(line.length).toBeLessThan(600);
		expect(readdirSync(blobs)).toHaveLength(2);
		using again = reading(path);
		expect(again.getEntries()).toMatchObject([
			{ content: [image("content")], details: { nested: [{ image_url: url }] } },
		]);
	});

	test("stays in the line if it is small, or could not be restored exactly", () => {
		const path = sessionPath();
		using session = SessionManager.open(path);
		const small = image("s", Math.floor(limits.blobChars / 4) * 3 - 3);
		const broken = { ...image("b"), data: image("b").data.replace(/(.{76})/g, "$1\n") };
		session.appendMessage(shown(small, broken));
		expect(linesOf(path)[1]).toContain(small.data);
		expect(linesOf(path)[1]).toContain(JSON.stringify(broken.data));
		expect(existsSync(blobs)).toBe(false);
	});

	test("stays in the line if no blob can be written, and the conversation continues", () => {
		writeFileSync(blobs, "in the way");
		const { path, id } = keep(image("a"));
		expect(linesOf(path)[1]).toContain(image("a").data);
		using session = reading(path);
		expect(firstBlock(session.getEntry(id))).toEqual(image("a"));
		expect(session.getProblems()).toEqual([]);
	});

	test("that was torn on disk is rewritten by the next session that shows it", () => {
		keep(image("a"), sessionPath("one.jsonl"));
		truncateSync(join(blobs, hashOf(image("a"))), 100);
		const { path, id } = keep(image("a"), sessionPath("two.jsonl"));
		using session = reading(path);
		expect(firstBlock(session.getEntry(id))).toEqual(image("a"));
	});
});

describe("a missing image", () => {
	const spoilers: [promise: string, spoil: (file: string) => void][] = [
		["deleted", (file) => rmSync(file)],
		["torn", (file) => truncateSync(file, 100)],
		["a directory", (file) => (rmSync(file), mkdirSync(file))],
	];
	test.each(spoilers)("%s: a text replaces it, and it is reported once", (_, spoil) => {
		const { path, id } = keep(image("a"));
		spoil(join(blobs, hashOf(image("a"))));
		using session = SessionManager.open(path);
		const reference = `blob:sha256:${hashOf(image("a"))}`;
		for (let time = 0; time < 2; time++) {
			const text = expect.stringContaining(reference);
			expect(firstBlock(session.getEntry(id))).toEqual({ type: "text", text });
		}
		expect(session.getProblems()).toEqual([{ kind: "missing", id, reference }]);
		session.appendMessage(said("on"));
		expect(session.buildSessionContext().messages).toHaveLength(2);
	});

	test("is found again when its file comes back, even after the entry was rewritten", () => {
		const picture = image("a");
		const block = { ...picture, data: `blob:sha256:${hashOf(picture)}` };
		const path = sessionPath();
		// Two entries with one id: the second gets another, and its line cannot be copied unchanged.
		const lines = [header, entry("x", null), entry("x", "x", { message: shown(block) })];
		writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
		using fork = SessionManager.forkFrom(path, "/work", dirname(path));
		expect(linesOf(fork.getSessionFile() ?? "")[2]).toContain(block.data);
		mkdirSync(blobs);
		writeFileSync(join(blobs, hashOf(picture)), Buffer.from(picture.data, "base64"));
		expect(firstBlock(fork.getLeafEntry())).toEqual(picture);
	});
});

test("a session of omp shows omp's images, and its fork has them in Tau's store", () => {
	const picture = image("omp");
	const omp = join(home.path, ".omp/agent");
	mkdirSync(join(omp, "blobs"), { recursive: true });
	const original = join(omp, "blobs", hashOf(picture));
	writeFileSync(original, Buffer.from(picture.data, "base64"));
	const path = sessionPath("omp.jsonl", omp);
	const block = { ...picture, data: `blob:sha256:${hashOf(picture)}` };
	const lines = [header, entry("a", null, { message: shown(block) })];
	writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	using session = reading(path);
	expect(firstBlock(session.getEntry("a"))).toEqual(picture);
	using fork = SessionManager.forkFrom(path, "/work", dirname(sessionPath()));
	expect(readdirSync(blobs)).toEqual([hashOf(picture)]);
	rmSync(original);
	expect(firstBlock(fork.getEntry("a"))).toEqual(picture);
});

test("processes that store the same image at once leave one complete file", async () => {
	const paths = ["one.jsonl", "two.jsonl", "three.jsonl"].map((name) => sessionPath(name));
	const children = paths.map((path) => startProgram("showOnce", path));
	await Promise.all(
		children.map(async (child) => {
			for await (const _ of child.stdout) {
				await child.stdin.end();
			}
			await child.exited;
		}),
	);
	const picture = image("the same", 200_000);
	expect(readdirSync(blobs)).toEqual([hashOf(picture)]);
	for (const path of paths) {
		using session = reading(path);
		expect(firstBlock(session.getLeafEntry())).toEqual(picture);
	}
});

test("kills while images are written: no line refers to an image that does not exist", async () => {
	const kills = samples(30);
	const path = sessionPath();
	const announced = new Set<string>();
	for (let round = 0; round < kills; round++) {
		const writer = startProgram("showBusily", path);
		let text = "";
		const patience = Math.floor(Math.random() * 60);
		for await (const chunk of writer.stdout) {
			text += new TextDecoder().decode(chunk);
			if (text.length > patience) writer.kill("SIGKILL");
		}
		await writer.exited;
		for (const id of text.slice(0, text.lastIndexOf("\n") + 1).match(/.+/g) ?? []) announced.add(id);
	}
	using session = reading(path);
	const entries = session.getEntries();
	const ids = new Set(entries.map(({ id }) => id));
	expect(announced.size).toBeGreaterThanOrEqual(kills);
	expect([...announced].filter((id) => !ids.has(id))).toEqual([]);
	expect(session.getProblems().filter(({ kind }) => kind === "missing")).toEqual([]);
	expect(linesOf(path).filter((line) => line.includes("blob:sha256:")).length).toBeGreaterThanOrEqual(kills);
});

needs("bash", "prlimit")("if no blob can be written, the image stays in the session", async () => {
	const limited = ["bash", "-c", `trap "" XFSZ; ulimit -S -f 16; exec "$@"`, "bash"];
	const child = startProgram("showTooMuch", sessionPath(), limited);
	const { isInline, problems } = JSON.parse(await child.stdout.text());
	expect(isInline).toBe(true);
	expect(problems).toMatchObject([{ kind: "unsaved" }, { kind: "saved", entries: 2 }]);
	expect(readdirSync(blobs)).toEqual([]);
});
