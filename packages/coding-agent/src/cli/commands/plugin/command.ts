/** `tau plugin`: installs, removes, lists and looks after packages; `tau install` and the like are the same by a shorter name. */
import { dirs, nearest, UsageError } from "@tau/utils";
import { projectHome, userHome, type PackageHome } from "@tau/extensions/packages";

import type { Args } from "../../args.ts";
import type { FlagName } from "../../flags.ts";
import { pluginConfig } from "./config.ts";
import { features } from "./features.ts";
import { disable, enable, install, link, uninstall, update } from "./change.ts";
import { showParts } from "./parts.ts";
import { doctor, list } from "./show.ts";
import { onInterrupt } from "../../signals.ts";

export interface PluginRequest {
	args: Args;
	/** The arguments after the action. */
	operands: readonly string[];
	home: PackageHome;
	isJson: boolean;
	signal: AbortSignal;
}

const actions: Readonly<Record<string, (request: PluginRequest) => Promise<number>>> = {
	list,
	install,
	uninstall,
	link,
	update,
	enable,
	disable,
	show: showParts,
	features,
	config: pluginConfig,
	doctor,
};

/** Aliases. */
const aliases: Readonly<Record<string, string>> = { remove: "uninstall", ls: "list", upgrade: "update" };

const ownFlags: readonly [flag: FlagName, actions: readonly string[]][] = [
	["trust", ["list"]],
	["fix", ["doctor"]],
	["force", ["install", "link"]],
	["dry-run", ["install"]],
	["enable", ["features"]],
	["disable", ["features"]],
	["set", ["features"]],
];

export async function runPlugin(args: Args): Promise<number> {
	const [action = "list", ...operands] = args.operands;
	return runAction(aliases[action] ?? action, operands, args);
}

/** `tau install npm:x` is `tau plugin install npm:x`. */
export async function runPluginAlias(args: Args): Promise<number> {
	const { command = "list" } = args;
	return runAction(aliases[command] ?? command, args.operands, args);
}

async function runAction(action: string, operands: readonly string[], args: Args): Promise<number> {
	const run = actions[action];
	if (!run) throw new UsageError(unknownAction(action, operands));
	for (const [flag, its] of ownFlags)
		if (args.flags.has(flag) && !its.includes(action))
			throw new UsageError(`--${flag} only applies to tau plugin ${its.join(" and ")}.`);
	if (args.flags.get("mode") === "rpc")
		throw new UsageError("tau plugin supports only --mode text and --mode json.");
	using interruption = onInterrupt();
	const code = await run({
		args,
		operands,
		home: args.flags.has("local") ? projectHome(process.cwd()) : userHome(dirs().agent),
		isJson: args.flags.has("json") || args.flags.get("mode") === "json",
		signal: interruption.signal,
	});
	return interruption.exitCode ?? code;
}

function unknownAction(action: string, operands: readonly string[]): string {
	const known = Object.keys(actions);
	const [near] = nearest(action, known, 1);
	const hint = near === undefined ? `Choose one of: ${known.join(", ")}.` : `Did you mean ${near}?`;
	const prompt = ["plugin", action, ...operands].join(" ");
	return `Unknown command: tau plugin ${action}. ${hint} To send it as a prompt: tau -p "${prompt}"`;
}
