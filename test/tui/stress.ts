/** The long run: `bun test/tui/stress.ts [seeds] [first] [steps]`; `first` repeats a failing seed. */
import { runSeed } from "./seed.ts";

const [seeds = 5000, first = Math.floor(Math.random() * 1e9), steps = 60] = process.argv.slice(2).map(Number);
let [failed, done, ran] = [0, 0, 0];
for (let seed = first; seed < first + seeds && failed < 10; seed++) {
	const { error, operations } = await runSeed(seed, steps);
	done += operations.length;
	ran++;
	if (error === undefined) continue;
	failed++;
	console.log(
		`seed ${seed}, after ${operations.length} operations (${operations.slice(-4).join(", ")}): ${error}`,
	);
}
console.log(`${ran} seeds from ${first} on: ${done} operations, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
