/** What a command works with: the session, and the client that runs it. */
import type { ClientInfo, CommandReply } from "@tau/wire";

import { dialogsOver } from "./ask.ts";
import type { CommandParts, CommandTarget, ProgressKind } from "./command.ts";

/** The client that runs a command. */
export interface CommandCaller {
	readonly by: ClientInfo;
	readonly signal: AbortSignal;
	progress(text: string | undefined, how?: ProgressKind): void;
	notice(text: string, level?: CommandReply["level"]): void | Promise<void>;
	/** What it knows about itself, for bug reports. */
	facts?(): readonly (readonly [string, string])[];
	/** How the client sends prompts, where that is more than to submit them. */
	prompt?(text: string): void;
	/** Called before each dialog, and when it was answered. */
	onUser?(): void;
	onText?: CommandTarget["onText"];
	preview?: CommandTarget["preview"];
}

export function commandTarget(parts: CommandParts, caller: CommandCaller): CommandTarget {
	const { signal } = caller;
	const onUser = (): void => {
		caller.progress(undefined);
		caller.onUser?.();
	};
	const target: CommandTarget = {
		get host() {
			return parts.host;
		},
		get settings() {
			return parts.host.settings;
		},
		get cwd() {
			return parts.host.log.getCwd();
		},
		env: () => parts.env(),
		get registry() {
			return parts.registry;
		},
		get credentials() {
			return parts.credentials;
		},
		get resources() {
			return parts.resources;
		},
		get extensions() {
			return parts.extensions;
		},
		get mcp() {
			return parts.mcp;
		},
		get mcpPrompts() {
			return parts.mcpPrompts;
		},
		get machine() {
			return parts.machine;
		},
		get doctor() {
			return parts.doctor;
		},
		get fleet() {
			return parts.fleet;
		},
		get collab() {
			return parts.collab;
		},
		schedules: parts.schedules,
		get recording() {
			return parts.recording;
		},
		get agentDir() {
			return parts.agentDir;
		},
		get isTrusted() {
			return parts.isTrusted;
		},
		reload: () => parts.reload(),
		by: caller.by,
		signal,
		ask: dialogsOver(parts.host.requests, { signal, onUser }),
		progress: (text, how) => caller.progress(text, how),
		notice: (text, level) => caller.notice(text, level),
		onText: caller.onText,
		preview: caller.preview,
		clientFacts: () => caller.facts?.() ?? [],
		prompt: (text) => (caller.prompt ?? submitTo(parts, caller.by))(text),
	};
	return target;
}

/** A prompt while the model answers steers it. */
function submitTo({ host }: CommandParts, by: ClientInfo): (text: string) => void {
	return (text) => {
		host.submit({ text }, { as: "steer", by }).catch((error: unknown) => {
			void host.notice(error instanceof Error ? error.message : String(error));
		});
	};
}
