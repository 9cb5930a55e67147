/** A SQLite database can be read without changing it, whatever its state. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";

import { listDescendants, queryDatabase } from "@tau/sys";

import { callTool, testToolEnv, type TestToolEnv } from "../../../../../test/support/tool-env.ts";
import { limits } from "../limits.ts";
import { readFixture, type ReadFixture } from "../../../../../test/support/read-fixture.ts";
import { read } from "../tool.ts";

async function shop(more = ""): Promise<ReadFixture<TestToolEnv>> {
	const at = readFixture(await testToolEnv());
	using database = new Database(at.at("shop.sqlite"));
	database.run(`
		CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, bio, big INTEGER);
		INSERT INTO users VALUES (1, 'Ann', 'a|b' || char(10) || 'c', 9007199254740993), (2, 'Bob', NULL, x'00ff');
		CREATE TABLE "odd:name"(a, b, PRIMARY KEY (a, b));
		CREATE TABLE bare(word); INSERT INTO bare VALUES ('first'), ('second');
		CREATE VIEW names AS SELECT name FROM users;
		${more}
	`);
	return at;
}

describe("a database", () => {
	test("lists its tables with columns and counts, and how to continue", async () => {
		await using at = await shop();
		const { text, details } = await at.read("shop.sqlite");
		expect(text.split("\n")).toEqual([
			"bare (2 rows): word",
			"view names (2 rows): name TEXT",
			"odd:name (0 rows): a PRIMARY KEY, b PRIMARY KEY",
			"users (2 rows): id INTEGER PRIMARY KEY, name TEXT NOT NULL, bio, big INTEGER",
			"[rows: shop.sqlite:table, one row: shop.sqlite:table:key, SQL: shop.sqlite?q=SELECT …]",
		]);
		expect(details).toMatchObject({ tables: 4, truncated: false });
	});

	test("is recognized by its bytes, whatever its name; an empty one is reported", async () => {
		await using at = await shop();
		at.put("data", readFileSync(at.at("shop.sqlite")));
		{
			using none = new Database(at.at("none.db"));
			none.run("PRAGMA user_version = 1");
		}
		expect((await at.read("data:bare")).text).toBe("word\nfirst\nsecond");
		expect((await at.read("none.db")).text).toBe("none.db is a database without tables.");
		at.put("text.db", "just text\n");
		expect((await at.read("text.db")).text).toBe("     1  just text");
	});

	test("is not changed: no file beside it, no byte in it", async () => {
		await using at = await shop("PRAGMA user_version = 7;");
		{
			using database = new Database(at.at("shop.sqlite"));
			database.run("PRAGMA journal_mode = WAL");
			database.run("INSERT INTO bare VALUES ('third')");
		}
		for (const left of ["shop.sqlite-wal", "shop.sqlite-shm"])
			await Bun.file(at.at(left))
				.delete()
				.catch(() => {});
		const before = { bytes: readFileSync(at.at("shop.sqlite")), names: readdirSync(at.env.cwd) };
		expect((await at.read("shop.sqlite:bare")).text).toContain("third");
		expect({ bytes: readFileSync(at.at("shop.sqlite")), names: readdirSync(at.env.cwd) }).toEqual(before);
	});

	test("with a concurrent writer shows what is committed", async () => {
		await using at = await shop();
		using writer = new Database(at.at("shop.sqlite"));
		writer.run("PRAGMA journal_mode = WAL");
		writer.run("INSERT INTO bare VALUES ('new')");
		expect(statSync(at.at("shop.sqlite-wal")).size).toBeGreaterThan(0);
		expect((await at.read("shop.sqlite:bare")).text).toContain("new");
	});

	test("that is locked, damaged or unreadable is reported as such", async () => {
		await using at = await shop();
		{
			using writer = new Database(at.at("shop.sqlite"));
			writer.run("BEGIN EXCLUSIVE");
			expect((await at.read("shop.sqlite:bare")).text).toBe(
				"shop.sqlite is locked by another program. Try again later, or read a copy of it.",
			);
		}
		const whole = readFileSync(at.at("shop.sqlite"));
		at.put("torn.db", whole.subarray(0, whole.length / 2));
		expect((await at.read("torn.db:users")).text).toMatch(/^torn\.db is damaged \(.+\)\. sqlite3/);
		truncateSync(at.at("torn.db"), 50);
		expect((await at.read("torn.db")).isError).toBe(true);
		chmodSync(at.at("shop.sqlite"), 0);
		if (process.getuid?.() !== 0) {
			expect((await at.read("shop.sqlite")).text).toBe("No permission to read shop.sqlite.");
		}
	});
});

describe("a table", () => {
	test("shows its rows, each on one line", async () => {
		await using at = await shop();
		expect((await at.read("shop.sqlite:users")).text).toBe(
			"id | name | bio | big\n1 | Ann | a\\|b\\nc | 9007199254740993\n2 | Bob | NULL | <blob of 2 bytes>",
		);
		expect((await at.read("shop.sqlite:USERS")).isError).toBeUndefined();
	});

	test("is shown in parts", async () => {
		const rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)";
		await using at = await shop(`CREATE TABLE n AS ${rows} SELECT i FROM n;`);
		const first = await at.read("shop.sqlite:n");
		expect(first.text.split("\n")).toHaveLength(1 + limits.rows + 1);
		expect(first.text).toEndWith(`\n[rows 1-100 of 250; continue with offset 101]`);
		expect(first.details).toMatchObject({ total: 250, truncated: true });
		expect((await at.read("shop.sqlite:n", { offset: 249 })).text).toBe("i\n249\n250");
		expect((await at.read("shop.sqlite:n", { offset: 5, limit: 2 })).text).toBe(
			"i\n5\n6\n[rows 5-6 of 250; continue with offset 7]",
		);
		expect(await at.read("shop.sqlite:n", { offset: 251 })).toMatchObject({ useless: true });
	});

	test("of very long rows stays within the limits, and continues where it ended", async () => {
		const rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)";
		const columns = "i, hex(randomblob(90)) a, hex(randomblob(90)) b, hex(randomblob(900)) c";
		await using at = await shop(`CREATE TABLE wide AS ${rows} SELECT ${columns} FROM n;`);
		const { text } = await at.read("shop.sqlite:wide", { limit: 1000 });
		expect(Buffer.byteLength(text)).toBeLessThan(limits.bytes + 200);
		const [, last, next] = /\[rows 1-(\d+) of 1000; continue with offset (\d+)\]$/.exec(text) ?? [];
		expect(Number(last)).toBeGreaterThan(10);
		expect(Number(next)).toBe(Number(last) + 1);
		expect((await at.read("shop.sqlite:wide", { offset: Number(next), limit: 1 })).text).toContain(
			`\n${next} | `,
		);
		expect(text).toContain("… [cut, 1600 more]");
	});

	test("returns one row by its key", async () => {
		await using at = await shop();
		expect((await at.read("shop.sqlite:users:1")).text).toBe(
			"id: 1\nname: Ann\nbio: a|b\nc\nbig: 9007199254740993",
		);
		expect((await at.read("shop.sqlite:bare:2")).text).toBe("word: second");
	});

	test("without such a row, key or name reports what exists", async () => {
		await using at = await shop();
		const wrong: [path: string, message: string][] = [
			["shop.sqlite:users:9", "There is no row '9' in shop.sqlite:users."],
			["shop.sqlite:odd:name:1", "odd:name has no single-column key. Use shop.sqlite?q=SELECT … WHERE …"],
			[
				"shop.sqlite:user",
				"shop.sqlite has no table user. Did you mean users? Tables: bare, names, odd:name, users.",
			],
		];
		for (const [path, message] of wrong)
			expect(await at.read(path)).toMatchObject({ isError: true, text: message });
		expect((await at.read("shop.sqlite:odd:name")).text).toBe(
			"shop.sqlite:odd:name has no rows. Columns: a, b",
		);
	});
});

/** The worker process; other idle ones may wait for work. */
async function busyDescendant(): Promise<number> {
	const looks = new Map<number, number>();
	for (;;) {
		for (const pid of await listDescendants(process.pid)) {
			const isRunning = /\) R /.test(await Bun.file(`/proc/${pid}/stat`).text());
			looks.set(pid, isRunning ? (looks.get(pid) ?? 0) + 1 : 0);
			if (looks.get(pid) === 5) return pid;
		}
		await Bun.sleep(2);
	}
}

