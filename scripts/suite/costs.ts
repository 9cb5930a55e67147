/** What the tests of each file cost in CPU time: their processes note it (note-costs.ts), and the costliest are named. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/** So many are worth a look; the others are in a file. */
const costliest = 20;
const allCosts = "node_modules/.cache/test-costs.json";

/** Milliseconds of CPU time: of the process that runs the tests, and of the programs that they start. */
interface Cost {
	own: number;
	programs: number;
}

export class Costs implements Disposable {
	readonly #note = join(tmpdir(), `tau-test-costs-${process.pid}`);
	/** The option of `bun test`. */
	readonly option = `--preload=${join(import.meta.dir, "note-costs.ts")}`;

	constructor() {
		writeFileSync(this.#note, "");
		process.env.TAU_TEST_COSTS = this.#note;
	}

	/** A row for each of the costliest files, and one for all. The list of all is written into the checkout. */
	report(root: string): string {
		const byFile = new Map<string, Cost>();
		for (const line of readFileSync(this.#note, "utf8").split("\n").filter(Boolean)) {
			const { file, own, programs } = JSON.parse(line) as Cost & { file: string };
			const known = byFile.getOrInsertComputed(relative(root, file), () => ({ own: 0, programs: 0 }));
			known.own += own;
			known.programs += programs;
		}
		const sum = ({ own, programs }: Cost): number => own + programs;
		const sorted = [...byFile].toSorted(([, a], [, b]) => sum(b) - sum(a));
		save(root, sorted);
		const total = { own: 0, programs: 0 };
		for (const [, { own, programs }] of sorted) {
			total.own += own;
			total.programs += programs;
		}
		const seconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(8);
		const row = (name: string, cost: Cost): string =>
			`${seconds(sum(cost))}${seconds(cost.programs)}  ${name}\n`;
		const rows = sorted.slice(0, costliest).map(([file, cost]) => row(file, cost));
		return `\nCPU seconds, and those of programs; each file: ${allCosts}\n${rows.join("")}${row(`all ${byFile.size} files`, total)}`;
	}

	[Symbol.dispose](): void {
		delete process.env.TAU_TEST_COSTS;
		rmSync(this.#note, { force: true });
	}
}

function save(root: string, costs: readonly [file: string, cost: Cost][]): void {
	try {
		mkdirSync(dirname(join(root, allCosts)), { recursive: true });
		writeFileSync(join(root, allCosts), `${JSON.stringify(Object.fromEntries(costs), undefined, "\t")}\n`);
	} catch {
		// A checkout that cannot be written: the costliest are in the report.
	}
}
