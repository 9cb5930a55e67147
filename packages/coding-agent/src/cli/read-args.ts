/** Parses the command line; for flags that Tau does not know or may share, it consults the extensions. */
import type { Extensions } from "@tau/extensions/host";

import { hasYieldingFlag, isOwnFlag, parseArgs, UnknownFlag, type Args } from "./args.ts";
import { printError } from "./print-error.ts";
import type { Flag } from "./flags.ts";
import { applyRunFlags } from "./run-flags.ts";

export async function readArgs(argv: readonly string[]): Promise<Args> {
	try {
		if (!hasYieldingFlag(argv)) return parseArgs(argv);
	} catch (error) {
		if (!(error instanceof UnknownFlag)) throw error;
	}
	const extensions = await extensionsFor(argv);
	if (!extensions) return parseArgs(argv);
	const args = parseArgs(argv, { more: rowsOf(extensions) });
	extensions.setFlags(valuesOf(args, extensions));
	return { ...args, extensions };
}

/** Only a run has extensions: Tau's own commands have a fixed set of flags. */
async function extensionsFor(argv: readonly string[]): Promise<Extensions | undefined> {
	const args = parseArgs(argv, { isLenient: true });
	if (args.command !== undefined) return undefined;
	await applyRunFlags(args);
	const [{ openExtensions }, { loadSettings }] = await Promise.all([
		import("./launch/open-extensions.ts"),
		import("./launch/load-settings.ts"),
	]);
	const settings = await loadSettings(args);
	return openExtensions({ args, cwd: process.cwd(), settings, onNotice: printError });
}

function rowsOf({ flags }: Extensions): Flag[] {
	return [...flags]
		.filter(([name]) => !isOwnFlag(name))
		.map(([name, { type, description = "" }]) => ({
			name,
			help: description,
			...(type === "string" ? { value: "value", mayBeEmpty: true as const } : {}),
		}));
}

function valuesOf({ extra }: Args, { flags }: Extensions): Map<string, boolean | string> {
	return new Map(
		[...(extra ?? [])].map(([name, value]) => [name, flags.get(name)?.type === "boolean" ? true : value]),
	);
}
