/** The file is private and intact; a damaged file is moved aside with its contents. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { setAside } from "./database.ts";
import { CredentialStore } from "./index.ts";

let home = "";
let path = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-vault-"));
	path = join(home, "agent", "agent.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(notices: string[] = []): Promise<CredentialStore> {
	return CredentialStore.open({ path, env: {}, onNotice: (message) => void notices.push(message) });
}

async function keep(): Promise<void> {
	using store = await open();
	await store.add("p", { kind: "api_key", access: "key-number-one" });
}

function names(): string[] {
	return readdirSync(join(home, "agent")).toSorted();
}

describe("a file", () => {
	test("is not created by reading", async () => {
		using store = await open();
		expect(store.has("p")).toBe(false);
		expect(await store.getApiKey("p")).toBeUndefined();
		expect(store.list()).toEqual([]);
		expect(store.remove("p")).toBe(0);
		store.report("p", "nobody", { kind: "ok" });
		expect(readdirSync(home)).toEqual([]);
	});

	test("is readable by its owner only, with its companions, for any umask", async () => {
		const before = process.umask(0);
		try {
			using store = await open();
			await store.add("p", { kind: "api_key", access: "key-number-one" });
			expect(statSync(join(home, "agent")).mode & 0o777).toBe(0o700);
			expect(names()).toEqual(["agent.db", "agent.db-shm", "agent.db-wal"]);
			for (const name of names())
				expect([name, statSync(join(home, "agent", name)).mode & 0o777]).toEqual([name, 0o600]);
		} finally {
			process.umask(before);
		}
	});

	test("that others can read is closed to them", async () => {
		await keep();
		chmodSync(path, 0o644);
		using store = await open();
		expect(store.has("p")).toBe(true);
		expect(statSync(path).mode & 0o777).toBe(0o600);
	});

	test("keeps its contents", async () => {
		await keep();
		using store = await open();
		expect(await store.getApiKey("p")).toBe("key-number-one");
	});

	test("of the first version keeps its contents, and gets the missing columns", async () => {
		await keep();
		const db = new Database(path);
		db.run("ALTER TABLE credentials DROP COLUMN project");
		db.run("PRAGMA user_version = 1");
		db.close();
		const notices: string[] = [];
		using store = await open(notices);
		expect(await store.getApiKey("p")).toBe("key-number-one");
		await store.add("q", { kind: "oauth", access: "token-number-one", project: "mine" });
		expect(await store.getApiKey("q")).toContain("mine");
		expect(notices).toEqual([]);
	});

	test("of a newer version is left unchanged", async () => {
		await keep();
		using db = new Database(path);
		db.run("PRAGMA user_version = 99");
		db.close();
		const notices: string[] = [];
		using store = await open(notices);
		expect(store.has("p")).toBe(false);
		expect(notices).toEqual([expect.stringContaining("written by a newer version of Tau")]);
		await expect(store.add("p", { kind: "api_key", access: "another-key" })).rejects.toThrow(
			"newer version of Tau",
		);
		expect(names().filter((name) => name.includes("damaged"))).toEqual([]);
	});
});

describe("a damaged file", () => {
	const damages: [string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | string][] = [
		["that is no database", () => "not a database at all".repeat(500)],
		["that was torn", (bytes) => bytes.slice(0, bytes.length - 5000)],
		["with random pages", (bytes) => bytes.map((byte, index) => (index < 4096 ? byte : (index * 7) & 255))],
	];
	test.each(damages)("%s is moved aside, and a new one replaces it", async (_, damage) => {
		await keep();
		const bytes = new Uint8Array(readFileSync(path));
		writeFileSync(path, damage(bytes));
		const notices: string[] = [];
		using store = await open(notices);
		expect(store.has("p")).toBe(false);
		expect(notices).toHaveLength(1);
		expect(notices[0]).toMatch(
			/agent\.db was damaged and moved to \S+agent\.db\.damaged-\d{4}-[\dT-]+\. Log in again/,
		);
		const aside = names().find((name) => name.startsWith("agent.db.damaged-")) ?? "";
		expect(readFileSync(join(home, "agent", aside)).length).toBeGreaterThan(0);
		await store.add("p", { kind: "api_key", access: "a-new-key" });
		expect(await store.getApiKey("p")).toBe("a-new-key");
	});

	test("is noticed while it is in use, and the run continues", async () => {
		await keep();
		const notices: string[] = [];
		using store = await open(notices);
		rmSync(`${path}-wal`, { force: true });
		rmSync(`${path}-shm`, { force: true });
		writeFileSync(path, "noise".repeat(5000));
		expect(await store.getApiKey("p").catch(String)).toSatisfy(
			(key) => key === undefined || key === "key-number-one",
		);
		using after = await open(notices);
		await after.add("q", { kind: "api_key", access: "a-new-key" });
		expect(await after.getApiKey("q")).toBe("a-new-key");
	});

	test("that another process has replaced already is left in place", async () => {
		await keep();
		expect(setAside(path)).toBeUndefined();
		expect(names()).toEqual(["agent.db"]);
	});

	test("an empty file is a new one", async () => {
		await keep();
		for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
		writeFileSync(path, "");
		const notices: string[] = [];
		using store = await open(notices);
		expect({ has: store.has("p"), notices }).toEqual({ has: false, notices: [] });
	});
});

describe("a path that cannot be written", () => {
	test("is named when something is to be stored", async () => {
		writeFileSync(join(home, "agent"), "a file in the way");
		using store = await open();
		const refused = store.add("p", { kind: "api_key", access: "key-number-one" });
		await expect(refused).rejects.toThrow(/Cannot write .*agent\.db/);
	});

	test("costs a notice when something is to be read", async () => {
		await keep();
		// A directory instead of the file: as unusable as a disk can be, also for root.
		rmSync(join(home, "agent"), { recursive: true });
		path = home;
		const notices: string[] = [];
		using store = await open(notices);
		expect(store.has("p")).toBe(false);
		expect(notices).toEqual([expect.stringMatching(/^Stored credentials are not used: Cannot write/)]);
	});
});
