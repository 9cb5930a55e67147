/** Tau as the client of Tau: both ends of the protocol are ours, and both follow the rules of the other. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { launch, root } from "../support/launch.ts";
import { call, configure, lastResult, model } from "./configured.ts";
import { noBoundary } from "./served.ts";

const self = (args: readonly string[] = [], env: Record<string, string> = {}): object => ({
	command: join(root, "tau"),
	args: ["mcp", "serve", "--model", "played/played-1", ...args],
	env,
});

test("Tau calls the tools of another Tau, and has it run a session", async () => {
	await using tau = await launch({
		steps: [
			call("mcp_other_bash", { command: "echo $((6 * 7))" }),
			call("mcp_other_tau", { prompt: "say it" }),
			"Said.",
			"Done.",
		],
	});
	configure(tau, { other: self() });
	expect((await tau.run(["-p", ...model, "go"])).out).toBe("Done.\n");
	expect(lastResult(tau, 1)).toContain("42");
	expect(lastResult(tau, 3)).toContain("Said.");
});

test("a question of the other Tau is not answered by a model: where nobody is there, it is a no", async () => {
	await using tau = await launch({
		steps: [call("mcp_other_bash", { command: "node -e 'console.log(6 * 7)'" }), "Done."],
	});
	configure(tau, { other: self([], noBoundary) });
	expect((await tau.run(["-p", ...model, "go"])).out).toBe("Done.\n");
	expect(lastResult(tau, 1)).not.toContain("42");
	expect(lastResult(tau, 1)).toMatch(/approval|declined/);
});

test("a server that starts Tau, which starts the server, ends", async () => {
	const steps = [call("mcp_other_tau", { prompt: "deeper" })];
	await using tau = await launch({ steps, fallback: call("mcp_other_tau", { prompt: "deeper" }) });
	configure(tau, { other: self() });
	const { code } = await tau.run(["-p", ...model, "--max-turns", "3", "--max-time", "40s", "go"]);
	expect(code).not.toBe(0);
	expect(tau.played.requests.length).toBeLessThan(200);
});
