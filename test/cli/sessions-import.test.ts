/** Sessions of Claude Code and Codex are imported from the command line, and continue in Tau. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "bun:test";

import { launch, root, type Launched } from "../support/launch.ts";

const fixtures = join(root, "packages/log/src/import/fixtures");
const claudeId = "7d9f1b8e-2c44-4d0e-9a61-0c5f3b7e1a10";
const codexId = "019ad9c4-5b1e-7c70-8f0e-6a3d2f9b4e55";
const rollout = `rollout-2025-12-01T10-00-00-${codexId}.jsonl`;

/** The homes of the two programs, as on a user's machine. */
function others(tau: Launched): void {
	const project = join(tau.home, ".claude/projects/-work-shop");
	const day = join(tau.home, ".codex/sessions/2025/12/01");
	for (const directory of [project, day]) mkdirSync(directory, { recursive: true });
	cpSync(join(fixtures, `${claudeId}.jsonl`), join(project, `${claudeId}.jsonl`));
	writeFileSync(join(project, "agent-1.jsonl"), "");
	cpSync(join(fixtures, rollout), join(day, rollout));
}

describe("tau sessions import", () => {
	test("imports all sessions of a program, reports unknown entries, and creates no duplicates", async () => {
		await using tau = await launch({ steps: [] });
		others(tau);
		const first = await tau.run(["sessions", "import", "--from", "claude"]);
		expect(first).toMatchObject({ code: 0, err: "" });
		expect(first.out).toBe(
			[
				`${claudeId}  imported from ~/.claude/projects/-work-shop/${claudeId}.jsonl, 18 entries`,
				"  skipped lines of unknown kinds: novel-thing (1), unreadable (1)",
				"1 imported, 1 skipped.\n",
			].join("\n"),
		);
		const again = await tau.run(["sessions", "import", "--from", "claude", "--mode", "json"]);
		expect(JSON.parse(again.out)).toMatchObject({
			kind: "current",
			id: claudeId,
			unknown: { unreadable: 1 },
		});
		const directory = join(tau.agentDir, "sessions/--work-shop--");
		expect(readdirSync(directory)).toEqual([`2025-11-03T09-00-01-500Z_${claudeId}.jsonl`]);
	});

	test("accepts files and directories of either program, and detects which one", async () => {
		await using tau = await launch({ steps: [] });
		others(tau);
		const file = join(tau.home, ".claude/projects/-work-shop", `${claudeId}.jsonl`);
		const { code, out } = await tau.run(["sessions", "import", file, join(tau.home, ".codex")]);
		expect(code).toBe(0);
		expect(out).toContain("2 imported.\n");
		const list = await tau.run(["sessions", "list", "--all", "--mode", "json"]);
		const rows = list.out
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(rows.map(({ name, cwd }) => `${name} in ${cwd}`).toSorted()).toEqual([
			"Files of the shop in /work/shop",
			"The cart in /work/shop",
		]);
	});

	test("shows, exports and continues imported sessions, with their whole context", async () => {
		await using tau = await launch({ steps: [{ answer: "Tests are good." }] });
		others(tau);
		await tau.run(["sessions", "import", "--from", "codex"]);
		const shown = await tau.run(["sessions", "show", codexId]);
		expect(shown.out).toContain("User: Never mind the picture.\n");
		expect(shown.out).not.toContain("Problems:");
		expect((await tau.run(["--export", codexId, "talk.html"])).code).toBe(0);
		const answer = await tau.run(["-p", "--session", codexId, "--model", "played/played-1", "and tests?"]);
		expect(answer).toMatchObject({ code: 0, out: "Tests are good.\n" });
		const request = JSON.stringify(tau.played.requests.at(-1)?.body);
		expect(request).toContain("We listed the files of the shop.");
		expect(request).toContain("What now?");
		expect(request).not.toContain("environment_context");
	});

	test("is continued by -c, in its own directory", async () => {
		await using tau = await launch({ steps: ["It is tested."] });
		const text = readFileSync(join(fixtures, `${claudeId}.jsonl`), "utf8");
		writeFileSync(join(tau.project, `${claudeId}.jsonl`), text.replaceAll("/work/shop", tau.project));
		await tau.run(["sessions", "import", `${claudeId}.jsonl`]);
		expect(await tau.run(["-p", "-c", "is it tested?"])).toMatchObject({ code: 0, out: "It is tested.\n" });
		const request = JSON.stringify(tau.played.requests.at(-1)?.body);
		expect(request).toContain("The cart total was a constant; it is summed now.");
		expect(request).toContain("Now write a test.");
		const shown = await tau.run(["sessions", "show", claudeId]);
		expect(shown.out).toContain("Assistant: It is tested.\n");
	});

	test("skips files that are not sessions, and fails for one that was named", async () => {
		await using tau = await launch({ steps: [] });
		writeFileSync(join(tau.project, "x.jsonl"), '{"a":1}\n');
		const named = await tau.run(["sessions", "import", "x.jsonl"]);
		expect(named).toMatchObject({
			code: 1,
			out: expect.stringMatching(
				/x\.jsonl: not a session of Claude Code, Codex, Gemini CLI or opencode\n0 imported, 1 skipped\.\n$/,
			),
		});
		expect(await tau.run(["sessions", "import", "."])).toMatchObject({ code: 0 });
	});
});

const wrong: [promise: string, argv: string[], message: string][] = [
	["nothing to import", ["sessions", "import"], "Usage: tau sessions import <file or directory>…"],
	["a missing file", ["sessions", "import", "none.jsonl"], "does not exist"],
	["another program", ["sessions", "import", "x", "--from", "vim"], "Choose one of: claude, codex"],
	[
		"a flag of another action",
		["sessions", "list", "--from", "codex"],
		"--from only applies to tau sessions import.",
	],
];
test.each(wrong)("%s is explained in one line, with exit code 2", async (_, argv, message) => {
	await using tau = await launch({ steps: [] });
	const { code, out, err } = await tau.run(argv);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(err).toContain(message);
	expect(err.trimEnd()).not.toContain("\n");
});
