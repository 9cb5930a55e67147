/** Sessions are listed, shown, exported, removed and checked from the command line. */
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

import { describe, expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

const id = "0193b0f0-0000-7000-8000-000000000001";

/** Writes a session as Tau would, and returns its file. */
function keep(tau: Launched, { cwd = tau.project, sessionId = id, text = "count the files" } = {}): string {
	const directory = join(tau.agentDir, "sessions", `--${cwd.slice(1).replaceAll("/", "-")}--`);
	mkdirSync(directory, { recursive: true });
	const file = join(directory, `2024-12-03T14-00-00-000Z_${sessionId}.jsonl`);
	const timestamp = "2024-12-03T14:00:00.000Z";
	const message = (own: string, parentId: string | null, content: string) => ({
		type: "message",
		id: own,
		parentId,
		timestamp,
		message: { role: "user", content, timestamp: 1 },
	});
	const lines = [
		{ type: "session", version: 3, id: sessionId, timestamp, cwd },
		message("aaaaaaaa", null, text),
		message("bbbbbbbb", "aaaaaaaa", "the branch that was left"),
		message("cccccccc", "aaaaaaaa", "the branch in use"),
	];
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	return file;
}

describe("tau sessions list", () => {
	test("shows those of this directory, complete in a pipe, and with --all every one", async () => {
		await using tau = await launch({ steps: [] });
		const long = `\u001b[31m${"count ".repeat(60).trim()}`;
		keep(tau, { text: long });
		keep(tau, { cwd: "/elsewhere", sessionId: "0193b0f1-0000-7000-8000-000000000002", text: "other" });
		const here = await tau.run(["sessions"]);
		expect(here).toMatchObject({ code: 0, err: "" });
		const [, row, ...more] = here.out.trimEnd().split("\n");
		expect(row).toMatch(/^0193b0f0 +\d+d +3 +[\d.]+ k?B +count count/);
		expect(row).toEndWith("count ".repeat(60).trim());
		expect(more).toEqual([]);
		const all = await tau.run(["sessions", "list", "--all", "--mode", "json"]);
		const rows = all.out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(rows.map(({ cwd }) => cwd).toSorted()).toEqual(["/elsewhere", tau.project].toSorted());
		expect(here.out + all.out).not.toContain("\u001b");
	});

	test("says so when there is none", async () => {
		await using tau = await launch({ steps: [] });
		expect(await tau.run(["sessions", "list"])).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^No sessions in this directory\./),
		});
	});
});

test("tau sessions show draws the tree and changes nothing of a damaged file", async () => {
	await using tau = await launch({ steps: [] });
	const file = keep(tau);
	appendFileSync(file, '{"type":"message","id":"dd');
	const before = readFileSync(file);
	const { code, out } = await tau.run(["sessions", "show", "0193b"]);
	expect(code).toBe(0);
	expect(out).toContain(`id         ${id}\n`);
	expect(out).toContain("* aaaaaaaa  User: count the files\n    bbbbbbbb  User: the branch that was left\n");
	expect(out).toContain("* cccccccc  User: the branch in use\n");
	expect(out).toContain("Problems:\n  The last line is incomplete");
	expect(readFileSync(file)).toEqual(before);
	expect(readdirSync(join(file, ".."))).toEqual([basename(file)]);
});

describe("tau sessions export", () => {
	test("writes a private HTML page by default, and the format of the extension or --format", async () => {
		await using tau = await launch({ steps: [] });
		keep(tau);
		expect(await tau.run(["sessions", "export", id])).toMatchObject({ code: 0, err: "" });
		const page = join(tau.project, `${id}.html`);
		expect(readFileSync(page, "utf8")).toContain("the branch that was left");
		expect(statSync(page).mode & 0o777).toBe(0o600);
		expect((await tau.run(["sessions", "export", id, "talk.md"])).code).toBe(0);
		expect(readFileSync(join(tau.project, "talk.md"), "utf8")).toContain("## User\n\nthe branch in use");
		expect((await tau.run(["sessions", "export", id, "talk.txt", "--format", "json"])).code).toBe(0);
		expect(JSON.parse(readFileSync(join(tau.project, "talk.txt"), "utf8")).entries).toHaveLength(2);
	});

	test("never overwrites a file", async () => {
		await using tau = await launch({ steps: [] });
		keep(tau);
		writeFileSync(join(tau.project, "notes.md"), "mine");
		const { code, err } = await tau.run(["sessions", "export", id, "notes.md"]);
		expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("already exists") });
		expect(readFileSync(join(tau.project, "notes.md"), "utf8")).toBe("mine");
	});
});

