/** A session on another machine survives a lost connection, takes changes back, and leaves nothing behind. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "bun:test";

import type { Scenario } from "@tau/ai/testing";

import { startRpc, type Frame, type RpcProcess } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { testSshd, type TestSshd } from "../support/sshd.ts";

const program = "/usr/sbin/sshd";
const overSsh = needs(program, "ssh");
const waitMs = 60_000;
let sshd: TestSshd;

beforeAll(async () => {
	if (existsSync(program)) sshd = await testSshd();
});
afterAll(async () => sshd?.[Symbol.asyncDispose]());

function call(name: string, args: Record<string, unknown>): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

function startThere(tau: Launched): RpcProcess {
	writeFileSync(join(tau.agentDir, "config.yml"), `ssh:\n  config: ${sshd.config}\n`);
	const machine = ["--machine", `ssh:box:${sshd.work}`, "--auto-approve"];
	return startRpc(tau, ["--model", "played/played-1", ...machine]);
}

async function data(rpc: RpcProcess, command: object): Promise<Record<string, unknown>> {
	const response = await rpc.ask(command);
	expect(response).toMatchObject({ success: true });
	return (response as Frame & { data: Record<string, unknown> }).data;
}

async function until(condition: () => boolean): Promise<void> {
	for (let waited = 0; !condition(); waited += 20) {
		if (waited > waitMs) throw new Error("it never happened");
		await Bun.sleep(20);
	}
}

const at = (name: string): string => join(sshd.work, name);
const text = (name: string): string => readFileSync(at(name), "utf8");

overSsh(
	"changes are rewound there; a command and a job outlive the connection; a killed Tau leaves no ssh",
	async () => {
		const waits = (name: string, then: string): string =>
			`touch ${name}; while [ ! -e go ]; do sleep 0.05; done; ${then}`;
		await using tau = await launch({
			steps: [
				call("write", { path: "a.txt", content: "by the model\n" }),
				call("write", { path: "new/b.txt", content: "new\n" }),
				"Done.",
				call("bash", { command: waits("job-runs", "echo the job ended | tee job-out"), async: true }),
				call("bash", { command: `echo before; ${waits("runs", "echo after")}` }),
				call("bash", { command: "echo next" }),
				"Again.",
			],
			fallback: "Noted.",
		});
		writeFileSync(at("a.txt"), "mine\n");
		await using rpc = startThere(tau);
		await data(rpc, { type: "prompt", message: "one" });
		await rpc.until(({ type }) => type === "agent_end");
		expect([text("a.txt"), text("new/b.txt")]).toEqual(["by the model\n", "new\n"]);
		const { points } = (await data(rpc, { type: "get_rewind_points" })) as { points: Frame[] };
		expect(points).toMatchObject([{ files: 2, shown: ["new/b.txt", "a.txt"] }]);
		const entryId = points[0]?.entryId;
		const preview = await data(rpc, { type: "preview_rewind", entryId, diff: true });
		expect(JSON.stringify(preview)).toContain("+mine");
		expect(await data(rpc, { type: "rewind", entryId, restore: "files" })).toMatchObject({
			files: { skipped: [], failed: [] },
		});
		expect([text("a.txt"), existsSync(at("new/b.txt"))]).toEqual(["mine\n", false]);
		expect(await data(rpc, { type: "redo_rewind" })).toMatchObject({ skipped: [], failed: [] });
		expect([text("a.txt"), text("new/b.txt")]).toEqual(["by the model\n", "new\n"]);

		const after = rpc.frames.length;
		await data(rpc, { type: "prompt", message: "two" });
		await until(() => existsSync(at("job-runs")) && existsSync(at("runs")));
		sshd.dropConnections();
		await rpc.running.until(({ err }) => err.includes("The connection to box was lost"));
		writeFileSync(at("go"), "");
		await rpc.until(({ type }) => type === "agent_end", after);
		await until(() => JSON.stringify(tau.played.requests).includes("job 1 finished"));
		const requests = tau.played.requests.map((request) => JSON.stringify(request));
		expect(requests.some((request) => request.includes("before\\\\nafter"))).toBe(true);
		expect(requests.some((request) => request.includes("next"))).toBe(true);
		expect(text("job-out")).toBe("the job ended\n");

		const socketsOf = (): string[] =>
			readdirSync("/proc").filter((pid) => {
				try {
					return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(sshd.config);
				} catch {
					return false;
				}
			});
		expect(socketsOf().length).toBeGreaterThan(0);
		rpc.running.process.kill("SIGKILL");
		await until(() => socketsOf().length === 0);
	},
	2 * waitMs,
);
