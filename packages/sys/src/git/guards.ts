/** Settings that take precedence over every configuration file: git runs no program that a repository or template names. */

type Setting = readonly [key: string, value: string];

const noPrograms: readonly Setting[] = [
	["core.fsmonitor", "false"],
	["core.hooksPath", "/dev/null"],
	["protocol.ext.allow", "never"],
	["submodule.recurse", "false"],
];

/** A directory inside a work tree is never treated as a repository of its own. */
const noBareRepositories: Setting = ["safe.bareRepository", "explicit"];

const projectSettings: readonly Setting[] = [
	noBareRepositories,
	...noPrograms,
	["log.showSignature", "false"],
];

const transferSettings: readonly Setting[] = [
	noBareRepositories,
	...noPrograms,
	["advice.detachedHead", "false"],
	// Both would continue in the background after the transfer.
	["gc.auto", "0"],
	["maintenance.auto", "false"],
];

/** Commands that would run the external diff and textconv programs that a repository names. */
const diffCommands = new Set(["diff", "log", "show"]);

/**
 * Commands that would look for changes inside submodules: the configuration of each may name filters, and a command in
 * a sandbox can make any directory of the project a submodule.
 */
const comparingCommands = new Set(["status", "diff", "diff-files", "diff-index"]);

interface GuardOptions {
	readonly kind: "project" | "transfer";
	readonly hooks?: boolean;
	/** Further settings: `key=value`. */
	readonly settings?: readonly string[];
}

/** The arguments after `git`. Paths among them are literal. */
export function guardedArguments(
	{ kind, hooks = false, settings: more = [] }: GuardOptions,
	[command, ...rest]: readonly [command: string, ...rest: string[]],
): string[] {
	const guards = kind === "project" ? projectSettings : transferSettings;
	const settings = guards.filter(([key]) => !hooks || key !== "core.hooksPath");
	return [
		"--no-pager",
		"--literal-pathspecs",
		...[...settings.map(([key, value]) => `${key}=${value}`), ...more].flatMap((each) => ["-c", each]),
		command,
		...(diffCommands.has(command) ? ["--no-ext-diff", "--no-textconv"] : []),
		...(comparingCommands.has(command) ? ["--ignore-submodules=dirty"] : []),
		...rest,
	];
}

/**
 * The same for git processes that another program starts, added to the settings that the environment has. Bare
 * repositories stay allowed: package managers clone into them.
 */
export function guardVariables(env: Readonly<Record<string, string>>): Record<string, string> {
	const before = Number.parseInt(env.GIT_CONFIG_COUNT ?? "0", 10) || 0;
	return Object.fromEntries([
		["GIT_CONFIG_COUNT", String(before + noPrograms.length)],
		...noPrograms.flatMap(([key, value], at) => [
			[`GIT_CONFIG_KEY_${before + at}`, key],
			[`GIT_CONFIG_VALUE_${before + at}`, value],
		]),
	]);
}