describe("tau sessions rm", () => {
	test("moves the session with all its files to the trash, and deletes nothing", async () => {
		await using tau = await launch({ steps: [] });
		const file = keep(tau);
		const artifacts = file.slice(0, -".jsonl".length);
		mkdirSync(artifacts);
		writeFileSync(join(artifacts, "1.txt"), "kept");
		for (const ending of [".damaged", ".orig", ".orig2"]) writeFileSync(file + ending, ending);
		const { code, out } = await tau.run(["sessions", "rm", "0193b0f0"]);
		expect({ code, out }).toEqual({
			code: 0,
			out: expect.stringMatching(/^Moved the session to ~\/\.tau\/agent\/trash\/\S+\n$/),
		});
		expect(readdirSync(join(file, ".."))).toEqual([]);
		const trash = join(tau.agentDir, "trash");
		const [folder = ""] = readdirSync(trash);
		const name = basename(file);
		const moved = [basename(artifacts), name, `${name}.damaged`, `${name}.orig`, `${name}.orig2`];
		expect(readdirSync(join(trash, folder)).toSorted()).toEqual(moved.toSorted());
		expect(readFileSync(join(trash, folder, basename(artifacts), "1.txt"), "utf8")).toBe("kept");
	});

	test("rejects one that a process has open, and names it", async () => {
		await using tau = await launch({ steps: [] });
		const file = keep(tau);
		const owner = { pid: 4711, host: "another-host", token: "t", since: "" };
		writeFileSync(`${file}.lock`, JSON.stringify(owner));
		const { code, err } = await tau.run(["sessions", "rm", id]);
		expect({ code, err }).toEqual({
			code: 1,
			err: "tau: process 4711 on another-host has the session open. Nothing was removed.\n",
		});
		expect(existsSync(file)).toBe(true);
	});

	test("rejects anything that is not a session", async () => {
		await using tau = await launch({ steps: [] });
		writeFileSync(join(tau.project, "main.ts"), "code");
		expect((await tau.run(["sessions", "rm", "main.ts"])).code).toBe(2);
		expect(existsSync(join(tau.project, "main.ts"))).toBe(true);
	});
});

test("tau sessions doctor exits with 1 if a line is damaged, and reports where", async () => {
	await using tau = await launch({ steps: [] });
	const file = keep(tau);
	expect(await tau.run(["sessions", "doctor"])).toEqual({
		code: 0,
		out: "1 session checked, 0 with problems.\n",
		err: "",
	});
	writeFileSync(file, readFileSync(file, "utf8").replace("left", 'le"ft'));
	const before = readFileSync(file);
	const { code, out } = await tau.run(["sessions", "doctor"]);
	expect(code).toBe(1);
	expect(out).toMatch(/\.jsonl\n  The line at byte \d+ is unreadable/);
	expect(readFileSync(file)).toEqual(before);
});

const wrong: [promise: string, argv: string[], message: string][] = [
	["a slip", ["sessions", "lits"], 'Unknown action "lits". Did you mean list?'],
	["a missing id", ["sessions", "rm"], "Usage: tau sessions rm <id>"],
	["an unknown id", ["sessions", "show", "ffff"], 'Session "ffff" not found'],
	[
		"a flag of another action",
		["sessions", "show", "x", "--all"],
		"--all only applies to tau sessions list.",
	],
	["an unknown format", ["sessions", "export", "x", "--format", "pdf"], "Choose one of: html, md, json"],
];
test.each(wrong)("%s is explained in one line, with exit code 2", async (_, argv, message) => {
	await using tau = await launch({ steps: [] });
	const { code, out, err } = await tau.run(argv);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(message);
	expect(err.trimEnd()).not.toContain("\n");
});
