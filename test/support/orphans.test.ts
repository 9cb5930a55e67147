/** A test run that is killed leaves no program behind. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "./launch.ts";
import { isRunning } from "./processes.ts";

test("a killed test run ends the programs that its tests have started", async () => {
	const folder = await mkdtemp(join(tmpdir(), "tau-orphans-"));
	try {
		const pidFile = join(folder, "pid");
		const source = `import { test } from "bun:test";
			import { mkdirSync } from "node:fs";
			import { launch } from ${JSON.stringify(join(import.meta.dir, "launch.ts"))};
			test("waits", async () => {
				await using tau = await launch({ steps: [] });
				mkdirSync(tau.agentDir + "/extensions");
				await Bun.write(tau.agentDir + "/extensions/endless.ts", "export default () => { for (;;); };");
				const running = tau.start(["-p", "hi", "--model", "played/played-1"]);
				await Bun.write(${JSON.stringify(pidFile)}, String(running.process.pid));
				await running.finished;
			}, 60_000);`;
		const file = join(folder, "a.test.ts");
		await Bun.write(file, source);
		await using run = Bun.spawn([process.execPath, "test", file], {
			cwd: root,
			stdout: "ignore",
			stderr: "ignore",
			timeout: 60_000,
		});
		await until(async () => (await Bun.file(pidFile).exists()) && (await Bun.file(pidFile).text()) !== "");
		const pid = Number(await Bun.file(pidFile).text());
		expect(isRunning(pid)).toBe(true);
		run.kill("SIGKILL");
		await until(() => !isRunning(pid));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}, 60_000);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = performance.now() + 30_000;
	while (!(await condition())) {
		if (performance.now() > deadline) throw new Error("waited in vain");
		await Bun.sleep(10);
	}
}
