/**
 * `npm run soak`: 5,000 turns (`--turns N`) in one process, which fail if what it holds has grown; then every test that takes
 * samples, with all of them (TAU_TEST_DEPTH=full). `npm run soak -- company` does the turns (200, or `--turns N`) in a
 * terminal with two clients, a browser and a guest, and looks at its memory, too. `npm run soak -- fleet` instead loses workers and Redis under 200 tasks,
 * again and again for an hour (`--minutes N`).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { testFiles } from "../../scripts/suite/lanes.ts";
import { runSuite } from "../../scripts/suite/suite.ts";

import { mostMemory, openCompany } from "./company.ts";
import { growthOf, held, type Sample } from "./sample.ts";
import { soak } from "./soak.ts";

const { values, positionals } = parseArgs({
	options: { turns: { type: "string" }, minutes: { type: "string", default: "60" } },
	allowPositionals: true,
});
const root = join(import.meta.dir, "../..");
if (positionals[0] === "fleet") process.exit(await soakFleet(Number(values.minutes)));
const isCompany = positionals[0] === "company";
const turns = Number(values.turns ?? (isCompany ? 200 : 5000));
if (!Number.isInteger(turns) || turns < 80) throw new Error("--turns takes a number of at least 80");

const cell = (value: number | string): string =>
	(typeof value === "number" ? value.toFixed(0) : value).padStart(10);
const row = (name: number | string, sample: Record<(typeof held)[number], number | string>): string =>
	`${cell(name)}${held.map((what) => cell(sample[what])).join("")}\n`;

process.stdout.write(`${cell("turn")}${held.map(cell).join("")}\n`);
const samples = await soak({
	turns,
	every: Math.max(10, Math.floor(turns / 40)),
	onSample: (sample: Sample) => process.stdout.write(row(sample.turn, sample)),
	...(isCompany ? { open: openCompany } : {}),
});
const growth = growthOf(samples);
for (const { what, early, late, isFlat } of growth)
	process.stdout.write(`${what}: ${early.toFixed(0)} → ${late.toFixed(0)}${isFlat ? "" : "  GROWS"}\n`);
if (isCompany) {
	const most = Math.max(...samples.map(({ memory }) => memory));
	process.stdout.write(`memory at most ${most.toFixed(0)} MB (${mostMemory})\n`);
	process.exit(most <= mostMemory && growth.every(({ isFlat }) => isFlat) ? 0 : 1);
}
if (!growth.every(({ isFlat }) => isFlat)) process.exit(1);

process.env.TAU_TEST_DEPTH = "full";
const sampled = testFiles(root, []).filter((file) =>
	readFileSync(join(root, file), "utf8").includes("/depth.ts"),
);
process.exit(await runSuite({ root, files: sampled, write: (text) => void process.stdout.write(text) }));

/** The exit code of the first run that fails, or of the last. */
async function soakFleet(minutes: number): Promise<number> {
	if (!(minutes > 0)) throw new Error("--minutes takes a number above 0");
	process.env.TAU_TEST_DEPTH = "full";
	const end = Date.now() + minutes * 60_000;
	for (let round = 1; ; round++) {
		process.stdout.write(`fleet, round ${round}\n`);
		process.env.TAU_SOAK_ROUND = String(round);
		const files = ["test/fleet/redis.test.ts"];
		const code = await runSuite({ root, files, write: (text) => void process.stdout.write(text) });
		if (code !== 0 || Date.now() > end) return code;
	}
}
