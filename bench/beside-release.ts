/** Measures a group of benchmarks beside the same group of the last release, as the release itself measures it. */
import { dirname, join } from "node:path";

import type { Build } from "./release.ts";
import { isWorse, readReport, rowKey, type Row } from "./report.ts";

/** A group takes a minute at most. */
const groupMs = 600_000;

/** What a version costs beside itself is worse where the smaller of both became better: the budget decides alone. */
const ownRatios: ReadonlySet<string> = new Set(["of linear", "times", "x", "ms more"]);

/** The rows with those of the release, where it has the same ones. A row that is worse is measured once more. */
export async function besideRelease(
	title: string,
	run: () => Promise<Row[]>,
	release: Build | undefined,
): Promise<Row[]> {
	const rows = await run();
	// In these, both were measured in turns.
	if (!release || rows.some((row) => row.release)) return rows;
	const compared = withRelease(rows, title, release, await reportOf(release, title));
	if (!compared.some(isWorse)) return compared;
	const again = withRelease(await run(), title, release, await reportOf(release, title));
	return compared.map((row) =>
		better(
			row,
			again.find(({ name }) => name === row.name),
		),
	);
}

function withRelease(rows: readonly Row[], title: string, { name }: Build, report: string): Row[] {
	const { values, roundedBy } = readReport(report, title);
	return rows.map((row) => {
		const value = ownRatios.has(row.unit) ? undefined : values.get(rowKey(row.name, row.unit));
		return value === undefined ? row : { ...row, release: { name, value, roundedBy } };
	});
}

/** The better of two values, for this version and for the release. */
function better(row: Row, again: Row | undefined): Row {
	if (!again) return row;
	const best = row.atLeast ? Math.max : Math.min;
	const value = best(row.value, again.value);
	if (!row.release || !again.release) return { ...row, value };
	return { ...row, value, release: { ...row.release, value: best(row.release.value, again.release.value) } };
}

/** Empty where the release has no such group, or cannot measure it here. */
async function reportOf({ name, tau }: Build, title: string): Promise<string> {
	const root = dirname(tau);
	// Without a comparison of its own.
	await using child = Bun.spawn([join(root, "node_modules/.bin/bun"), "bench/run.ts", title, "--beside="], {
		cwd: root,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		timeout: groupMs,
	});
	const [report, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	if (report === "" && errors !== "")
		process.stderr.write(`bench: ${title} of ${name} is not measured: ${errors.trim().split("\n").at(-1)}\n`);
	return report;
}
