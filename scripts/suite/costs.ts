/** What the tests of each file cost in CPU time: their processes note it (note-costs.ts), and the costliest are named. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** So many are worth a look. */
const costliest = 20;

export class Costs implements Disposable {
	readonly #note = join(tmpdir(), `tau-test-costs-${process.pid}`);
	/** The option of `bun test`. */
	readonly option = `--preload=${join(import.meta.dir, "note-costs.ts")}`;

	constructor() {
		writeFileSync(this.#note, "");
		process.env.TAU_TEST_COSTS = this.#note;
	}

	/** A row for each of the costliest files, and one for all. */
	report(root: string): string {
		const byFile = new Map<string, number>();
		for (const line of readFileSync(this.#note, "utf8").split("\n").filter(Boolean)) {
			const { file, ms } = JSON.parse(line) as { file: string; ms: number };
			byFile.set(file, (byFile.get(file) ?? 0) + ms);
		}
		const row = (ms: number, name: string): string => `${(ms / 1000).toFixed(1).padStart(8)}  ${name}\n`;
		const sorted = [...byFile].toSorted(([, a], [, b]) => b - a).slice(0, costliest);
		const total = [...byFile.values()].reduce((sum, ms) => sum + ms, 0);
		const rows = sorted.map(([file, ms]) => row(ms, relative(root, file)));
		return `\nCPU seconds\n${rows.join("")}${row(total, `all ${byFile.size} files`)}`;
	}

	[Symbol.dispose](): void {
		delete process.env.TAU_TEST_COSTS;
		rmSync(this.#note, { force: true });
	}
}
