/** Reads the limits of a run from the command line: `--max-cost`, `--max-turns`, `--max-tokens`. */
import type { Budget } from "@tau/session";
import { UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import type { FlagName } from "../flags.ts";

export function budgetFlags(args: Pick<Args, "flags">): Budget {
	const maxCost = amount(args, "max-cost");
	const maxTurns = amount(args, "max-turns");
	const maxTokens = amount(args, "max-tokens");
	return {
		...(maxCost === undefined ? {} : { maxCost }),
		...(maxTurns === undefined ? {} : { maxTurns }),
		...(maxTokens === undefined ? {} : { maxTokens }),
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
