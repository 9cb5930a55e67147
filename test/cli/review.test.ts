/** `tau review` gives findings as data and an exit code for CI, and changes nothing. */
import { afterEach, beforeEach, expect } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { callOf } from "../support/extensions.ts";
import { launch, type Launched } from "../support/launch.ts";

const test = needs("git");

let tau: Launched;
const minor = { file: "a.ts", line: 2, severity: "minor", confidence: 0.5, reason: "A name is unclear." };
const critical = {
	file: "a.ts",
	line: 1,
	severity: "critical",
	confidence: 0.9,
	reason: "It divides by zero.",
	suggestion: "Check the divisor.",
};
const result = { verdict: "request_changes", summary: "One defect.", findings: [minor, critical] };
const submit = (value: unknown) => callOf("submit_result", { result: value });

async function open(...steps: Parameters<typeof launch>[0]["steps"]): Promise<void> {
	tau = await launch({ steps });
	writeFileSync(
		join(tau.home, ".gitconfig"),
		"[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n",
	);
	git("init", "-q");
	write("a.ts", "export const a = 1;\n");
	git("add", "-A");
	git("commit", "-qm", "first");
	write("a.ts", "export const a = 1 / 0;\n");
}

beforeEach(() => open(submit(result), "Done."));
afterEach(() => tau[Symbol.asyncDispose]());

function git(...args: string[]): void {
	const { stderr, exitCode } = Bun.spawnSync(["git", ...args], { cwd: tau.project, env: tau.env });
	if (exitCode !== 0) throw new Error(stderr.toString());
}

function write(path: string, text: string): void {
	writeFileSync(join(tau.project, path), text);
}

test("uncommitted changes are reviewed, and findings are sorted by weight", async () => {
	const { code, out } = await tau.run(["review", "--trust"]);
	expect(out).toBe(
		[
			"uncommitted changes: request changes",
			"",
			"One defect.",
			"",
			"a.ts:1 critical (90%)",
			"  It divides by zero.",
			"  Suggestion: Check the divisor.",
			"",
			"a.ts:2 minor (50%)",
			"  A name is unclear.",
			"",
		].join("\n"),
	);
	expect(code).toBe(1);
	expect(tau.played.requests[0]?.rawBody).toContain("+export const a = 1 / 0;");
});

test("findings are JSON for programs", async () => {
	const { code, out } = await tau.run(["review", "--json", "--trust"]);
	expect(JSON.parse(out)).toMatchObject({ verdict: "request_changes", findings: [critical, minor] });
	expect(code).toBe(1);
});

test("a commit that is fine exits with 0, and the reviewer cannot write", async () => {
	await tau[Symbol.asyncDispose]();
	const attempt = callOf("bash", { command: "echo x > made.txt" });
	await open(attempt, submit({ verdict: "approve", summary: "Fine.", findings: [] }), "Done.");
	const { code, out } = await tau.run(["review", "HEAD", "--trust"]);
	expect(out).toMatch(/^commit [0-9a-f]{10}: approve\n\nFine\.\n$/);
	expect(code).toBe(0);
	expect(existsSync(join(tau.project, "made.txt"))).toBe(false);
});

test("a pull request is read by gh", async () => {
	const bin = join(tau.home, "bin");
	mkdirSync(bin);
	writeFileSync(join(bin, "gh"), '#!/bin/sh\necho "+by $*"\n');
	chmodSync(join(bin, "gh"), 0o755);
	const { out } = await tau.run(["review", "#7", "--trust"], { env: { PATH: `${bin}:${process.env.PATH}` } });
	expect(out).toStartWith("pull request #7: request changes");
	expect(tau.played.requests[0]?.rawBody).toContain("+by pr diff 7");
});

test("in a project that is not trusted it names --trust, and runs no git", async () => {
	const env = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
	const { code, err } = await tau.run(["review"], { env });
	expect(code).toBe(2);
	expect(err).toContain("This project is not trusted: add --trust to allow it for this run.");
	expect(tau.played.requests).toHaveLength(0);
});

needs("bwrap", "nsenter")(
	"in the sandbox a review needs no trust: the reviewer runs git itself",
	async () => {
		await tau[Symbol.asyncDispose]();
		await open(callOf("bash", { command: "git diff HEAD" }), submit(result), "Done.");
		git("config", "diff.external", "touch ran #");
		const { code, out, err } = await tau.run(["review"], {
			env: { TAU_SANDBOX: "required", TAU_CONTAINER: "none" },
		});
		expect({ code, err, out: out.split("\n")[0] }).toEqual({
			code: 1,
			err: "",
			out: "uncommitted changes: request changes",
		});
		expect(tau.played.requests[0]?.rawBody).toContain("Run git yourself to see the change");
		expect(existsSync(join(tau.project, "ran"))).toBe(false);
	},
);

test("what cannot be reviewed is an error of its own", async () => {
	expect(await tau.run(["review", "nowhere", "--trust"])).toMatchObject({ code: 2 });
	expect((await tau.run(["review", "--trust", "--", "--output=x"])).err).toContain(
		"There is no branch or commit --output=x.",
	);
	git("checkout", "-q", "a.ts");
	expect((await tau.run(["review", "--trust"])).err).toContain("There are no uncommitted changes to review.");
	expect(tau.played.requests).toHaveLength(0);
});
