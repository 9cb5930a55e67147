/** Faults of servers over HTTP, floods over time, and what is left of a server when Tau ends, however it ends. */
// takes 36 s
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { samples } from "../support/depth.ts";
import { launch, root, type Launched } from "../support/launch.ts";
import {
	bun,
	call,
	configure,
	faulty,
	hugeMb,
	isRunning,
	lastResult,
	model,
	pidIn,
	plain,
	until,
} from "./configured.ts";

const faultServer = join(root, "test/support/mcp/fault-server.ts");

interface Address extends AsyncDisposable {
	url: string;
}

async function overHttp(tau: Launched, faults: readonly string[]): Promise<Address> {
	const env = { ...tau.env, FLOOD: String(samples(100_000)), HUGE_MB: hugeMb };
	const server = Bun.spawn([bun, faultServer, "--http", ...faults], { env, stdout: "pipe" });
	const { value } = await server.stdout.getReader().read();
	return {
		url: new TextDecoder().decode(value).trim(),
		async [Symbol.asyncDispose]() {
			server.kill("SIGKILL");
			await server.exited;
		},
	};
}

/** What the model reads of a call of `echo`, by the fault of its server. */
const answers: [fault: string, result: RegExp][] = [
	["slow-drip", /echo: hi/],
	["flood", /echo: hi/],
	["error-result", /MCP error: bad: /],
	["bad-result", /MCP error: bad: /],
	["http-500", /MCP error: bad: /],
	["http-html", /not available|MCP error|no tool|unknown/i],
	["close-stream", /MCP error: bad: .*ended the connection before it answered/],
	["silent-call", /timed out/],
	["huge-result", /MCP error: bad: /],
];

describe("over HTTP", () => {
	test.each(answers)(
		"%s: the call ends, and another server is called after it",
		async (fault, result) => {
			await using tau = await launch({
				steps: [call("mcp_bad_echo", { text: "hi" }), call("mcp_good_echo", { text: "after" }), "Done."],
			});
			await using server = await overHttp(tau, [fault]);
			// On a busy machine a flood leaves little time for the call.
			const timeout = fault === "silent-call" ? 2_000 : 100_000;
			configure(tau, { bad: { type: "http", url: server.url, timeout }, good: plain() });
			const { code, out } = await tau.run(["-p", ...model, "go"]);
			expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
			expect(lastResult(tau, 1)).toMatch(result);
			expect(lastResult(tau, 1)).not.toContain("\\u001b");
			expect(lastResult(tau, 2)).toContain("echo: after");
		},
		240_000,
	);
});

test("a tool that a server has just added is called by its exact name", async () => {
	await using tau = await launch({
		steps: [call("mcp_bad_echo", { text: "hi" }), call("mcp_bad_new_1", { text: "new" }), "Done."],
	});
	configure(tau, { bad: faulty(["changing-tools"]) });
	expect((await tau.run(["-p", ...model, "go"])).out).toBe("Done.\n");
	expect(lastResult(tau, 2)).toContain("new_1: new");
});

describe("no process of a server outlives Tau", () => {
	const kinds = [[[]], [["stubborn"]], [["child"]], [["stubborn", "child"]], [["silent"]]];

	test.each(kinds)(
		"after a run, with %j",
		async (faults: string[]) => {
			await using tau = await launch({ steps: [call("mcp_x_echo", { text: "hi" }), "Done."] });
			const [pid, child] = [join(tau.home, "pid"), join(tau.home, "child")];
			const env = { PID_FILE: pid, CHILD_PID_FILE: child };
			configure(tau, { x: faulty(faults, env, { startTimeout: 1000 }) });
			expect((await tau.run(["-p", ...model, "go"])).out).toBe("Done.\n");
			expect(isRunning(pidIn(pid))).toBe(false);
			if (faults.includes("child")) expect(isRunning(pidIn(child))).toBe(false);
		},
		180_000,
	);

	test.each(kinds)(
		"after kill -9, with %j",
		async (faults: string[]) => {
			await using tau = await launch({ steps: [call("mcp_x_echo", { text: "hi" }), "Done."] });
			const [pid, child] = [join(tau.home, "pid"), join(tau.home, "child")];
			configure(tau, { x: faulty([...faults, "silent-call"], { PID_FILE: pid, CHILD_PID_FILE: child }) });
			const running = tau.start(["-p", ...model, "go"]);
			await until("the server runs", () => pidIn(pid) > 0 && (!faults.includes("child") || pidIn(child) > 0));
			running.process.kill("SIGKILL");
			await running.finished;
			await until("the server ends", () => !isRunning(pidIn(pid)));
			if (faults.includes("child")) await until("its child ends", () => !isRunning(pidIn(child)));
		},
		180_000,
	);
});

const floods = [["flood"], ["flood-list-changed"], ["stderr-flood"], ["garbage-flood"]];

test.each(floods)(
	"a %s does not fill the memory of Tau",
	async (fault) => {
		await using tau = await launch({
			steps: [
				call("mcp_x_echo", { text: "hi" }),
				call("bash", { command: `sleep ${samples(4, 1)}` }),
				"Done.",
			],
		});
		configure(tau, { x: faulty([fault]) });
		const running = tau.start(["-p", ...model, "go"]);
		let most = 0;
		const sampling = setInterval(() => {
			most = Math.max(most, residentOf(running.process.pid));
		}, 50);
		try {
			expect((await running.finished).out).toBe("Done.\n");
		} finally {
			clearInterval(sampling);
		}
		// Without a server it is about 100 MB; what grows with the flood would be far beyond.
		expect(most).toBeLessThan(300);
	},
	180_000,
);

/** In megabytes; 0 when it has ended. */
function residentOf(pid: number): number {
	try {
		return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
	} catch {
		return 0;
	}
}
