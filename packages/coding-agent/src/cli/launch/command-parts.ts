/** What slash commands work with, in the modes without a screen of their own. */
import type { SessionParts } from "@tau/extensions/assembly";
import { selector } from "@tau/config/models";
import type { Settings } from "@tau/config/settings";
import type { SessionHost } from "@tau/session/host";
import type { ToolEnv } from "@tau/tools/tool";
import { dirs } from "@tau/utils";

import type { CommandParts } from "@tau/session-commands";
import { reloadSession } from "@tau/session-commands/work";
import type { Args } from "../args.ts";
import { openResources } from "./open-resources.ts";
import type { Rooms } from "./rooms.ts";
import { promptOf } from "./session-parts.ts";
import type { SessionTape } from "./session-tape.ts";

export interface CommandPartsOptions {
	args: Args;
	parts: SessionParts;
	host: SessionHost;
	/** The environment of the tools of the current session. */
	env(): ToolEnv;
	onNotice(message: string): void;
	/** Records the session. */
	recording?: SessionTape | undefined;
	/** Where the session can be shared; absent where nobody could join it. */
	rooms?: Rooms | undefined;
}

export function commandParts(options: CommandPartsOptions): CommandParts {
	const { args, parts, host, env, onNotice, rooms } = options;
	const { mcp, settings } = parts;
	return {
		host,
		env,
		registry: parts.registry,
		credentials: parts.store,
		get resources() {
			return parts.resources;
		},
		extensions: parts.extensions,
		mcp: mcp && settings.get("mcp.enabled") ? () => mcp.manager() : undefined,
		get mcpPrompts() {
			return mcp?.prompts ?? [];
		},
		machine: parts.remote,
		async doctor() {
			const { examine } = await import("../commands/doctor/report.ts");
			return await examine(args, host.log.getCwd(), onNotice);
		},
		collab: rooms && (() => rooms.open()),
		fleet: fleetOf(settings, () => host.log.getCwd()),
		recording: options.recording,
		schedules: async (words, signal) => {
			const { runScheduleAction } = await import("@tau/server/daemon/schedule-command");
			const model = `--model=${selector(host.state.model)}`;
			return await runScheduleAction(words, { cwd: host.state.cwd, argv: [model], signal });
		},
		agentDir: dirs().agent,
		get isTrusted() {
			return host.isTrusted;
		},
		async reload() {
			await settings.reload();
			await findResources({ args, parts, onNotice });
			return await reloadSession(host, (to) => host.move(to));
		},
	};
}

/** Loaded when the user asks for the fleet. */
export function fleetOf(settings: Settings, cwd: () => string): NonNullable<CommandParts["fleet"]> {
	return async (action, ...operands) => {
		const { contextOf, storeOf, taskCommandMs, taskText } = await import("@tau/server/fleet");
		const { askWorker } = await import("@tau/server/daemon/daemon-client");
		await using store = await storeOf(settings);
		const signal = AbortSignal.timeout(taskCommandMs);
		const context = contextOf(settings, { store, cwd: cwd(), signal, startWorker: askWorker });
		return await taskText(context, action, operands);
	};
}

/** Finds skills, templates and instructions again; the sessions that are made from then on have them. */
export async function findResources({
	args,
	parts,
	onNotice,
}: Pick<CommandPartsOptions, "args" | "parts" | "onNotice">): Promise<void> {
	const { settings } = parts;
	const commandEnv = parts.registry.withoutKeys(parts.env);
	const cwd = parts.log.getCwd();
	parts.resources = await openResources({ args, cwd, settings, commandEnv, onNotice });
	parts.prompt = await promptOf({ args, cwd, settings, onNotice });
}
