/** Extensions whose code never returns: they are named, and Ctrl+C twice leaves. */
// takes 20 s
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { isFullDepth } from "../support/depth.ts";
import { needs } from "../support/needs.ts";
import { openTau } from "../interactive/driver.ts";
import { launch, type Launched } from "../support/launch.ts";

/** Blocks as a loop does, but leaves the processor to other tests. With full depth all of them really loop. */
const forever = isFullDepth ? "for (;;);" : "for (;;) Bun.sleepSync(20);";
const model = ["--model", "played/played-1"];
/** Less than the usual 5 s, which some tests wait out: most need only that it is over. */
const soon = { TAU_BLOCKED_MS: "2000" };

/** The path of an extension outside the project. */
function extension(home: Launched, name: string, source: string): string {
	const file = join(home.home, "..", `${name}.ts`);
	writeFileSync(file, source);
	return file;
}

const tool = (body: string, more = "") => `
	export default (pi) => pi.registerTool({
		name: "spin", label: "Spin", description: "spins", parameters: { type: "object", properties: {} },
		async execute() { ${body} return { content: [{ type: "text", text: "spun" }] }; },
		${more}
	});`;
const callsTool: Scenario = {
	steps: [{ answer: { blocks: [{ toolCall: { name: "spin", arguments: {} } }] } }, "Done."],
};

const endless: Record<string, { source: string; scenario?: Scenario; activity: string }> = {
	"in a handler": {
		source: `export default (pi) => pi.on("input", () => { ${forever} });`,
		activity: "input",
	},
	"in a tool": { source: tool("for (;;);"), scenario: callsTool, activity: "tool spin" },
	"while its tool is drawn": {
		source: tool("", `renderResult: () => ({ invalidate() {}, render() { ${forever} } }),`),
		scenario: callsTool,
		activity: "render",
	},
	"while its widget is drawn": {
		source: `export default (pi) => pi.on("input", (_, ctx) => ctx.ui.setWidget("w", () => ({
			invalidate() {}, render() { ${forever} },
		})));`,
		activity: "render",
	},
};

describe.concurrent("an extension that never returns is named, and Ctrl+C twice leaves", () => {
	needs("pgrep").each(Object.entries(endless))(
		"%s",
		async (_, { source, scenario, activity }) => {
			await using home = await launch(scenario ?? { steps: ["Never reached."] });
			const args = ["-e", extension(home, "endless", source)];
			await using tau = await openTau({ steps: [] }, { home, args, env: soon });
			await tau.until("played-1");
			tau.type("hello\r");
			await tau.until(`Extension endless has blocked Tau for 2 s (${activity}).`);
			tau.press("ctrlC");
			await tau.until(/Press Ctrl\+C again\s+to\s+leave/);
			tau.press("ctrlC");
			expect(await tau.exited).toBe(130);
			expect(tau.scrollback()).toContain("tau -c continues it");
			// The terminal's modes are as they were.
			expect(tau.bytes.lastIndexOf("\x1b[?2004l")).toBeGreaterThan(tau.bytes.lastIndexOf("\x1b[?2004h"));
		},
		180_000,
	);
});

test("an extension that returns after a while: its message is gone, and no key is lost", async () => {
	await using home = await launch({ steps: ["First answer.", "Second answer."] });
	const source = `export default (pi) => pi.on("input", ({ text }) => {
		if (text === "block") Bun.sleepSync(5000);
	});`;
	const args = ["-e", extension(home, "slow", source)];
	await using tau = await openTau({ steps: [] }, { home, args, env: soon });
	await tau.until("played-1");
	const before = tau.screen();
	tau.type("block\r");
	tau.type("typed before, ");
	await tau.until("Extension slow has blocked Tau for 2 s (input).");
	tau.type("typed äfter");
	tau.press("ctrlC");
	await tau.until(/Press Ctrl\+C again/);
	tau.type(" and last");
	await tau.until("First answer.");
	await tau.until("typed before, typed äfter and last");
	expect(tau.screen()).not.toContain("has blocked Tau");
	expect(tau.screen().split("\n").at(-1)).toContain("played-1");
	expect(before.split("\n").at(-1)).toContain("played-1");
	tau.press("enter");
	await tau.until("Second answer.");
	expect(JSON.stringify(home.played.requests[1]?.body)).toContain("typed before, typed äfter and last");
});

