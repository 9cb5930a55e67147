/** The watcher alone, on a system whose processes have no readable mark; test/cli/killed.test.ts has the rest. */
import { expect, test } from "bun:test";

import { alive, until } from "./testing/shell-fixture.ts";
import script from "./watcher.sh" with { type: "text" };

test("ends the groups that are listed when its input ends, and no others", async () => {
	const start = () => Bun.spawn(["sh", "-c", "trap '' TERM; sleep 100; sleep 100"], { detached: true });
	const [first, second, dropped] = [start(), start(), start()];
	const watcher = Bun.spawn(["sh", "-c", script, "tau-watcher", `no-such-mark-${crypto.randomUUID()}`, "x"], {
		stdin: "pipe",
	});
	try {
		const lines = [`+ ${first.pid}`, `+ ${dropped.pid}`, `+ ${second.pid}`, `- ${dropped.pid}`, "- 999999"];
		watcher.stdin.write(`${lines.join("\n")}\n`);
		await watcher.stdin.flush();
		expect(alive([first.pid, second.pid])).toHaveLength(2);
		watcher.stdin.end();
		await watcher.exited;
		await until("the groups are gone", () => alive([first.pid, second.pid]).length === 0);
		expect(alive([dropped.pid])).toEqual([dropped.pid]);
	} finally {
		process.kill(-dropped.pid, "SIGKILL");
	}
});
