/** Plans, commits, reviews and goals at the real program. */
import { expect } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { needs } from "../support/needs.ts";
import { openTau, type OpenTau } from "./driver.ts";

const test = needs("git");

function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

function git(tau: OpenTau, ...args: string[]): string {
	const identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
	const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...identity, ...args], {
		cwd: tau.home.project,
	});
	if (exitCode !== 0) throw new Error(stderr.toString());
	return stdout.toString().trim();
}

async function inRepository(steps: (Step | string)[]): Promise<OpenTau> {
	const tau = await openTau({ steps }, { args: ["--trust"] });
	await tau.until("played-1");
	git(tau, "init", "-q");
	git(tau, "config", "user.name", "t");
	git(tau, "config", "user.email", "t@t");
	writeFileSync(join(tau.home.project, "a.ts"), "export const a = 1;\n");
	return tau;
}

test("/plan: a plan is approved, and its steps are the todo list", async () => {
	const plan = call("submit_plan", {
		plan: "# The file\n\nWrite **one** file.",
		steps: ["write made.txt", "test it"],
	});
	const steps = [call("write", { path: "made.txt", content: "x" }), plan, plan, "Working on it."];
	await using tau = await openTau({ steps });
	await tau.until("played-1");
	tau.type("/plan write the file\r");
	// The mode that follows is that from before.
	await tau.until(/Start implementing this plan\? \(mode: (?:auto|ask)\)/);
	expect(tau.screen()).toContain("Write one file.");
	expect(existsSync(join(tau.home.project, "made.txt"))).toBe(false);
	tau.type("4");
	await tau.until("What should change in the plan?");
	tau.type("Name it\r");
	await tau.until("1. Approve");
	expect(tau.home.played.requests[2]?.rawBody).toContain("The user sent the plan back: Name it");
	tau.press("enter");
	await tau.until("Working on it.");
	await tau.until("write made.txt");
	expect(tau.home.played.requests[3]?.rawBody).toContain("The user approved the plan");
	// The plan stays, and is not shown as Markdown source.
	expect(tau.scrollback()).toMatch(/submit_plan, 2 steps[^]*The file[^]*Write one file\.[^]*Working on it\./);
});

test("/commit: the preview is shown, and what it shows is committed", async () => {
	await using tau = await inRepository(["Add a constant"]);
	tau.type("/commit\r");
	await tau.until("Commit this?");
	await tau.until("a.ts +1 -0");
	tau.press("enter");
	await tau.until("Committed:");
	expect(git(tau, "log", "--format=%s")).toBe("Add a constant");
});

test("options of the command line work in slash commands, and unknown ones are refused", async () => {
	const split = {
		commits: [
			{ message: "Add a", hunks: [1] },
			{ message: "Add b", hunks: [2] },
		],
	};
	await using tau = await inRepository([JSON.stringify(split), "no commits, just prose"]);
	writeFileSync(join(tau.home.project, "b.ts"), "export const b = 1;\n");
	tau.type("/commit two parts --split --dry-run\r");
	await tau.until(/2 commits[^]*Add a[^]*Add b/);
	expect(tau.home.played.requests[0]?.rawBody).toContain("The author says:\\ntwo parts\\n");
	expect(git(tau, "status", "--porcelain")).toBe("?? a.ts\n?? b.ts");
	tau.type("/commit --splt\r");
	await tau.until("Unknown option --splt. Did you mean --split?");
	tau.type("/commit --split\r");
	await tau.until("Nothing was split: this is one commit.");
	await tau.until("Commit this?");
	tau.press("escape");
	await tau.until("Nothing was committed.");
	tau.type("/thinking --nonsense\r");
	await tau.until(/Unknown option --nonsense\. (?:Did you mean|Usage: \/thinking)/);
	tau.type("/mode --ask\r");
	await tau.until("· ask");
	expect(tau.home.played.requests).toHaveLength(2);
});

test("/commit: Escape stops it, and nothing is committed", async () => {
	await using tau = await inRepository([{ fault: { silent: true } }]);
	tau.type("/commit\r");
	await tau.until("Writing the commit message");
	tau.press("escape");
	await tau.until("Nothing was committed.");
	expect(git(tau, "status", "--porcelain")).toBe("?? a.ts");
});

test("/goal: the model continues until the command passes", async () => {
	await using tau = await openTau({ steps: ["Done.", call("bash", { command: "touch made" }), "Really."] });
	await tau.until("played-1");
	tau.type("/goal test -e made\r");
	await tau.until("Checked after each turn.");
	await tau.until("goal 0/10");
	tau.type("make it\r");
	await tau.until("Goal reached: `test -e made` passes.");
	await tau.untilGone(/goal \d\/10/);
	expect(tau.home.played.requests).toHaveLength(3);
});
