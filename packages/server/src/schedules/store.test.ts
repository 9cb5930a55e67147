/** Schedules that several processes share. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

test("of several daemons that find the same schedule due, one runs it", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-schedules-"));
	try {
		const store = join(import.meta.dir, "store.ts");
		const env = { ...process.env, HOME: home, TAU_CODING_AGENT_DIR: join(home, "agent") };
		const run = async (code: string): Promise<string> => {
			const source = `import * as store from ${JSON.stringify(store)};${code}`;
			const child = Bun.spawn([process.execPath, "-e", source], { env, stdout: "pipe", stderr: "inherit" });
			return await new Response(child.stdout).text();
		};
		await run(`store.addSchedule({ when: "every 2h", prompt: "x", cwd: "/", argv: [] }); store.wantRun(1);`);
		const claim = `console.log(store.claimRun(1, Date.now()) ? "mine" : "theirs");`;
		const claimed = await Promise.all(Array.from({ length: 5 }, () => run(claim)));
		expect(claimed.filter((word) => word === "mine\n")).toHaveLength(1);
		expect(await run(`console.log(store.readSchedules()[0].runs.length);`)).toBe("1\n");
	} finally {
		rmSync(home, { recursive: true });
	}
});
