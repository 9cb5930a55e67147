/** What the fleet needs of the application, for `tau task`, `tau worker` and slash commands. */
import { join } from "node:path";

import type { Settings } from "@tau/config/settings";
import { fleetLimits, openStore, runTaskCommand, type FleetContext } from "@tau/fleet";
import { askWorker, openRequest } from "@tau/server/daemon/daemon-client";
import { dirs, env, UsageError } from "@tau/utils";

import type { Args } from "../args.ts";
import { loadSettings } from "./load-settings.ts";

/** What an action of `tau task` prints, for slash commands. `stop all` stops everything. */
export async function taskText(
	args: Args,
	cwd: string,
	action: string,
	operands: readonly string[],
): Promise<string> {
	const settings = await loadSettings(args);
	await using store = await storeOf(settings);
	const isAll = action === "stop" && operands[0] === "all";
	let text = "";
	const context: FleetContext = {
		...contextOf(settings, store, cwd, AbortSignal.timeout(fleetLimits.gitMs)),
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
type Given = Pick<FleetContext, "store" | "isLocal" | "cwd" | "env" | "signal" | "startWorker">;

export function contextOf(
	settings: Settings,
	store: FleetContext["store"],
	cwd: string,
	signal: AbortSignal,
): Given {
	const isLocal = urlOf(settings) === undefined;
	const startWorker = async (): Promise<void> =>
		await askWorker(openRequest(["--until-idle"], dirs().home, process.env), signal);
	return { store, isLocal, cwd, env: process.env, signal, startWorker };
}

export async function storeOf(settings: Settings) {
	return await openStore({
		url: urlOf(settings),
		directory: fleetDirectory(),
		env: process.env,
	});
}

/** Workers in containers have variables instead of settings. */
export function urlOf(settings: Settings): string | undefined {
	return env("TAU_FLEET_URL") ?? settings.getWithoutProject("fleet.url");
}

function fleetDirectory(): string {
	return join(dirs().state, "fleet");
}
