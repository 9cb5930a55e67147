/** `tau config set` and `tau config unset`: one change in one file. */
import { findSetting, parseValue, unknownSetting } from "@tau/session/settings";

import { UsageError } from "@tau/utils";
import type { Args } from "../../args.ts";
import { printError } from "../../print-error.ts";
import { scopeOf } from "./rows.ts";
import { jsonLines, plainValue, shownOrigin } from "./text.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadSettings } from "../../launch/load-settings.ts";

export async function changeSetting(args: Args): Promise<number> {
	const { operands, flags } = args;
	const [action, key, word] = operands;
	const isSet = action === "set";
	if (key === undefined || (isSet && word === undefined)) {
		throw new UsageError(`Usage: tau config ${action} <setting>${isSet ? " <value>" : ""}`);
	}
	const named = findSetting(key);
	if (!named) throw new UsageError(unknownSetting(key));
	const scope = scopeOf(args) ?? "global";
	const settings = await loadSettings(args);
	const value = word === undefined ? null : parseValue(named, word);
	const outcome = isSet ? await settings.setUnchecked(key, value, scope) : await settings.unset(key, scope);
	if (!outcome.ok) {
		if (outcome.fault === "request") throw new UsageError(outcome.reason);
		printError(outcome.reason);
		return exitCodes.failed;
	}
	const { file = "", hiddenBy } = outcome;
	const text = isSet ? `${key} is ${plainValue(value)}` : `${key} is not set`;
	process.stdout.write(
		flags.get("mode") === "json"
			? jsonLines([{ key, value, file, ...(hiddenBy ? { hiddenBy } : {}) }])
			: `${text} in ${shownOrigin({ layer: scope, file })}\n`,
	);
	if (hiddenBy) printError(`${key} is also set in ${shownOrigin(hiddenBy)}, which takes precedence here`);
	return exitCodes.answered;
}
