/** `/review` at the real program: the findings are a list with their lines, which leads to the place. */
import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { callOf } from "../support/extensions.ts";
import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const test = needs("git");

const ctrlA = "\x01";
const ctrlF = "\x06";
const finding = { file: "a.ts", severity: "major", confidence: 0.9, reason: "It divides by zero." };
const result = {
	verdict: "request_changes",
	summary: "Two defects.",
	findings: [
		{ ...finding, line: 3, suggestion: "Check the divisor." },
		{ ...finding, line: 1, severity: "nit", reason: "A name is unclear." },
	],
};

test("in a project that is not trusted, /diff, /review and /commit ask in place", async () => {
	await using home = await launch({ steps: [callOf("submit_result", { result }), "Done."] });
	const git = (...args: string[]): number =>
		Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: home.project })
			.exitCode;
	expect(git("init", "-q") + git("commit", "-q", "--allow-empty", "-m", "first")).toBe(0);
	writeFileSync(join(home.project, "a.ts"), "const zero = 0;\n\nexport const a = 1 / zero;\n");
	const env = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
	await using tau = await openTau({ steps: [] }, { home, env });
	await tau.until("played-1");

	tau.type("/diff\r");
	await tau.until("/diff runs git in");
	tau.type("3");
	await tau.until("No changes in this session.");
	// A no is not asked for twice where the command works without git.
	tau.type("/diff\r");
	await tau.until(/No changes in this session\.[^]*No changes in this session\./);

	tau.type("/commit\r");
	await tau.until("/commit runs git in");
	tau.press("escape");
	await tau.until("Nothing was committed.");

	tau.type("/review\r");
	await tau.until("❯ 1. Yes, run git for this command");
	tau.press("enter");
	await tau.until("── Findings (2)");
	tau.press("escape");
	await tau.untilGone("── Findings");

	// A yes for one command is none for the project.
	tau.type("/commit\r");
	await tau.until("2. Yes, trust this project");
	tau.type("2");
	await tau.untilFiles(() => existsSync(join(home.agentDir, "trust.json")));
});

test("a finding shows its lines, opens the editor there, and goes into the prompt", async () => {
	await using home = await launch({ steps: [callOf("submit_result", { result }), "Done."] });
	const git = (...args: string[]): void =>
		expect(
			Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: home.project })
				.exitCode,
		).toBe(0);
	git("init", "-q");
	git("commit", "-q", "--allow-empty", "-m", "first");
	const file = join(home.project, "a.ts");
	writeFileSync(file, "const zero = 0;\n\nexport const a = 1 / zero;\n");
	const seen = join(home.home, "seen");
	const editor = join(home.home, "vim");
	writeFileSync(editor, `#!/bin/sh\necho "$@" > ${seen}\n`, { mode: 0o755 });
	await using tau = await openTau({ steps: [] }, { home, args: ["--trust"], env: { VISUAL: editor } });
	await tau.until("played-1");
	tau.type("/review\r");
	await tau.until("── Findings (2)");
	await tau.until(/a\.ts:3 .*major +90%/);
	await tau.until("3 export const a = 1 / zero;");
	await tau.until("Suggestion: Check the divisor.");
	tau.press("enter");
	await tau.untilFiles(() => existsSync(seen) && readFileSync(seen, "utf8").endsWith("\n"));
	expect(readFileSync(seen, "utf8")).toBe(`+3 ${file}\n`);
	// The list is still there.
	await tau.until("── Findings (2)");
	tau.press("down");
	await tau.until("A name is unclear.");
	tau.type(ctrlF);
	await tau.untilDraft("@a.ts:1-6 Fix this: A name is unclear.");
	// The list is there again, and all of it goes into one prompt.
	tau.press("ctrlC");
	tau.type("/review findings\r");
	await tau.until("── Findings (2)");
	tau.type(ctrlA);
	await tau.untilDraft(
		"Fix these:\n- @a.ts:1-8 It divides by zero. (Check the divisor.)\n- @a.ts:1-6 A name is unclear.",
	);
});

test("the editor stays usable while a review runs, which can be stopped, and findings do not take the keys of a typist", async () => {
	const slow = callOf("bash", { command: "until [ -e go ]; do sleep 0.05; done" });
	await using home = await launch({ steps: [slow, slow, callOf("submit_result", { result }), "Done."] });
	const git = (...args: string[]): number =>
		Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: home.project })
			.exitCode;
	expect(git("init", "-q") + git("commit", "-q", "--allow-empty", "-m", "first")).toBe(0);
	writeFileSync(join(home.project, "a.ts"), "const zero = 0;\n\nexport const a = 1 / zero;\n");
	const settings = "tools:\n  approvalMode: full\n";
	await using tau = await openTau({ steps: [] }, { home, settings, args: ["--trust"], cols: 120 });
	await tau.until("played-1");
	tau.type("/review\r");
	await tau.until(/Reviewing 1 file \d+s/);
	tau.type("/review\r");
	await tau.until("A review runs already.");
	tau.type("/review stop\r");
	await tau.until("The review was stopped.");
	await tau.untilGone(/Reviewing 1 file/);
	tau.type("/review\r");
	await tau.until(/Reviewing 1 file/);
	tau.type("half a thought");
	await tau.untilDraft("half a thought");
	writeFileSync(join(home.project, "go"), "");
	await tau.until("/review findings opens the list.");
	expect(tau.screen()).toContain("half a thought");
});

test("tau commit asks for trust in a terminal, and a no runs no git", async () => {
	await using home = await launch({ steps: ["Add a constant"] });
	expect(Bun.spawnSync(["git", "init", "-q"], { cwd: home.project }).exitCode).toBe(0);
	writeFileSync(join(home.project, "a.ts"), "export const a = 1;\n");
	for (const [answer, shown, code] of [
		["n", "Git was not run: the project is not trusted.", 1],
		["y", "Add a constant", 0],
	] as const) {
		await using tau = await openTau({ steps: [] }, { home, args: ["commit", "--dry-run"] });
		await tau.until("Trust this project for this run? [y/N]");
		tau.type(`${answer}\r`);
		expect(await tau.exited).toBe(code);
		expect(tau.screen()).toContain(shown);
	}
	expect(existsSync(join(home.agentDir, "trust.json"))).toBe(false);
});
