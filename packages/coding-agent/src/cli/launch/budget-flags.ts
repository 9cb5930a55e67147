/** Reads the limits of a run from the command line: `--max-cost`, `--max-turns`, `--max-tokens`, `--max-time`. */
import type { Budget } from "@tau/session";
import { settingsLimits } from "@tau/config/settings";
import { UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import type { FlagName } from "../flags.ts";

export function budgetFlags(args: Pick<Args, "flags">): Budget {
	const maxCost = amount(args, "max-cost");
	const maxTurns = amount(args, "max-turns");
	const maxTokens = amount(args, "max-tokens");
	const maxSeconds = duration(args, "max-time");
	return {
		...(maxCost === undefined ? {} : { maxCost }),
		...(maxTurns === undefined ? {} : { maxTurns }),
		...(maxTokens === undefined ? {} : { maxTokens }),
		...(maxSeconds === undefined ? {} : { maxSeconds }),
	};
}

function amount({ flags }: Pick<Args, "flags">, name: FlagName): number | undefined {
	const text = flags.get(name);
	if (text === undefined) return undefined;
	const value = Number(text);
	if (!Number.isFinite(value) || value <= 0)
		throw new UsageError(`--${name} needs a positive number, not "${text}".`);
	return value;
}

const secondsOf: Readonly<Record<string, number>> = { ms: 0.001, "": 1, s: 1, m: 60, h: 3600 };

/** `90`, `90s`, `10m`, `1h30m`. */
function duration({ flags }: Pick<Args, "flags">, name: FlagName): number | undefined {
	const text = flags.get(name);
	if (text === undefined) return undefined;
	const isDuration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h)?)+$/.test(text);
	const parts = isDuration ? text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)?/g) : [];
	let seconds = 0;
	for (const [, number, unit = ""] of parts) seconds += Number(number) * (secondsOf[unit] ?? 1);
	if (seconds <= 0 || seconds > settingsLimits.seconds)
		throw new UsageError(`--${name} needs a duration such as 90s, 10m or 1h, not "${text}".`);
	return seconds;
}