describe("a query", () => {
	test.each([
		["SELECT name FROM users WHERE name <> 'x:y' ORDER BY id DESC;", "name\nBob\nAnn"],
		["with t as (select 1 as a) select * from t -- done", "a\n1"],
		["SELECT a.id, b.id FROM users a JOIN users b USING (id)", "id | id:1\n1 | 1\n2 | 2"],
		["SELECT%20count(*)%20AS%20n%20FROM%20users", "n\n2"],
		["SELECT+1+AS+one", "one\n1"],
		["PRAGMA user_version", "user_version\n0"],
		["VALUES (1, 2)", "column1 | column2\n1 | 2"],
	])("%s", async (sql, expected) => {
		await using at = await shop();
		expect((await at.read(`shop.sqlite?q=${sql}`)).text).toBe(expected);
	});

	test.each(["DELETE FROM users", "SELECT 1; DELETE FROM users", "ATTACH 'other.db' AS o", "VACUUM", ""])(
		"that changes data is rejected: %s",
		async (sql) => {
			await using at = await shop();
			const before = readFileSync(at.at("shop.sqlite"));
			expect((await at.read(`shop.sqlite?q=${sql}`)).isError).toBe(true);
			expect(readFileSync(at.at("shop.sqlite"))).toEqual(before);
			expect(readdirSync(at.env.cwd)).toEqual(["shop.sqlite"]);
		},
	);

	test("that is not a query explains what is", async () => {
		await using at = readFixture(await testToolEnv());
		new Database(at.at("a.db")).run("CREATE TABLE t(x)");
		expect((await at.read("a.db?q=DROP TABLE t")).text).toStartWith("Only queries are allowed here: SELECT");
	});

	test("with a mistake reports where it is", async () => {
		await using at = await shop();
		expect((await at.read("shop.sqlite?q=SELECT * FRM users")).text).toContain('near "FRM": syntax error');
		expect((await at.read("shop.sqlite?q=SELECT nme FROM users")).text).toContain("no such column: nme");
	});

	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

	test("that never ends is stopped by an abort, and leaves no process", async () => {
		await using at = await shop();
		const stop = new AbortController();
		const running = callTool(read.bind(at.env), { path: `shop.sqlite?q=${endless}` }, stop.signal);
		const worker = await busyDescendant();
		stop.abort(new DOMException("enough", "AbortError"));
		await expect(running).rejects.toThrow("enough");
		expect(await listDescendants(process.pid)).not.toContain(worker);
	});

	test("that takes too long times out", async () => {
		await using at = await shop();
		const question = { sql: endless, offset: 0, limit: 1, cellChars: 10, counts: false };
		const database = { path: at.at("shop.sqlite"), isWal: false };
		const answer = await queryDatabase(database, question, new AbortController().signal, 50);
		expect(answer).toMatchObject({ ok: false, code: "TIMEOUT" });
	});

	test("ignores files of the project: no settings, no code of it", async () => {
		await using at = await shop();
		writeFileSync(at.at("evil.ts"), `require("node:fs").writeFileSync(${JSON.stringify(at.at("ran"))}, "")`);
		writeFileSync(at.at("bunfig.toml"), 'preload = ["./evil.ts"]\n');
		const before = process.cwd();
		process.chdir(at.env.cwd);
		try {
			expect((await at.read("shop.sqlite:bare")).isError).toBeUndefined();
		} finally {
			process.chdir(before);
		}
		expect(readdirSync(at.env.cwd)).not.toContain("ran");
	});
});
