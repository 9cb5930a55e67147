/** Finds the hooks of a run and, where there are any, loads what runs them. */
import { dirs, shortenHome, type Env } from "@tau/utils";
import type { Settings } from "@tau/config/settings";

import { loadHooks, registerHookSettings, type DiscoveredHooks } from "../resources/hooks.ts";
import { discoveryPaths } from "@tau/resources/sources";
import { standardRegistry } from "../resources/standard-registry.ts";
import { Switches, describeWarnings } from "@tau/resources/discovery";
import { isTrusted, trustOf, withheldNotice } from "../trust/trust.ts";
import type { HookSource } from "../hooks/hook-source.ts";
import type { Hook } from "../hooks/index.ts";

/** Asks whether code of the project may run. */
export type AskTrust = (untrusted: readonly string[]) => Promise<boolean>;

export interface OpenHooksOptions {
	/** The user has trusted the project for this run, such as with `--trust`. */
	isTrusted?: boolean;
	cwd: string;
	settings: Pick<Settings, "get" | "explain">;
	/** The environment that locates the user's files; by default that of the process. */
	env?: Env;
	onNotice(message: string): void;
	/** Gets what did not run for lack of trust, to report it with the rest; absent: a notice of its own. */
	onWithheld?: ((part: string) => void) | undefined;
}

/** What was found, before anybody was asked about it. */
export interface OpenedHooks {
	/** Files of the project whose hooks wait for its trust. */
	untrusted: readonly string[];
	/** What may run, by the trust that was given so far. */
	all: readonly Hook[];
	/** Undefined if there are no hooks. `askTrust` is absent if no user can be asked. */
	open(askTrust: AskTrust | undefined): Promise<HookSource | undefined>;
}

/** Hooks are found once: later changes of a file apply from the next start on. */
export async function findHooksOf(options: OpenHooksOptions): Promise<OpenedHooks> {
	const { cwd, settings, env = process.env } = options;
	const { agent } = dirs(env);
	const isAllowedNow = options.isTrusted === true || isTrusted(cwd, agent);
	const paths = discoveryPaths(cwd, env, { isTrusted: isAllowedNow });
	const registry = standardRegistry();
	registerHookSettings(registry, settings);
	const switches = new Switches(settings.get("discovery.disabled"));
	const load = (isAllowed: boolean): Promise<DiscoveredHooks> =>
		loadHooks(registry, paths, switches, () => isAllowed);
	const first = await load(isAllowedNow);
	const { untrusted } = first;
	return {
		untrusted,
		all: first.hooks,
		async open(askTrust) {
			const isAllowed = untrusted.length > 0 && ((await askTrust?.(untrusted)) ?? false);
			const discovered = isAllowed ? await load(true) : first;
			reportProblems(discovered, options, askTrust !== undefined && trustOf(cwd, agent) === false);
			if (discovered.hooks.length === 0) return undefined;
			const { HookSource: Source } = await import("../hooks/hook-source.ts");
			return new Source(discovered.hooks, paths.root);
		},
	};
}

/** One trust question covers everything that a project would run; the first caller's answer applies to the others. */
export function askOnce(ask: AskTrust | undefined, also: readonly string[]): AskTrust | undefined {
	let answer: Promise<boolean> | undefined;
	return ask && ((paths) => (answer ??= ask([...new Set([...paths, ...also])])));
}

/** A user who refused trust gets no notice about it at each start. */
function reportProblems(
	{ untrusted, warnings }: DiscoveredHooks,
	{ cwd, env = process.env, onNotice, onWithheld }: OpenHooksOptions,
	isSettled: boolean,
): void {
	if (untrusted.length > 0 && !isSettled) {
		const part = `hooks (${untrusted.map((path) => shortenHome(path)).join(", ")})`;
		if (onWithheld) onWithheld(part);
		else onNotice(withheldNotice([part], cwd, dirs(env).agent));
	}
	const problem = describeWarnings(warnings);
	if (problem !== undefined) onNotice(`Hooks: ${problem}`);
}
