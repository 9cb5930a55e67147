/** What `npm run bare` runs, and how it reads the result. */
import { expect, test } from "bun:test";

import { cells, commandsOf, outcomeOf } from "./cells.ts";

test("both accounts are tried in every place; one of each can be chosen", () => {
	expect(cells([], []).map(({ user, place }) => `${user} ${place}`)).toEqual([
		"ann home",
		"ann srv",
		"ann tmp",
		"root home",
		"root srv",
		"root tmp",
	]);
	expect(cells(["user"], ["tmp"])).toEqual([
		{ user: "ann", place: "tmp", directory: "/tmp/a clone with blanks/tau" },
	]);
	expect(() => cells([], ["opt"])).toThrow("no place opt: choose from home, srv, tmp");
});

test("the commands of the README run with their exit codes, and paths of tests survive the shell", () => {
	const script = commandsOf(["packages/it's here"]).replaceAll(/^\.\/tau.*$/gm, "true");
	const { stdout } = Bun.spawnSync(["sh", "-c", script.replaceAll(/^npm test/gm, "printf '%s|'")]);
	const said = stdout.toString();
	expect(said.match(/^exit code 0$/gm)).toHaveLength(3);
	expect(said).toContain("--|packages/it's here|");
	expect(commandsOf(undefined)).not.toContain("npm test");
});

const good = `$ ./tau "what is in this project"\nA project.\nexit code 0\n$ ./tau -p "run id"\nuid=1000(ann)\nexit code 0\n`;

test("a cell is good if both commands of the README are", () => {
	const tests = "$ npm test\n3 passed, 0 failed, 1 skipped\nexit code 0\n";
	expect(outcomeOf(good, 0)).toEqual({ tauWorks: true, tests: "", isGood: true });
	expect(outcomeOf(good + tests, 0)).toMatchObject({ tests: "3 passed, 0 failed, 1 skipped", isGood: true });
});

const bad: [what: string, log: string, code: number][] = [
	[
		"a shell that did not run the command",
		good.replace("uid=1000(ann)", "The `bash` call of `id` failed."),
		0,
	],
	["a first command that failed", good.replace("exit code 0", "exit code 1"), 0],
	["tests that failed", `${good}$ npm test\n3 passed, 1 failed, 1 skipped\nexit code 1\n`, 0],
	["tests without a result", `${good}$ npm test\nexit code 0\n`, 0],
	["a root that could not be entered", "mount: permission denied", 1],
	["a cell that was killed", good, 137],
];
test.each(bad)("%s is no success", (_what, log, code) => {
	expect(outcomeOf(log, code).isGood).toBe(false);
});
