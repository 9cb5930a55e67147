/** `tau config set` and `tau config unset`: one change in one file. */
import { findSetting, unknownSetting, type Named } from "../config/settings/index.ts";
import { UsageError, type Args } from "./args.ts";
import { complain } from "./complain.ts";
import { scopeOf } from "./config-command-rows.ts";
import { jsonLines, plainValue, shownOrigin } from "./config-command-text.ts";
import { exitCodes } from "./exit-codes.ts";
import { loadSettings } from "./load-settings.ts";

export async function changeSetting(args: Args): Promise<number> {
	const { operands, flags } = args;
	const [action, key, word] = operands;
	const isSet = action === "set";
	if (key === undefined || (isSet && word === undefined)) {
		throw new UsageError(`Say it like this: tau config ${action} <setting>${isSet ? " <value>" : ""}`);
	}
	const named = findSetting(key);
	if (!named) throw new UsageError(unknownSetting(key));
	const scope = scopeOf(args) ?? "global";
	const settings = await loadSettings(args);
	const value = word === undefined ? null : readValue(named, word);
	const outcome = isSet ? await settings.setUnchecked(key, value, scope) : await settings.unset(key, scope);
	if (!outcome.ok) {
		if (outcome.fault === "request") throw new UsageError(outcome.reason);
		complain(outcome.reason);
		return exitCodes.failed;
	}
	const { file = "", hiddenBy } = outcome;
	const said = isSet ? `${key} is ${plainValue(value)}` : `${key} is not set`;
	process.stdout.write(
		flags.get("mode") === "json"
			? jsonLines([{ key, value, file, ...(hiddenBy ? { hiddenBy } : {}) }])
			: `${said} in ${shownOrigin({ layer: scope, file })}\n`,
	);
	if (hiddenBy) complain(`${key} is set in ${shownOrigin(hiddenBy)} too, and that is what counts here`);
	return exitCodes.answered;
}

/** A word of the command line as the setting wants it; one that makes no sense is left for the check to name. */
function readValue({ setting, entry }: Named, word: string): unknown {
	if (entry !== undefined) return word;
	switch (setting.hint.kind) {
		case "toggle":
			return /^(?:true|on|yes|1)$/i.test(word) ? true : /^(?:false|off|no|0)$/i.test(word) ? false : word;
		case "number":
			return /^-?(?:\d+\.?\d*|\.\d+)(?:e\d+)?$/i.test(word) ? Number(word) : word;
		case "list":
			return word.startsWith("[") ? parsed(word) : parts(word);
		case "table":
			return word.startsWith("{") ? parsed(word) : pairs(word);
		case "choice":
		case "text":
			return word;
	}
}

function parts(word: string): string[] {
	return word
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");
}

/** `default=a/b,smol=c` */
function pairs(word: string): unknown {
	const entries = parts(word).map((part) => [
		part.slice(0, part.indexOf("=")),
		part.slice(part.indexOf("=") + 1),
	]);
	return parts(word).every((part) => part.includes("=")) ? Object.fromEntries(entries) : word;
}

function parsed(word: string): unknown {
	try {
		return Bun.JSONC.parse(word);
	} catch {
		// Not what it looked like: the check says what it should be.
		return word;
	}
}
