/** A script of the project that a hook runs is asked about when a command has changed it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";
import { UserRequests, type UserRequestOf } from "@tau/session/host";

import { call, hookFixtureWith } from "../../../../test/support/hooks.ts";
import { HookScripts } from "./hook-scripts.ts";
import { HookSource } from "./hook-source.ts";
import { parseHooks } from "./parse-hooks.ts";

const { signal } = new AbortController();
const fixtureOf = hookFixtureWith((steps: Scenario["steps"]) => playModel({ steps }));
let cwd = "";
beforeEach(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "tau-hook-scripts-")));
	mkdirSync(join(cwd, "scripts"));
	script("true");
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function script(text: string): void {
	writeFileSync(join(cwd, "scripts/check.sh"), `#!/bin/sh\n${text}\n`);
	chmodSync(join(cwd, "scripts/check.sh"), 0o755);
}

function hookOf(command: string) {
	const written = { PostToolUse: [{ hooks: [{ type: "command", command }] }] };
	const [hook] = parseHooks(written, { source: "claude", level: "user", path: "/settings.json" }).items;
	if (!hook) throw new Error("no hook");
	return hook;
}

function answering(trusted: boolean): { requests: UserRequests; shown: UserRequestOf<"trust">[] } {
	const requests = new UserRequests();
	const shown: UserRequestOf<"trust">[] = [];
	requests.connect({
		kinds: new Set(["trust"]),
		open(request) {
			if (request.kind !== "trust") return;
			shown.push(request);
			requests.answer(request.id, { trusted, remember: false });
		},
	});
	return { requests, shown };
}

const commands = [
	'"$CLAUDE_PROJECT_DIR"/scripts/check.sh',
	"sh scripts/check.sh --fast",
	"./scripts/check.sh | cat",
];
test.each(commands)("changed since the session began: %s", async (command) => {
	const hook = hookOf(command);
	const { requests, shown } = answering(true);
	const scripts = new HookScripts({ hooks: [hook], cwd, isTrusted: () => true, requests });
	expect(await scripts.refusal(hook, signal)).toBeUndefined();
	expect(shown).toEqual([]);
	script("touch planted");
	expect(await scripts.refusal(hook, signal)).toBeUndefined();
	expect(shown).toMatchObject([{ project: cwd, runs: [{ kind: "changed", commands: [command] }] }]);
	expect(await scripts.refusal(hook, signal)).toBeUndefined();
	expect(shown.length).toBe(1);
});

test("so does a module that python starts by its name", async () => {
	const hook = hookOf("python3 -m scripts.check --fast");
	const { requests, shown } = answering(false);
	writeFileSync(join(cwd, "scripts/check.py"), "pass\n");
	const scripts = new HookScripts({ hooks: [hook], cwd, isTrusted: () => true, requests });
	expect(await scripts.refusal(hook, signal)).toBeUndefined();
	writeFileSync(join(cwd, "scripts/check.py"), "planted\n");
	expect(await scripts.refusal(hook, signal)).toContain(
		"scripts/check.py has changed since the session began",
	);
	expect(shown.length).toBe(1);
});

test("a no holds for this state of the script, and where nobody can answer it does not run", async () => {
	const hook = hookOf("scripts/check.sh");
	const { requests, shown } = answering(false);
	const [asked, unasked] = [requests, undefined].map(
		(each) => new HookScripts({ hooks: [hook], cwd, isTrusted: () => true, requests: each }),
	);
	script("touch planted");
	for (let round = 0; round < 2; round++)
		expect(await asked?.refusal(hook, signal)).toBe("scripts/check.sh has changed since the session began");
	expect(shown.length).toBe(1);
	expect(await unasked?.refusal(hook, signal)).toContain("has changed");
	script("true");
	expect(await asked?.refusal(hook, signal)).toBeUndefined();
});

test("in a project that is not trusted, a hook of the user that names a script of it is asked about first", async () => {
	const hook = hookOf("scripts/check.sh");
	const { requests, shown } = answering(false);
	const scripts = new HookScripts({ hooks: [hook], cwd, isTrusted: () => false, requests });
	expect(await scripts.refusal(hook, signal)).toContain("of a project that you do not trust");
	expect(shown).toMatchObject([{ runs: [{ kind: "new" }] }]);
	expect(await scripts.refusal(hookOf("echo done >> log.txt"), signal)).toBeUndefined();
});

test("a file that the hook only writes is no script", async () => {
	const hook = hookOf("date >> log.txt");
	writeFileSync(join(cwd, "log.txt"), "");
	const scripts = new HookScripts({ hooks: [hook], cwd, isTrusted: () => true });
	writeFileSync(join(cwd, "log.txt"), "another line");
	expect(await scripts.refusal(hook, signal)).toBeUndefined();
});

test("a command that changes the script of a PreToolUse hook does not get rid of the hook", async () => {
	const change = "printf '#!/bin/sh\\ntouch planted\\n' > scripts/check.sh";
	await using fixture = await fixtureOf(
		{ PreToolUse: "scripts/check.sh" },
		[call("bash", { command: change }), call("bash", { command: "touch ran" }), "Ok."],
		{ env: { cwd, isTrusted: () => true } },
	);
	await fixture.session.prompt({ text: "go" });
	expect(fixture.results()[1]).toContain("scripts/check.sh has changed since the session began");
	const { stdout } = Bun.spawnSync(["ls", cwd]);
	expect(stdout.toString().split("\n")).not.toContainAnyValues(["planted", "ran"]);
});

test("the scripts that hooks name are those that commands in the sandbox must not change", () => {
	writeFileSync(join(cwd, "log.txt"), "");
	const hooks = [
		"scripts/check.sh --fix",
		'"$CLAUDE_PROJECT_DIR"/scripts/check.sh > log.txt',
		"npm test",
	].map(hookOf);
	expect(new HookSource(hooks, cwd).scripts(cwd)).toEqual([join(cwd, "scripts/check.sh")]);
});
