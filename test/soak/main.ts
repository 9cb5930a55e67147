/**
 * `npm run soak`: 5,000 turns (`--turns N`) in one process, which fail if what it holds has grown; then every test that takes
 * samples, with all of them (TAU_TEST_DEPTH=full).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { testFiles } from "../../scripts/suite/lanes.ts";
import { runSuite } from "../../scripts/suite/suite.ts";

import { growthOf, held, type Sample } from "./sample.ts";
import { soak } from "./soak.ts";

const { values } = parseArgs({ options: { turns: { type: "string", default: "5000" } } });
const turns = Number(values.turns);
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
});
const growth = growthOf(samples);
for (const { what, early, late, isFlat } of growth)
	process.stdout.write(`${what}: ${early.toFixed(0)} → ${late.toFixed(0)}${isFlat ? "" : "  GROWS"}\n`);
if (!growth.every(({ isFlat }) => isFlat)) process.exit(1);

process.env.TAU_TEST_DEPTH = "full";
const root = join(import.meta.dir, "../..");
const sampled = testFiles(root, []).filter((file) =>
	readFileSync(join(root, file), "utf8").includes("/depth.ts"),
);
process.exit(await runSuite({ root, files: sampled, write: (text) => void process.stdout.write(text) }));
