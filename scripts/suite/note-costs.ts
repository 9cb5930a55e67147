/** Preloaded by `npm test -- --costs`: notes what the tests of each file cost, with the programs that they start. */
import { afterAll } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";

const note = process.env.TAU_TEST_COSTS;
let before = cpuMs();
if (note !== undefined)
	afterAll(() => {
		const now = cpuMs();
		appendFileSync(
			note,
			`${JSON.stringify({ file: Bun.main, own: now.own - before.own, programs: now.programs - before.programs })}\n`,
		);
		before = now;
	});

/** Of this process, and of all that have ended below it. */
function cpuMs(): { own: number; programs: number } {
	const { user, system } = process.cpuUsage();
	return { own: (user + system) / 1000, programs: endedChildrenMs() };
}

/** Linux counts them in hundredths of a second; elsewhere they are not known. */
function endedChildrenMs(): number {
	if (process.platform !== "linux") return 0;
	// The name of the process is in parentheses and may contain anything.
	const fields = readFileSync("/proc/self/stat", "utf8")
		.replace(/^.*\) /s, "")
		.split(" ");
	return 10 * (Number(fields[13]) + Number(fields[14]));
}
