/** Reads what a key may do from the words of a command line. */
import { UsageError } from "@tau/utils";

import type { KeyRights } from "./keys.ts";
import { limits } from "./limits.ts";

export interface RightsText {
	name?: string | undefined;
	models?: string | undefined;
	budget?: string | undefined;
	rpm?: string | undefined;
	tpm?: string | undefined;
	expires?: string | undefined;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Throws a `UsageError` that names the flag. */
export function readRights(text: RightsText, now: number = Date.now()): KeyRights {
	const models = (text.models ?? "").split(",").flatMap((part) => part.trim() || []);
	if (models.length > limits.patterns) throw new UsageError(`--models: at most ${limits.patterns} patterns.`);
	const requestsPerMinute = countOf("rpm", text.rpm);
	const tokensPerMinute = countOf("tpm", text.tpm);
	return {
		name: (text.name ?? "").slice(0, limits.nameChars),
		models,
		...budgetOf(text.budget),
		...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
		...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
		...(text.expires === undefined ? {} : { expiresAt: now + spanOf(text.expires) }),
	};
}

function countOf(flag: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const count = Number(text);
	if (!Number.isSafeInteger(count) || count < 1)
		throw new UsageError(`--${flag} ${text}: not a number above 0.`);
	return count;
}

function budgetOf(text: string | undefined): Pick<KeyRights, "budgetPerDay" | "budgetPerMonth"> {
	const budgets: Pick<KeyRights, "budgetPerDay" | "budgetPerMonth"> = {};
	for (const part of text?.split(",") ?? []) {
		const [, amount, period] = /^\s*\$?(\d+(?:\.\d+)?)\/(day|month)\s*$/.exec(part) ?? [];
		const name = period === "day" ? "budgetPerDay" : "budgetPerMonth";
		if (!(Number(amount) > 0) || name in budgets)
			throw new UsageError(
				`--budget ${text}: write dollars per day or month: 5/day, 50/month, 5/day,50/month.`,
			);
		budgets[name] = Number(amount);
	}
	return budgets;
}

function spanOf(text: string): number {
	const [, amount, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
	const span = Number(amount) * (units[unit] ?? Number.NaN);
	if (!(span > 0)) throw new UsageError(`--expires ${text}: write a time: 30m, 12h, 30d or 4w.`);
	return span;
}
