/** `tau worker`: works on tasks of the fleet, or starts workers elsewhere. */
import { join } from "node:path";

import {
	dispatchTasks,
	fleetLimits,
	keyFromGateway,
	readLabels,
	runWorker,
	withGitToken,
	type StartSession,
	type WorkerOptions,
} from "@tau/fleet";
import type { Settings } from "@tau/config/settings";
import { localTransport } from "@tau/server/clients/local-transport";
import { openRequest } from "@tau/server/daemon/daemon-client";
import { keyVariable, spawnSession, untilJoinable } from "@tau/server/daemon/session-process";
import { awaitedStore } from "@tau/server/fleet";
import { urlOf } from "@tau/server/fleet/location";
import { dirs, env, envNumber, log, timer, UsageError, type Env } from "@tau/utils";
import { RemoteSession } from "@tau/wire/remote";

import type { Args } from "../args.ts";
import { loadSettings } from "../launch/load-settings.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";

export async function runWorkerCommand(args: Args): Promise<number> {
	// Tasks end, or are handed over; then what they have started ends.
	using interruption = onInterrupt(fleetLimits.drainMs + fleetLimits.endMs * 2);
	const settings = await loadSettings(args);
	const onLine = (line: string): void => printError(`worker: ${line}`);
	await using store = await awaitedStore(settings, interruption.signal, onLine);
	const named = args.flags.get("labels");
	const labels = named === undefined ? [] : readLabels("--labels", [named]);
	const isOnce = args.flags.has("once");
	const slots = isOnce ? 1 : (slotsOf(args) ?? settings.getWithoutProject("fleet.slots"));
	const runner = args.flags.get("runner");
	if (runner !== undefined) {
		const { runnerNamed } = await import("./fleet-runners.ts");
		const options = { store, runner: await runnerNamed(runner, settings, labels), slots, labels, onLine };
		await dispatchTasks(options, interruption.signal);
		return 0;
	}
	const most = isOnce ? "one task" : slots === 1 ? "one task at a time" : `${slots} tasks at once`;
	onLine(`takes ${most}${labels.length > 0 ? `, labels ${labels.join(", ")}` : ""}`);
	await runWorker(
		{
			store,
			start: startSession,
			directory: workDirectory(),
			slots,
			labels,
			env: gitEnv(settings),
			parkMs: envNumber("TAU_FLEET_PARK_MS") ?? settings.getWithoutProject("fleet.parkMinutes") * 60_000,
			drainMs: envNumber("TAU_FLEET_DRAIN_MS") ?? fleetLimits.drainMs,
			keysFor: keysOf(settings),
			// Without a relay, a session would ask whether to run one.
			hasRooms: urlOf(settings) !== undefined && settings.get("collab.relayUrl") !== undefined,
			...(args.flags.has("until-idle") ? { idleMs: fleetLimits.idleMs } : {}),
			isOnce,
			onLine,
		},
		interruption.signal,
	);
	return 0;
}

/** Outside of Tau's own directories, which sessions may not change. */
function workDirectory(): string {
	const { TAU_FLEET_DIR: named, XDG_CACHE_HOME: cache } = process.env;
	return named || join(cache || join(dirs().home, ".cache"), "tau-fleet");
}

function slotsOf({ flags }: Args): number | undefined {
	const text = flags.get("slots");
	if (text === undefined) return undefined;
	if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= fleetLimits.slots) return Number(text);
	throw new UsageError(`--slots ${text}: not a number from 1 to ${fleetLimits.slots}.`);
}

/** With a token for the git server, if there is one; sessions do not get it. */
function gitEnv(settings: Settings): Env {
	const token = env("TAU_FLEET_GIT_TOKEN") ?? settings.getWithoutProject("fleet.gitToken");
	delete process.env.TAU_FLEET_GIT_TOKEN;
	return withGitToken({ ...process.env }, token);
}

/** What a session does not get: the agent with the user's keys, and what opens the store, the gateway and the git server. */
const ofWorkerAlone = /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|TAU_FLEET_\w+)$/;

function sessionEnv(): Record<string, string> {
	const all = Object.entries(openRequest([], "/", process.env).env);
	return Object.fromEntries(all.filter(([name]) => !ofWorkerAlone.test(name)));
}

/** The token of the gateway is in the worker's environment, and in no other. */
function keysOf(settings: Settings): WorkerOptions["keysFor"] {
	const url = env("TAU_FLEET_GATEWAY") ?? settings.getWithoutProject("fleet.gateway");
	if (url === undefined) return async () => ({ env: sessionEnv(), argv: [], release: async () => {} });
	const { TAU_FLEET_GATEWAY_TOKEN: token } = process.env;
	if (!token)
		throw new UsageError(
			"fleet.gateway needs its token: set TAU_FLEET_GATEWAY_TOKEN (tau auth-gateway token).",
		);
	delete process.env.TAU_FLEET_GATEWAY_TOKEN;
	return async (task) => await keyFromGateway({ url, token, env: sessionEnv() }, task);
}

/** As the daemon starts sessions, but each ends with this process. */
const startSession: StartSession = async ({ argv, cwd, env: own, apiKey, prompts: texts }, signal) => {
	const withKey = apiKey === undefined ? own : { ...own, [keyVariable]: apiKey };
	const prompts = texts.map((text) => ({ text }));
	const child = spawnSession({ argv, cwd, env: withKey, prompts }, "owned");
	const end = async (): Promise<void> => {
		void child.stdin.end();
		using _late = timer(fleetLimits.endMs, () => child.kill("SIGKILL"));
		await child.exited;
	};
	try {
		const opened = await untilJoinable(child);
		const client = await RemoteSession.join({
			transport: localTransport(() => (child.exitCode === null ? opened : undefined)),
			name: "fleet",
			kinds: ["questions", "approval", "trust", "dialog"],
			onBadFrame: (error) => log.warn("a frame of a task could not be used", { reason: String(error) }),
			signal,
		});
		return {
			client,
			exited: child.exited.then(() => {}),
			async [Symbol.asyncDispose]() {
				client[Symbol.dispose]();
				await end();
			},
		};
	} catch (error) {
		await end();
		throw error;
	}
};