needs("pgrep")(
	"leaving ends the commands that were running, and the session can be continued",
	async () => {
		const seconds = `${3000 + (process.pid % 1000)}.${Date.now() % 1000}`;
		const calls = ["bash", "spin"].map((name) => ({
			answer: {
				blocks: [
					{
						toolCall: { name, arguments: name === "bash" ? { command: `sleep ${seconds} & true` } : {} },
					},
				],
			},
		}));
		await using home = await launch({ steps: [...calls, "Welcome back."] });
		const args = ["-e", extension(home, "endless", tool(forever))];
		{
			await using tau = await openTau({ steps: [] }, { home, args, env: soon });
			await tau.until("played-1");
			tau.type("hello\r");
			await tau.until("has blocked Tau");
			expect(sleeping(seconds)).toBe(true);
			// Pasted keys do not stand in the way.
			tau.type(`\x1b[200~${"x".repeat(3000)}\x1b[201~`);
			tau.press("ctrlC", "ctrlC");
			expect(await tau.exited).toBe(130);
			await tau.untilFiles(() => !sleeping(seconds));
		}
		await using again = await openTau({ steps: [] }, { home, args: ["-c"] });
		await again.until("hello");
		again.type("again\r");
		await again.until("Welcome back.");
	},
	180_000,
);

/** Whether `sleep` runs with this argument. */
function sleeping(seconds: string): boolean {
	return Bun.spawnSync(["pgrep", "-fx", `sleep ${seconds}`]).exitCode === 0;
}

test("also at the edges: a small window, a key of the kitty protocol, and code that runs after an await", async () => {
	await using home = await launch({ steps: ["Never reached."] });
	const source = `export default (pi) => pi.on("input", async () => {
		await Bun.sleep(10);
		${forever}
	});`;
	const args = ["-e", extension(home, "later", source)];
	await using tau = await openTau({ steps: [] }, { home, args, cols: 40, rows: 12, env: soon });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until(/Tau has not responded for 2 s\.\s+Extension\s+later\s+ran\s+last\s+\(input\)/);
	// A release is no second press.
	tau.type("\x1b[99;5u\x1b[99;5:3u");
	await tau.until(/again\s+to\s+leave/);
	tau.type("\x1b[99;5");
	tau.type(":1u");
	expect(await tau.exited).toBe(130);
});

test("a program that an extension has given the terminal to is left alone, however long it takes", async () => {
	await using home = await launch({ steps: ["Here."] });
	const source = `export default (pi) => pi.registerCommand("lend", {
		handler: (_, ctx) => ctx.ui.custom((tui, theme, keys, done) => {
			tui.stop();
			Bun.spawnSync(["sh", "-c", "echo lent; read line; echo got $line; read line"], { stdio: ["inherit", "inherit", "inherit"] });
			tui.start();
			done();
			return { invalidate() {}, render: () => [] };
		}),
	});`;
	const args = ["-e", extension(home, "lends", source)];
	await using tau = await openTau({ steps: [] }, { home, args });
	await tau.until("played-1");
	tau.type("/lend\r");
	await tau.until("lent");
	const log = join(home.home, ".tau/logs/tau.log");
	await tau.untilFiles(
		() => existsSync(log) && readFileSync(log, "utf8").includes("the main thread is blocked"),
	);
	tau.type("a line\n");
	await tau.until("got a line");
	tau.type("\n");
	await tau.until(/got a line[^]*played-1/);
	expect(tau.bytes).not.toContain("has blocked Tau");
	tau.type("hello\r");
	await tau.until("Here.");
});

test("an extension that never returns while Tau exits is named below the screen, and Ctrl+C ends it", async () => {
	await using home = await launch({ steps: [] });
	const source = `export default (pi) => pi.on("session_shutdown", () => { ${forever} });`;
	const args = ["-e", extension(home, "stays", source)];
	await using tau = await openTau({ steps: [] }, { home, args, env: soon });
	await tau.until("played-1");
	tau.type("/exit\r");
	await tau.until("tau: Extension stays has blocked Tau for 2 s (session_shutdown).");
	tau.press("ctrlC");
	expect(await tau.exited).toBe(130);
});

describe.concurrent(
	"without a screen an extension that never returns is named on standard error, and SIGINT ends the process",
	() => {
		const inHandler = `export default (pi) => pi.on("input", () => { ${forever} });`;
		const cases: Record<string, { args: string[]; source: string }> = {
			"in print mode": { args: ["-p", "hello"], source: inHandler },
			"in RPC mode": { args: ["--mode", "rpc"], source: inHandler },
			"while loading": { args: ["-p", "hello"], source: `${forever} export default () => {};` },
		};
		test.each(Object.entries(cases))(
			"%s",
			async (_, { args, source }) => {
				await using home = await launch({ steps: ["Never reached."] });
				const tau = home.start([...args, "-e", extension(home, "endless", source), ...model], {
					stdin: "pipe",
					env: soon,
				});
				const { stdin } = tau.process;
				if (typeof stdin === "object") {
					stdin.write(`${JSON.stringify({ type: "prompt", message: "hello" })}\n`);
					await (args[0] === "-p" ? stdin.end() : stdin.flush());
				}
				await tau.until(({ err }) => /Extension endless (?:has blocked Tau for 2 s|ran last)/.test(err));
				tau.process.kill("SIGINT");
				await tau.process.exited;
				expect(tau.process.signalCode).toBe("SIGINT");
			},
			180_000,
		);
	},
);
