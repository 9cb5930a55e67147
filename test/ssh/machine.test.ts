/** `--machine ssh:host:/path`: a session works on another machine, and only there. */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "bun:test";

import type { Scenario } from "@tau/ai/testing";
import { onDispose } from "@tau/utils";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { testSshd, type TestSshd } from "../support/sshd.ts";

const model = ["--model", "played/played-1"];
const program = "/usr/sbin/sshd";
const overSsh = needs(program, "ssh");
let sshd: TestSshd;

beforeAll(async () => {
	if (existsSync(program)) sshd = await testSshd();
});
afterAll(async () => sshd?.[Symbol.asyncDispose]());

function call(name: string, args: Record<string, unknown>): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

/** Hosts come from a configuration of the test's own. */
function useConfig(tau: Launched): void {
	writeFileSync(join(tau.agentDir, "config.yml"), `ssh:\n  config: ${sshd.config}\n`);
}

const resultOf = (tau: Launched, request: number): string => JSON.stringify(tau.played.requests[request]);

overSsh("files, searches and commands of a session are those of the other machine", async () => {
	await using tau = await launch({
		steps: [
			call("write", { path: "src/a.ts", content: "export const one = 1;\n" }),
			call("edit", { path: "src/a.ts", edits: [{ oldText: "one", newText: "uno" }] }),
			call("read", { path: "src/a.ts" }),
			call("grep", { pattern: "uno" }),
			call("find", { pattern: "*.ts" }),
			call("ls", { path: "src" }),
			call("bash", { command: "cd src && X=kept && pwd" }),
			call("bash", { command: "echo $X in $PWD" }),
			"done",
			"more",
		],
	});
	useConfig(tau);
	// Hooks are programs of this machine, and run in the project here.
	const hooks = {
		PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "pwd >>~/hooked" }] }],
	};
	mkdirSync(join(tau.home, ".claude"));
	writeFileSync(join(tau.home, ".claude/settings.json"), JSON.stringify({ hooks }));
	const args = ["-p", "go", ...model, "--machine", `ssh:box:${sshd.work}`, "--auto-approve"];
	const { code, out, err } = await tau.run(args);
	expect({ code, out, err }).toEqual({ code: 0, out: "done\n", err: "" });
	expect(readFileSync(join(sshd.work, "src/a.ts"), "utf8")).toBe("export const uno = 1;\n");
	expect(existsSync(join(tau.project, "src"))).toBe(false);
	expect(readFileSync(join(tau.home, "hooked"), "utf8")).toBe(`${tau.project}\n${tau.project}\n`);
	expect(resultOf(tau, 0)).toContain(`${sshd.work} on box`);
	for (const [request, text] of [
		[3, "export const uno = 1;"],
		[4, "src/a.ts"],
		[5, "a.ts"],
		[6, "a.ts"],
		[7, `${sshd.work}/src`],
		[8, `kept in ${sshd.work}/src`],
	] as const)
		expect(resultOf(tau, request)).toContain(text);
	// Resumed without the machine, it says where it has worked.
	const resumed = await tau.run(["-p", "more", "-c", ...model]);
	expect(resumed.err).toContain(`Until now this session has worked on ssh:box:${sshd.work}.`);
	// No temporary file is left beside the changed ones.
	expect(readdirSync(join(sshd.work, "src"))).toEqual(["a.ts"]);
});

overSsh("a machine that cannot be reached runs nothing anywhere", async () => {
	await using tau = await launch({ steps: [call("bash", { command: "touch ran" }), "done"] });
	useConfig(tau);
	const { code, err } = await tau.run(["-p", "go", ...model, "--machine", "ssh:box:/no/such/directory"]);
	expect(code).toBe(2);
	expect(err).toContain("There is no directory /no/such/directory on box.");
	expect([existsSync(join(tau.project, "ran")), tau.played.requests.length]).toEqual([false, 0]);
});

overSsh("a link there that leads out of the project is asked about", async () => {
	// Not below a directory for temporary files, which may be written to.
	const outside = mkdtempSync(join(homedir(), ".tau-outside-"));
	using _ = onDispose(() => rmSync(outside, { recursive: true, force: true }));
	const inside = join(sshd.work, "linked");
	mkdirSync(inside);
	symlinkSync(outside, join(inside, "out"));
	await using tau = await launch({
		steps: [
			call("write", { path: "out/a.txt", content: "a" }),
			call("write", { path: "b.txt", content: "b" }),
			"done",
		],
	});
	useConfig(tau);
	const machine = ["--machine", `ssh:box:${inside}`];
	const asked = await tau.run(["-p", "go", ...model, ...machine, "--approval-mode", "auto"]);
	expect(asked.err).toContain("outside the project");
	expect([readdirSync(outside), existsSync(join(inside, "b.txt"))]).toEqual([[], true]);
});
