/** `--cwd` and `--add-dir`: the directories of a run. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

test("--cwd is the working directory, and --add-dir is added to the prompt", async () => {
	const pwd = { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "pwd" } } }] } };
	await using tau = await launch({ steps: [pwd, "Done."] });
	mkdirSync(join(tau.project, "deep/er"), { recursive: true });
	writeFileSync(join(tau.project, "deep/er/AGENTS.md"), "Only tabs here.");
	const args = ["--cwd", "deep", "--add-dir", "er", "-p", "go", ...model];
	expect(await tau.run(args)).toMatchObject({ code: 0, out: "Done.\n" });
	const [first, second] = tau.played.requests.map(({ body }) => JSON.stringify(body));
	expect(first).toContain(`These directories also belong to the work: ${join(tau.project, "deep/er")}`);
	expect(first).toContain("Only tabs here.");
	expect(second).toContain(`"text":"${join(tau.project, "deep")}"`);
});

test.each([["--cwd"], ["--add-dir"]])("%s rejects anything but a directory", async (flag) => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run([flag, "nowhere", "-p", "go", ...model]);
	expect(code).toBe(2);
	expect(err).toContain(`${flag} nowhere: not a directory.`);
});
