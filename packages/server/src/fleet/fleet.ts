/** The fleet as the application sees it: its store, and what `tau task` prints. */
import type { Settings } from "@tau/config/settings";
import { fleetLimits, openStore, runTaskCommand, type FleetContext } from "@tau/fleet";
import { dirs, UsageError, type Env } from "@tau/utils";

import { askWorker, openRequest } from "../daemon/daemon-client.ts";
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
		attach: async () => {
			throw new UsageError("Use tau task attach in another terminal.");
		},
	};
	await runTaskCommand(context, action, isAll ? [] : operands);
	return text;
}

/** The rest depends on where the command was typed. */
export function contextOf(
	settings: Settings,
	{ store, cwd, signal, env = process.env }: Pick<FleetContext, "store" | "cwd" | "signal"> & { env?: Env },
) {
	const isLocal = urlOf(settings, env) === undefined;
	const startWorker = async (): Promise<void> =>
		await askWorker(openRequest(["--until-idle"], dirs().home, env), signal);
	return { store, isLocal, cwd, env, signal, startWorker };
}

export async function storeOf(settings: Settings, env: Env = process.env): Promise<Tasks> {
	return await openStore({ url: urlOf(settings, env), directory: fleetDirectory(), env });
}

/** How long a command may take that git is part of. */
export const taskCommandMs: number = fleetLimits.gitMs;
