/** The fleet as the application sees it: its store, and what `tau task` prints. */
import type { Settings } from "@tau/config/settings";
import { fleetLimits, openStore, runTaskCommand, StoreAway, type FleetContext } from "@tau/fleet";
import { delay, dirs, UsageError, type Env } from "@tau/utils";

import type { OpenRequest } from "../local/protocol.ts";
import { fleetDirectory, urlOf } from "./location.ts";

export type Tasks = FleetContext["store"];

/** What an action of `tau task` prints, for slash commands and pages. `stop all` stops everything. */
export async function taskText(
	given: Pick<FleetContext, "store" | "isLocal" | "cwd" | "env" | "signal" | "startWorker">,
	action: string,
	operands: readonly string[],
): Promise<string> {
	const isAll = action === "stop" && operands[0] === "all";
	let text = "";
	const context: FleetContext = {
		...given,
		isJson: false,
		print: async (more) => void (text += more),
		flag: (name) => (isAll && name === "all" ? "" : undefined),
		flags: () => [],
		input: async () => undefined,
		agent: async () => {
			throw new UsageError("Use tau task add --agent in a terminal.");
		},
		attach: async () => {
			throw new UsageError("Use tau task attach in another terminal.");
		},
	};
	await runTaskCommand(context, action, isAll ? [] : operands);
	return text;
}

export interface ContextParts extends Pick<FleetContext, "store" | "cwd" | "signal"> {
	readonly env?: Env;
	/** By the daemon, which runs the worker of this machine. */
	readonly startWorker: StartWorker;
}

export type StartWorker = (request: OpenRequest, signal?: AbortSignal) => Promise<void>;

/** The rest depends on where the command was typed. */
export function contextOf(
	settings: Settings,
	{ store, cwd, signal, env = process.env, startWorker }: ContextParts,
) {
	const isLocal = urlOf(settings, env) === undefined;
	const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
	const worker = { argv: ["--until-idle"], cwd: dirs().home, env: Object.fromEntries(set), prompts: [] };
	return { store, isLocal, cwd, env, signal, startWorker: () => startWorker(worker, signal) };
}

/** For workers, which outlive a store that restarts: waits until it answers, and says so once. */
export async function awaitedStore(
	settings: Settings,
	signal: AbortSignal,
	onWait: (reason: string) => void,
): Promise<Tasks> {
	for (let hasSaid = false; ; hasSaid = true)
		try {
			return await storeOf(settings);
		} catch (error) {
			if (!(error instanceof StoreAway) || signal.aborted) throw error;
			if (!hasSaid) onWait(error.message);
			await delay(fleetLimits.pollMs, signal);
		}
}

export async function storeOf(settings: Settings, env: Env = process.env): Promise<Tasks> {
	const perMinute = settings.getWithoutProject("fleet.perMinute");
	return await openStore({ url: urlOf(settings, env), directory: fleetDirectory(), env, perMinute });
}

/** How long a command may take that git is part of. */
export const taskCommandMs: number = fleetLimits.gitMs;
