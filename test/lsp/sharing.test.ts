/** Two programs in one project use one language server, and neither depends on the other to live or to answer. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { scripted } from "../support/lsp/scripted.ts";

const model = ["--model", "played/played-1"];
const hover = { toolCall: { name: "lsp", arguments: { action: "hover", path: "a.tst", line: 1 } } };
const asks = { answer: { blocks: [hover] } };
/** The model says nothing, and the run stays. */
const stays = { fault: { silent: true } } as const;
/** The model waits for a file that the test creates. */
const command = "until [ -e goes-on ]; do sleep 0.05; done";
const waits = { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } };
const answered = "It knows nothing more.";

interface Shared {
	tau: Launched;
	pids(): number[];
}

function configure(tau: Launched): Shared {
	const pids = join(tau.project, "pids");
	const config = { lsp: { servers: scripted(`pids=${pids}`, "pull") } };
	writeFileSync(join(tau.agentDir, "config.yml"), JSON.stringify(config));
	writeFileSync(join(tau.project, "a.tst"), "one\n");
	const read = (): number[] =>
		existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : [];
	return { tau, pids: read };
}

async function until(isTrue: () => boolean): Promise<void> {
	const end = Date.now() + 60_000;
	while (!isTrue()) {
		if (Date.now() > end) throw new Error("it did not happen");
		await Bun.sleep(20);
	}
}

test("a second Tau uses the server of the first, and starts its own when that is killed", async () => {
	await using launched = await launch({ steps: [asks, stays, asks, waits, asks, "Done."] });
	const { tau, pids } = configure(launched);
	const first = tau.start(["-p", "go", ...model]);
	await until(() => tau.played.requests.length === 2);
	const second = tau.start(["-p", "go", ...model]);
	await until(() => tau.played.requests.length === 4);
	expect(tau.played.requests[3]?.rawBody).toContain(answered);
	expect(pids()).toHaveLength(1);
	first.process.kill("SIGKILL");
	await first.finished;
	writeFileSync(join(tau.project, "goes-on"), "");
	await second.finished;
	expect(tau.played.requests.at(-1)?.rawBody.split(answered)).toHaveLength(3);
	expect(pids()).toHaveLength(2);
});

test("a Tau that the user suspends holds up no other, not even one that uses its server", async () => {
	await using launched = await launch({ steps: [asks, stays, asks, waits, asks, "Done."] });
	const { tau, pids } = configure(launched);
	const first = tau.start(["-p", "go", ...model]);
	await until(() => tau.played.requests.length === 2);
	const second = tau.start(["-p", "go", ...model]);
	await until(() => tau.played.requests.length === 4);
	expect(pids()).toHaveLength(1);
	first.process.kill("SIGSTOP");
	try {
		writeFileSync(join(tau.project, "goes-on"), "");
		expect(await second.finished).toMatchObject({ code: 0, out: "Done.\n" });
		expect(tau.played.requests.at(-1)?.rawBody.split(answered)).toHaveLength(3);
		expect(pids()).toHaveLength(2);
	} finally {
		first.process.kill("SIGKILL");
		await first.finished;
	}
});

needs("bwrap")(
	"sessions share a server inside the sandbox, if their sandboxes are alike",
	async () => {
		await using launched = await launch({ steps: [asks, stays, asks, stays, asks, "Done.", asks, "Done."] });
		const { tau, pids } = configure(launched);
		const env = { TAU_CONTAINER: "none", TAU_SANDBOX: "required" };
		const others = [tau.start(["-p", "go", ...model], { env })];
		await until(() => tau.played.requests.length === 2);
		others.push(tau.start(["-p", "go", ...model], { env }));
		await until(() => tau.played.requests.length === 4);
		expect(tau.played.requests[3]?.rawBody).toContain(answered);
		expect(pids()).toHaveLength(1);
		// Another one may write more, and one is not contained at all.
		writeFileSync(join(tau.project, "more.yml"), JSON.stringify({ sandbox: { writable: [tau.home] } }));
		await tau.run(["-p", "go", "--config", "more.yml", ...model], { env });
		await tau.run(["-p", "go", ...model]);
		expect(pids()).toHaveLength(3);
		for (const other of others) {
			other.process.kill("SIGKILL");
			await other.finished;
		}
	},
	180_000,
);
