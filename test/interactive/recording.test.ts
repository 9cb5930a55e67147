/** Diagnostics for the screen and the start: recordings of the terminal, of frames and of phases. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

test("everything that is sent to the terminal is recorded, and every frame is logged", async () => {
	await using home = await launch({ steps: [] });
	const recording = join(home.home, "terminal.log");
	const env = { TAU_TUI_WRITE_LOG: recording, TAU_DEBUG_REDRAW: "1", TAU_LOG_LEVEL: "debug" };
	await using tau = await openTau({ steps: [] }, { home, env });
	await tau.until("played-1");
	tau.press("ctrlD");
	expect(await tau.exited).toBe(0);
	expect(tau.bytes).toContain("played-1");
	expect(readFileSync(recording, "utf8")).toContain("played-1");
	const logs = join(home.home, ".tau/logs");
	const logged = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
	expect(logged.join("")).toContain("frame");
});

test("TAU_TIMING=x ends interactive mode as soon as it is ready, with the tree of the start", async () => {
	await using tau = await openTau({ steps: [] }, { env: { TAU_TIMING: "x" } });
	expect(await tau.exited).toBe(0);
	expect(tau.scrollback()).toContain("first frame");
	expect(tau.scrollback()).toContain("choose model");
});

test("phases of the start are not printed over the screen", async () => {
	await using tau = await openTau({ steps: [] }, { env: { TAU_DEBUG_STARTUP: "1" } });
	await tau.until("played-1");
	expect(tau.screen()).not.toContain("choose model:start");
});
