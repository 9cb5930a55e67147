/** `--export` writes a session as an HTML page, as pi does. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";

test("--export accepts a session id or file, and a name for the page", async () => {
	await using tau = await launch({ steps: [{ answer: "It is forty-two." }] });
	await tau.run(["-p", "what is it?"]);
	const [row = ""] = (await tau.run(["sessions", "--mode", "json"])).out.split("\n");
	const { id, path } = JSON.parse(row);
	const asked = tau.played.requests.length;
	const usual = await tau.run(["--export", id.slice(0, 12)]);
	expect(usual).toMatchObject({ code: 0, err: "" });
	const page = join(tau.project, `${id}.html`);
	expect(readFileSync(page, "utf8")).toContain("It is forty-two.");
	expect(statSync(page).mode & 0o777).toBe(0o600);
	expect((await tau.run(["--export", path, "talk.html"])).code).toBe(0);
	expect(readFileSync(join(tau.project, "talk.html"))).toEqual(readFileSync(page));
	const json = await tau.run([`--export=${id}`, "talk.md", "--mode", "json"]);
	expect(JSON.parse(json.out)).toEqual({ file: join(tau.project, "talk.md") });
	expect(tau.played.requests).toHaveLength(asked);
});

const wrong: [promise: string, argv: string[], message: string][] = [
	["no session", ["--export"], "--export needs a value"],
	["an unknown session", ["--export", "ffff"], 'Session "ffff" not found'],
	["too many names", ["--export", "ffff", "a.html", "b.html"], "Usage: tau --export <id> [file.html]"],
	["an existing file", ["--export", "SESSION", "mine.html"], "already exists"],
];
test.each(wrong)("%s is explained in one line, and nothing is written", async (_, argv, message) => {
	await using tau = await launch({ steps: [] });
	const said = { role: "user", content: "x" };
	const entry = { type: "message", id: "aaaaaaaa", parentId: null, timestamp: "", message: said };
	const header = { type: "session", version: 3, id: "x", timestamp: "2024-12-03T14:00:00.000Z", cwd: "/" };
	writeFileSync(join(tau.project, "SESSION"), `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
	writeFileSync(join(tau.project, "mine.html"), "mine");
	const { code, out, err } = await tau.run(argv);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(message);
	expect(err.trimEnd()).not.toContain("\n");
	expect(readFileSync(join(tau.project, "mine.html"), "utf8")).toBe("mine");
	expect(existsSync(join(tau.project, "a.html"))).toBe(false);
});
