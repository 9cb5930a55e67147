/** The tool `ssh`: single commands on configured hosts, never unasked, ended with the session. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "bun:test";

import type { Scenario } from "@tau/ai/testing";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { testSshd, type TestSshd } from "../support/sshd.ts";

const model = ["--model", "played/played-1"];
const sshd = "/usr/sbin/sshd";
const overSsh = needs(sshd, "ssh");
let server: TestSshd;

beforeAll(async () => {
	if (existsSync(sshd)) server = await testSshd();
});
afterAll(async () => server?.[Symbol.asyncDispose]());

function ssh(args: Record<string, unknown>): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name: "ssh", arguments: args } }] } };
}

function useConfig(tau: Launched): void {
	writeFileSync(join(tau.agentDir, "config.yml"), `ssh:\n  config: ${server.config}\n`);
	const hosts = { web: { host: "box", description: "the web server" } };
	writeFileSync(join(tau.agentDir, "ssh.json"), JSON.stringify({ hosts }));
}

const resultOf = (tau: Launched, request: number): string => JSON.stringify(tau.played.requests[request]);

overSsh("commands run on hosts of ssh.json and of OpenSSH's configuration, and on no others", async () => {
	const file = join(server.work, "made");
	await using tau = await launch({
		steps: [
			ssh({}),
			ssh({ host: "web", command: `cd ${server.work} && X=kept && touch made` }),
			ssh({ host: "web", command: "echo $X in $PWD" }),
			ssh({ host: "box", command: "pwd", cwd: server.work }),
			ssh({ host: "127.0.0.1", command: "touch other" }),
			ssh({ host: "box", command: "sleep 60", timeout: 1 }),
			ssh({ host: "box", command: "exit 7" }),
			"done",
		],
	});
	useConfig(tau);
	const { code, out, err } = await tau.run(["-p", "go", ...model, "--auto-approve"]);
	expect({ code, out, err }).toEqual({ code: 0, out: "done\n", err: "" });
	expect(existsSync(file)).toBe(true);
	for (const [request, text] of [
		[1, "web: the web server\\nbox"],
		[3, `kept in ${server.work}`],
		[4, server.work],
		[5, "is not a configured host"],
		[6, "timed out after 1 s"],
		[7, "exited with code 7"],
	] as const)
		expect(resultOf(tau, request)).toContain(text);
});

overSsh(
	"a command on a host is not run where nobody can be asked, and a project's hosts need its trust",
	async () => {
		await using tau = await launch({
			steps: [ssh({ host: "box", command: `touch ${server.work}/unasked` }), ssh({}), "done"],
		});
		useConfig(tau);
		writeFileSync(
			join(tau.project, "ssh.json"),
			JSON.stringify({ hosts: { evil: { host: "evil.example" } } }),
		);
		const { code, err } = await tau.run(["-p", "go", ...model]);
		expect(code).toBe(0);
		expect(err).toContain("it runs on box");
		expect(existsSync(join(server.work, "unasked"))).toBe(false);
		expect(resultOf(tau, 2)).not.toContain("evil");
		expect(readFileSync(server.knownHosts, "utf8")).not.toContain("evil");
	},
);
