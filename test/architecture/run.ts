/** Runs every architecture check on a tree (this repository if none is named) and fails if one finds a problem. */
import { resolve } from "node:path";
import { checks } from "./checks/index.ts";
import { show } from "./problem.ts";
import { repository } from "./tree.ts";

const root = resolve(process.argv[2] ?? repository);
const started = performance.now();
const results = await Promise.all(
	Object.entries(checks).map(async ([name, check]) => ({ name, problems: await check(root) })),
);
for (const { name, problems } of results) {
	for (const problem of problems) console.log(`${name}: ${show(problem)}`);
}
const count = results.flatMap(({ problems }) => problems).length;
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`check: ${results.length} checks, ${count} problems (${seconds} s)`);
process.exit(count === 0 ? 0 : 1);
