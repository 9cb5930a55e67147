/** What the budgets allow here: they were set on another machine, where the last release was measured too. */
import { playModel } from "@tau/ai/testing";

import { homeFor, modelName } from "./home.ts";
import { measure } from "./measure.ts";
import type { Build } from "./release.ts";
import release from "./release.json" with { type: "json" };
import { rowKey, type Row } from "./report.ts";

const rounds = 9;
const oneShot = "tau -p hi, instant model in ms";
/** By row: what the last release took on the machine of the budgets. */
const figures = new Map<string, number>(Object.entries(release.figures));

/** How many times as long as on the machine of the budgets the last release takes for one prompt. */
export async function slowness({ tau, name }: Build): Promise<number> {
	const then = figures.get(oneShot);
	// Another commit than the release has no figures.
	if (then === undefined || name !== release.version) return 1;
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	const command = [tau, "-p", "hi", "--model", modelName];
	const [now] = await measure([{ name, command, env: home.env }], rounds);
	return (now?.medianMs ?? Number.NaN) / then;
}

/**
 * With what each row may take here. A row of the release is judged by its ratio to the release, which is measured in the
 * same run; another time or rate is scaled by how slow this machine is; memory, bytes and ratios are as they are. What
 * keeps to the budget itself on a slower machine is never over it: a host can be fast at what the release did, and slow
 * at the rest.
 */
export function onThisMachine(rows: readonly Row[], slower: number): Row[] {
	return rows.map((row) => {
		const then = figures.get(rowKey(row.name, row.unit));
		if (row.release?.name === release.version && then !== undefined) {
			const allowedRatio = row.budget / then;
			const allowed = allowedRatio * row.release.value;
			return { ...row, allowedRatio, allowed: slower >= 1 ? Math.max(row.budget, allowed) : allowed };
		}
		if (/^(?:ms|µs)\b/.test(row.unit)) return { ...row, allowed: row.budget * slower };
		return row.unit.endsWith("/s") ? { ...row, allowed: row.budget / slower } : row;
	});
}
