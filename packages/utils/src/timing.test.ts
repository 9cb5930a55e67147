/** Timings show where the time of a run went. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { timingLimits } from "./limits.ts";
import { Timings, timingMode } from "./timing.ts";

function clock() {
	const state = { now: 0 };
	return { state, timings: new Timings(() => state.now) };
}

test("nested spans make a tree with times and shares", () => {
	const { state, timings } = clock();
	state.now = 10;
	{
		using _load = timings.span("load");
		state.now = 20;
		{
			using _settings = timings.span("settings");
			state.now = 50;
		}
		timings.mark("first frame");
		state.now = 60;
	}
	using _session = timings.span("session");
	state.now = 100;
	expect(timings.format()).toBe(
		[
			"    100.0 ms 100.0%  process",
			"     50.0 ms  50.0%    load",
			"     30.0 ms  30.0%      settings",
			"     50.0 ms      @      first frame",
			"     40.0 ms  40.0%    session (running)",
			"",
		].join("\n"),
	);
});

test("a span that ends after its parent does not include later spans", () => {
	const { timings } = clock();
	const outer = timings.span("outer");
	const inner = timings.span("inner");
	outer[Symbol.dispose]();
	inner[Symbol.dispose]();
	inner[Symbol.dispose]();
	timings.mark("later");
	expect(timings.format()).toMatch(/ {4}outer\n.* {6}inner\n.* {4}later\n/);
});

test("the number of spans is bounded, and the rest is counted", () => {
	const { timings } = clock();
	for (let index = 0; index < timingLimits.spans + 5; index++) timings.mark(`m${index}`);
	expect(timings.format({ full: true })).toEndWith("… 5 not recorded\n");
	expect(timings.format().split("\n").length).toBeLessThan(timingLimits.rows + 5);
	expect(timings.format()).toContain("TAU_TIMING=full shows all");
});

test("the variable is read in all its forms", () => {
	expect(timingMode({})).toBe("off");
	expect(timingMode({ TAU_TIMING: "" })).toBe("off");
	expect(timingMode({ TAU_TIMING: "1" })).toBe("on");
	expect(timingMode({ PI_TIMING: "x" })).toBe("exit");
	expect(timingMode({ OMP_TIMING: "full" })).toBe("full");
});

const program = `
	import { formatTimings, mark, span } from ${JSON.stringify(join(import.meta.dir, "timing.ts"))};
	{ using s = span("first"); }
	const answer = await span("second", async () => { mark("inside"); return 42; });
	process.stdout.write(answer + "|" + (span("a") === span("b")) + "|" + formatTimings());
`;

function run(timing: string | undefined): string {
	const { TAU_TIMING: _t, OMP_TIMING: _o, PI_TIMING: _p, ...rest } = process.env;
	const env = timing === undefined ? rest : { ...rest, TAU_TIMING: timing };
	return Bun.spawnSync([process.execPath, "-e", program], { env }).stdout.toString();
}

test("a program without the variable records nothing and shares one empty span", () => {
	expect(run(undefined)).toBe("42|true|");
});

test("a program with the variable prints its tree", () => {
	const output = run("1");
	expect(output).toStartWith("42|false|");
	expect(output).toMatch(/process\n.* {4}first\n.* {4}second\n.* {6}inside\n/);
});
