/** Output of extensions reaches neither the screen nor standard output. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTau } from "../interactive/driver.ts";
import { model, startRpc } from "../rpc/rpc-process.ts";
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

test("an RPC client gets only frames; the rest is on standard error", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau, [...model, "-e", noisy(tau)]);
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

/** It keeps printing when everything else has ended. */
function restless(tau: Launched): string {
	const file = join(tau.home, "restless.ts");
	writeFileSync(
		file,
		`export default (pi) => {
			setInterval(() => console.log("tick"), 5);
			pi.on("session_shutdown", () => console.log("going down"));
			process.on("exit", () => { console.log("good"); process.stdout.write("bye"); });
		};`,
	);
	return file;
}

test("an extension that prints while Tau exits does not reach standard output", async () => {
	await using tau = await launch({ steps: ["Hi."] });
	const { out, err } = await tau.run(["-p", "hello", ...model, "-e", restless(tau)]);
	expect(out).toBe("Hi.\n");
	expect(err).toContain("going down\n");
	expect(err).toContain("good\nbye");
});

test("an extension that prints while Tau exits does not reach the restored terminal", async () => {
	await using home = await launch({ steps: [] });
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", restless(home)] });
	await tau.until("its output is in the log");
	tau.press("ctrlD");
	expect(await tau.exited).toBe(0);
	expect(tau.scrollback()).not.toMatch(/tick|going down|good|bye/);
});

test("the screen stays intact, and the user is shown where to read the output", async () => {
	const home = await launch({ steps: ["Hi."] });
	await using _ = home;
	await using tau = await openTau({ steps: [] }, { home, args: ["-e", noisy(home)] });
	await tau.until("its output is in the log");
	expect(tau.screen()).not.toMatch(/while loading|written/);
});
