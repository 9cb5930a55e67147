/** What is remembered can be undone, deleted for good, and survives other processes and damage. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { silenceLog } from "../../../../test/support/session.ts";
import type { Fact } from "./fact.ts";
import { limits } from "./limits.ts";
import { MemoryStore } from "./store.ts";
import { newFact } from "./testing/sample.ts";

let home = "";
beforeEach(() => {
	silenceLog();
	home = mkdtempSync(join(tmpdir(), "tau-memory-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = (): string => join(home, "memory.sqlite");

function add(store: MemoryStore, ...texts: string[]): Fact[] {
	const ids: number[] = [];
	store.change({ label: `${texts.length} facts` }, (draft) => {
		for (const text of texts) ids.push(draft.add(newFact(text)));
	});
	return ids.flatMap((id) => store.fact(id) ?? []);
}

const texts = (store: MemoryStore): string[] => store.facts().map(({ text }) => text);

function nth(facts: readonly Fact[], at: number): Fact {
	const fact = facts[at];
	if (!fact) throw new Error(`no fact ${at}`);
	return fact;
}

test("every change is undone in reverse order, with what it replaced", () => {
	using store = new MemoryStore(home);
	const [one, two] = [nth(add(store, "one"), 0), nth(add(store, "two"), 0)];
	store.change({ label: "merge" }, (draft) => {
		const merged = draft.add(newFact("one and two"));
		for (const fact of [one, two]) draft.update(fact, { replacedBy: merged });
		draft.putSkill({ name: "count", description: "to count", body: "1. one" });
	});
	store.change({ label: "edit" }, (draft) => draft.update(one, { text: "eins" }));
	expect(texts(store)).toEqual(["eins", "two", "one and two"]);
	expect(store.undo()?.label).toBe("edit");
	expect(store.undo()?.label).toBe("merge");
	expect(store.facts()).toEqual([one, two]);
	expect(store.skills()).toEqual([]);
	store.undo();
	store.undo();
	expect(texts(store)).toEqual([]);
	expect(store.undo()).toBeUndefined();
	// A number that a user has seen never means another fact.
	expect(nth(add(store, "three"), 0).id).toBe(4);
});

test("a deleted fact is recognized when it is extracted again, in other words too, until the deletion is undone", () => {
	using store = new MemoryStore(home);
	const [fact] = add(store, "The staging database runs on port 5433 of the build machine");
	store.delete(
		nth(
			[fact].flatMap((each) => each ?? []),
			0,
		),
		false,
	);
	const again = newFact("The staging database runs on port 5433 on the build machine");
	expect(store.tombstones.covers(again)).toBe(true);
	expect(store.tombstones.covers({ ...again, session: "other" })).toBe(true);
	expect(store.tombstones.covers(newFact("Deploys happen on Mondays"))).toBe(false);
	store.undo();
	expect(texts(store)).toHaveLength(1);
	expect(store.tombstones.covers(again)).toBe(false);
});

test("deleted for good: no byte of it stays in the files, and undo does not bring it back", () => {
	{
		using store = new MemoryStore(home);
		const facts = add(store, "the codename is Wolpertinger", "the build uses make");
		store.change({ label: "edit" }, (draft) =>
			draft.update(nth(facts, 0), { text: "the codename was Wolpertinger" }),
		);
		store.delete(nth(facts, 0), true);
		while (store.undo());
		expect(store.search("codename wolpertinger", { all: true })).toEqual([]);
		expect(store.tombstones.covers(newFact("the codename was Wolpertinger"))).toBe(true);
	}
	for (const name of readdirSync(home)) {
		const isThere = readFileSync(join(home, name)).includes("olpertinger");
		expect({ name, isThere }).toEqual({ name, isThere: false });
	}
});

test("cleared memory comes back by undo, and not after `forever`", () => {
	using store = new MemoryStore(home);
	add(store, "one", "two");
	store.clear(false);
	expect(texts(store)).toEqual([]);
	expect(store.sessions.isDue("old", Date.now() - 1000, Date.now())).toBe(false);
	store.undo();
	expect(texts(store)).toEqual(["one", "two"]);
	store.clear(true);
	expect(store.undo()).toBeUndefined();
	store.sessions.reset();
	expect(store.sessions.isDue("old", Date.now() - 1000, Date.now())).toBe(true);
});

test("the undo log is bounded, and its last change is always there", () => {
	using store = new MemoryStore(home);
	for (let at = 0; at < limits.changes + 5; at++) add(store, `fact ${at}`);
	expect(store.changes()).toHaveLength(limits.changes);
	expect(store.undo()?.label).toBe("1 facts");
});

test("a proposal changes nothing until it is accepted, and a refused fact is not proposed again", () => {
	using store = new MemoryStore(home);
	const propose = { label: "2 facts", propose: true };
	store.change(propose, (draft) => {
		draft.add(newFact("keep the cache warm at night"));
		draft.add(newFact("never use semicolons anywhere"));
	});
	expect(texts(store)).toEqual([]);
	const [proposal] = store.changes("proposed");
	store.accept(
		proposal?.id ?? 0,
		({ after }) => after !== null && "text" in after && after.text.startsWith("keep"),
	);
	expect(texts(store)).toEqual(["keep the cache warm at night"]);
	expect(store.changes("proposed")).toEqual([]);
	expect(store.tombstones.covers(newFact("never use semicolons anywhere"))).toBe(true);
	store.undo();
	expect(texts(store)).toEqual([]);
});

test("only its owner can read the files", () => {
	using store = new MemoryStore(home);
	add(store, "one");
	for (const name of readdirSync(home)) expect(statSync(join(home, name)).mode & 0o077).toBe(0);
});

test("a damaged database is moved aside, and old sessions are not read again by themselves", () => {
	writeFileSync(file(), "This is not a database, whatever its name says. ".repeat(100));
	using store = new MemoryStore(home);
	expect(store.setAside).toStartWith(`${file()}.damaged-`);
	expect(existsSync(store.setAside ?? "")).toBe(true);
	expect(store.sessions.isDue("old", Date.now() - 1000, Date.now())).toBe(false);
	expect(add(store, "one")).toHaveLength(1);
});

test("damage in the middle of the file is found by a check", () => {
	{
		using store = new MemoryStore(home);
		add(
			store,
			...Array.from({ length: 400 }, (_, at) => `fact ${at} about the parts of the program ${at * 7}`),
		);
	}
	const bytes = readFileSync(file());
	bytes.fill(0x5a, 8192, bytes.length - 4096);
	writeFileSync(file(), bytes);
	using store = new MemoryStore(home, { check: true });
	expect(store.setAside).toBeDefined();
	expect(texts(store)).toEqual([]);
});

test("a database of a newer version is left alone", () => {
	{
		using store = new MemoryStore(home);
		add(store, "one");
	}
	const before = readFileSync(file());
	before.writeUInt32BE(99, 60);
	writeFileSync(file(), before);
	expect(() => new MemoryStore(home)).toThrow("newer version of Tau");
	expect(readdirSync(home)).toEqual(["memory.sqlite"]);
});

test("two processes write at the same time, and nothing is lost", async () => {
	using store = new MemoryStore(home);
	const script = `
		import { MemoryStore } from ${JSON.stringify(join(import.meta.dir, "store.ts"))};
		import { newFact } from ${JSON.stringify(join(import.meta.dir, "testing/sample.ts"))};
		using store = new MemoryStore(process.argv[1]);
		for (let at = 0; at < 50; at++)
			store.change({ label: "x" }, (draft) => void draft.add(newFact(process.argv[2] + at)));
	`;
	const writers = ["a", "b"].map((name) =>
		Bun.spawn([process.execPath, "-e", script, home, name], { stdout: "ignore", stderr: "inherit" }),
	);
	expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0]);
	expect(store.facts()).toHaveLength(100);
	expect(new Set(store.facts().map(({ id }) => id)).size).toBe(100);
});

test("a disk that takes no more is reported with the name of the file, and nothing is half written", async () => {
	const script = `
		import { MemoryStore } from ${JSON.stringify(join(import.meta.dir, "store.ts"))};
		import { newFact } from ${JSON.stringify(join(import.meta.dir, "testing/sample.ts"))};
		using store = new MemoryStore(process.argv[1]);
		let count = 0;
		try {
			for (; count < 10_000; count++)
				store.change({ label: "x" }, (draft) => void draft.add(newFact(count + " words ".repeat(500))));
		} catch (error) {
			console.log(JSON.stringify({ count, message: error.message, name: error.constructor.name }));
		}
	`;
	// Files of at most 400 KB; the signal for that is ignored, so that writing fails as it does on a full disk.
	const command = `trap '' XFSZ; ulimit -f 400; exec "$0" -e "$1" "$2"`;
	const child = Bun.spawn(["bash", "-c", command, process.execPath, script, home], {
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
	expect(err).toBe("");
	const { count, message, name } = JSON.parse(out);
	expect({ name, message }).toEqual({
		name: "UserError",
		message: `Cannot write ${file()}: the disk is full or failing.`,
	});
	using store = new MemoryStore(home, { check: true });
	expect(store.setAside).toBeUndefined();
	expect(store.facts()).toHaveLength(count);
});

test("a directory that cannot be written is reported", () => {
	if (process.getuid?.() === 0) writeFileSync(join(home, "sub"), "not a directory");
	else chmodSync(home, 0o500);
	expect(() => new MemoryStore(join(home, "sub"))).toThrow(/memory\.sqlite/);
	chmodSync(home, 0o700);
});
