/** A test run that is killed leaves no program behind. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "./launch.ts";
import { isRunning } from "./processes.ts";

/** Runs a test file with this body, which writes the ids of processes, and kills it then, or lets it end. Returns the ids. */
async function endedRun(how: "killed" | "by itself", body: string): Promise<number[]> {
	const folder = await mkdtemp(join(tmpdir(), "tau-orphans-"));
	try {
		const pidFile = join(folder, "pids");
		const source = `import { test } from "bun:test";
			import { mkdirSync } from "node:fs";
			import { launch } from ${JSON.stringify(join(import.meta.dir, "launch.ts"))};
			const note = (pids) => Bun.write(${JSON.stringify(pidFile)}, pids.join(" ") + "\\n");
			test("waits", async () => {
				await using tau = await launch({ steps: ["Hello."] });
				${body}
			}, 60_000);`;
		const file = join(folder, "a.test.ts");
		await Bun.write(file, source);
		await using run = Bun.spawn([process.execPath, "test", file], {
			cwd: root,
			stdout: "ignore",
			stderr: "ignore",
			timeout: 60_000,
		});
		const written = async (): Promise<string> =>
			(await Bun.file(pidFile).exists()) ? await Bun.file(pidFile).text() : "";
		await until(async () => (await written()).endsWith("\n"));
		const pids = (await written()).trim().split(" ").map(Number);
		if (how === "killed") {
			expect(pids.map(isRunning)).toEqual(pids.map(() => true));
			run.kill("SIGKILL");
		} else expect(await run.exited).toBe(0);
		return pids;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

test("a killed test run ends the programs that its tests have started", async () => {
	const pids = await endedRun(
		"killed",
		`mkdirSync(tau.agentDir + "/extensions");
		await Bun.write(tau.agentDir + "/extensions/endless.ts", "export default () => { for (;;); };");
		const running = tau.start(["-p", "hi", "--model", "played/played-1"]);
		await note([running.process.pid]);
		await running.finished;`,
	);
	await until(() => !pids.some(isRunning));
});

test.each(["killed", "by itself"] as const)(
	"regression: a test run that ends (%s) ends the daemon and the sessions that its tests have left running",
	async (how) => {
		const pids = await endedRun(
			how,
			`await tau.run(["--model", "played/played-1", "--detach", "hello"]);
			const rows = async (...args) => (await tau.run([...args, "--json"])).out.trim().split("\\n").map((line) => JSON.parse(line));
			const [daemon] = await rows("daemon", "status");
			const [session] = await rows("ps");
			await note([daemon.pid, session.pid]);
			if (${how === "killed"}) await new Promise(() => {});`,
		);
		expect(pids).toHaveLength(2);
		await until(() => !pids.some(isRunning));
	},
	180_000,
);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!(await condition())) {
		if (performance.now() > deadline) throw new Error("waited in vain");
		await Bun.sleep(10);
	}
}
