/** Two processes never write one session, and a stale lock blocks nobody. */
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import {
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { hostname } from "node:os";

import { lockLimits as limits, parseOwner, thisProcess, type LockOwner } from "@tau/utils";

import { SessionLockedError, SessionManager } from "../index.ts";
import { startProgram } from "../testing/programs.ts";
import { chain, entry, folder, contextTexts, linesOf, said, type Folder } from "../testing/sample.ts";

let home: Folder;
let path = "";
beforeEach(() => {
	home = folder();
	path = home.file(chain("a", "b"));
});
afterEach(() => {
	setSystemTime();
	home[Symbol.dispose]();
});

async function firstLine({ stdout }: { stdout: ReadableStream<Uint8Array> }): Promise<string> {
	let text = "";
	const decoder = new TextDecoder();
	for await (const chunk of stdout) {
		text += decoder.decode(chunk, { stream: true });
		if (text.includes("\n")) break;
	}
	return text.slice(0, text.indexOf("\n"));
}

function lockedBy(owner: Partial<LockOwner>, ageMs = 0): void {
	writeFileSync(`${path}.lock`, JSON.stringify({ ...thisProcess(), ...owner }));
	const time = new Date(Date.now() - ageMs);
	utimesSync(`${path}.lock`, time, time);
}

function lockText(): string {
	try {
		return readFileSync(`${path}.lock`, "utf8");
	} catch {
		return "none";
	}
}

function outcome(): string {
	const opened = SessionManager.tryOpen(path);
	if (!opened.ok) return opened.reason;
	opened.session[Symbol.dispose]();
	return "open";
}

describe("while another process has the session open", () => {
	test("the second one learns who holds it, and may read or fork it", async () => {
		const holder = startProgram("hold", path);
		expect(await firstLine(holder)).toBe("open");
		expect(SessionManager.tryOpen(path)).toMatchObject({
			ok: false,
			reason: "locked",
			locked: { isOwn: false, owner: { pid: holder.pid, host: hostname() } },
		});
		expect(() => SessionManager.open(path)).toThrow(SessionLockedError);
		const reading = SessionManager.tryOpen(path, { access: "read" });
		if (!reading.ok) throw new Error(reading.reason);
		expect(contextTexts(reading.session)).toEqual(["I am a", "I am b"]);
		using fork = SessionManager.forkFrom(path, "/work", home.path);
		fork.appendMessage(said("elsewhere"));
		expect(linesOf(path)).toHaveLength(3);

		holder.stdin.end();
		await holder.exited;
		expect(existsSync(`${path}.lock`)).toBe(false);
		expect(outcome()).toBe("open");
	});

	test("and is killed, the session is free", async () => {
		const holder = startProgram("hold", path);
		expect(await firstLine(holder)).toBe("open");
		holder.kill("SIGKILL");
		await holder.exited;
		expect(existsSync(`${path}.lock`)).toBe(true);
		expect(outcome()).toBe("open");
	});

	test("and is suspended for a long time, it keeps the session", async () => {
		const holder = startProgram("hold", path);
		expect(await firstLine(holder)).toBe("open");
		holder.kill("SIGSTOP");
		const old = new Date(Date.now() - 10 * limits.staleMs);
		utimesSync(`${path}.lock`, old, old);
		expect(outcome()).toBe("locked");
		holder.kill("SIGKILL");
		await holder.exited;
	});
});

test("of several that find a stale lock at once, one gets the session", async () => {
	lockedBy({ pid: 2 ** 22 + 1 });
	const many = Array.from({ length: 6 }, () => startProgram("hold", path));
	const answers = await Promise.all(many.map(firstLine));
	for (const { stdin } of many) stdin.end();
	await Promise.all(many.map(({ exited }) => exited));
	expect(answers.toSorted()).toEqual(["locked", "locked", "locked", "locked", "locked", "open"]);
	expect(existsSync(`${path}.lock.takeover`)).toBe(false);
});

describe("a lock is stale", () => {
	test("when its pid now belongs to another process", () => {
		lockedBy({ started: "1" });
		expect(outcome()).toBe("open");
	});

	test("when its owner was killed, and nobody collects it, as in many containers", async () => {
		// After `exec` its parent is a program that does not know of it.
		const parent = Bun.spawn(["sh", "-c", "sleep 100 & echo $!; exec sleep 100"], { stdout: "pipe" });
		try {
			const pid = Number(await firstLine(parent));
			// Until then the shell is its parent, and collects it.
			while (readFileSync(`/proc/${parent.pid}/comm`, "latin1") !== "sleep\n") await Bun.sleep(1);
			const started = readFileSync(`/proc/${pid}/stat`, "latin1").split(" ")[21] ?? "";
			lockedBy({ pid, started });
			expect(outcome()).toBe("locked");
			process.kill(pid, "SIGKILL");
			const deadline = performance.now() + 60_000;
			while (outcome() === "locked" && performance.now() < deadline) await Bun.sleep(5);
			expect(readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z ");
			lockedBy({ pid, started });
			expect(outcome()).toBe("open");
		} finally {
			parent.kill("SIGKILL");
			await parent.exited;
		}
	});

	test("when the machine was rebooted", () => {
		lockedBy({ boot: "another" });
		expect(outcome()).toBe("open");
	});

	test("when its owner is on another host, and silent", () => {
		lockedBy({ host: "elsewhere" });
		expect(outcome()).toBe("locked");
		lockedBy({ host: "elsewhere" }, limits.staleMs + 1000);
		expect(outcome()).toBe("open");
	});

	test("when its owner is in another container, and silent", () => {
		lockedBy({ space: "pid:[1]" });
		expect(outcome()).toBe("locked");
		lockedBy({ space: "pid:[1]" }, limits.staleMs + 1000);
		expect(outcome()).toBe("open");
	});

	test("when it is empty and old", () => {
		writeFileSync(`${path}.lock`, "");
		expect(SessionManager.tryOpen(path)).toMatchObject({ reason: "locked", locked: { owner: undefined } });
		const old = new Date(Date.now() - limits.staleMs - 1000);
		utimesSync(`${path}.lock`, old, old);
		expect(outcome()).toBe("open");
	});

	test("even if a process died while taking it over", () => {
		lockedBy({ started: "1" });
		writeFileSync(`${path}.lock.takeover`, "");
		expect(outcome()).toBe("locked");
		const old = new Date(Date.now() - limits.takeoverStaleMs - 1000);
		utimesSync(`${path}.lock.takeover`, old, old);
		expect(outcome()).toBe("open");
	});
});

test("a lock names its owner from the first moment, so that a process killed at any moment blocks nobody", async () => {
	const locking = startProgram("lockBusily", path);
	expect(await firstLine(locking)).toBe("ready");
	const seen = new Set<string>();
	for (; locking.exitCode === null && locking.signalCode === null; await Bun.sleep(0)) {
		for (let count = 0; count < 100; count++) seen.add(lockText());
	}
	seen.delete("none");
	expect(seen.size).toBeGreaterThan(1);
	for (const text of seen) expect(parseOwner(text)).toMatchObject({ pid: locking.pid });
	expect(readdirSync(home.path).filter((name) => name.includes(".lock"))).toEqual([]);
});

test("the same process may read a session that it writes, but not open it for writing twice", () => {
	using writing = SessionManager.open(path);
	using reading = SessionManager.open(path);
	expect(reading.isReadOnly()).toBe(true);
	writing.appendMessage(said("on"));
	expect(linesOf(path)).toHaveLength(4);
	expect(outcome()).toBe("locked");
});

test("a process that lost its lock while it slept writes nothing more, and reports it", () => {
	using session = SessionManager.open(path);
	const received: unknown[] = [];
	using _told = session.onProblem((problem) => void received.push(problem));
	session.appendMessage(said("before"));
	lockedBy({ pid: 7, host: "elsewhere", token: "another" });
	setSystemTime(new Date(Date.now() + limits.staleMs));
	session.appendMessage(said("after"));
	session.appendMessage(said("and after"));
	expect(received).toEqual([
		{ kind: "taken", owner: expect.objectContaining({ pid: 7, host: "elsewhere" }) },
	]);
	expect(linesOf(path)).toHaveLength(4);
	expect(contextTexts(session)).toEqual(["I am a", "I am b", "before", "after", "and after"]);
	session[Symbol.dispose]();
	expect(JSON.parse(readFileSync(`${path}.lock`, "utf8"))).toMatchObject({ token: "another" });
});

test("a process that slept and still has its lock continues", () => {
	using session = SessionManager.open(path);
	setSystemTime(new Date(Date.now() + limits.staleMs));
	session.appendMessage(said("after"));
	expect(linesOf(path)).toHaveLength(4);
});

test("a removed lock is created again", () => {
	using session = SessionManager.open(path);
	rmSync(`${path}.lock`);
	setSystemTime(new Date(Date.now() + limits.staleMs));
	session.appendMessage(said("after"));
	expect(session.getProblems()).toEqual([]);
	expect(linesOf(path)).toHaveLength(4);
	expect(existsSync(`${path}.lock`)).toBe(true);
});

test("a lock that is not a file does not prevent reading", () => {
	symlinkSync("/nowhere/at/all", `${path}.lock`);
	using session = SessionManager.open(path);
	session.appendMessage(said("kept"));
	expect(session.getProblems()).toEqual([{ kind: "unsaved", reason: expect.stringContaining("Remove it") }]);
});

test("entries that another program appends are not lost, and neither are ours", () => {
	using session = SessionManager.open(path);
	session.appendMessage(said("ours"));
	const theirs = [entry("x", null), entry("a", "b")].map((line) => `${JSON.stringify(line)}\n`).join("");
	writeFileSync(path, `${theirs}{"torn":`, { flag: "a" });
	session.appendMessage(said("ours again"));
	expect(session.getEntry("x")).toMatchObject({ message: { content: "I am x" } });
	expect(session.getEntry("a-2")).toMatchObject({ parentId: "b" });
	expect(session.getProblems()).toEqual([{ kind: "foreign", entries: 2 }]);
	expect(contextTexts(session)).toEqual(["I am a", "I am b", "ours", "ours again"]);
	session[Symbol.dispose]();
	using again = SessionManager.open(path);
	expect(contextTexts(again)).toEqual(["I am a", "I am b", "ours", "ours again"]);
});
