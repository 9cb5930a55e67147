/** What extensions print reaches neither the screen nor standard output. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "../interactive/driver.ts";
import { model, talk } from "../rpc/talk.ts";
import { launch, type Launched } from "../support/launch.ts";

function noisy(tau: Launched): string {
	const file = join(tau.home, "noisy.ts");
	writeFileSync(
		file,
		`console.log("while loading");
		export default (pi) => pi.on("session_start", () => {
			console.error("an \\x1b[31merror");
			console.table([{ a: 1 }]);
			process.stdout.write("written\\n");
		});`,
	);
	return file;
}

test("a program that speaks RPC gets frames alone; the rest is on standard error", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = talk(tau, [...model, "-e", noisy(tau)]);
	expect(await rpc.ask({ type: "get_state" })).toMatchObject({ success: true });
	const { err } = rpc.running.output();
	expect(err).toContain("while loading\nan error\n");
	expect(err).toContain("written\n");
});

test("the answer of print mode is all that is on standard output", async () => {
	await using tau = await launch({ steps: ["Hi."] });
	const { out, err } = await tau.run(["-p", "hello", ...model, "-e", noisy(tau)]);
	expect(out).toBe("Hi.\n");
	expect(err).toContain("written\n");
});

test("the screen stays as it is, and the person is told where to read it", async () => {
	const home = await launch({ steps: ["Hi."] });
	await using _ = home;
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", noisy(home)] });
	await tau.until("what it says is in the log");
	expect(tau.screen()).not.toMatch(/while loading|written/);
});
