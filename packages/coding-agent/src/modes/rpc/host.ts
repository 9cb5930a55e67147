/** What RPC mode needs of the program around it: a session that can be exchanged, its log, and models to choose from. */
import type { Env } from "@tau/utils";
import type { Extensions } from "@tau/extensions/host";
import type { Resources } from "@tau/extensions/resources";
import type { AgentSession, CompactionSettings } from "@tau/session";
import type { UsableModels } from "@tau/session/models";
import type { LiveSession } from "@tau/session/run";

import type { RpcCompactionResult } from "./protocol.ts";

export interface RpcHost extends LiveSession {
	/** What commands are run with. */
	readonly env: Env;
	readonly models: UsableModels;
	readonly extensions?: Extensions | undefined;
	/** Skills and prompt templates that a client may call by name. */
	readonly resources?: Resources | undefined;
	isAutoRetryOn: boolean;
	/** Absent where a conversation cannot be compacted. */
	readonly compaction?: RpcCompaction;
}

export interface RpcCompaction {
	/** Whether it happens by itself when the context is nearly full. */
	isAutomatic: boolean;
	readonly isRunning: boolean;
	/** Resolves when it is done. Throws what speaks against it, in words for a person. */
	compact(customInstructions: string | undefined): Promise<RpcCompactionResult>;
}

/** `settings` are those that the sessions are made with. */
export function compactionOf(
	settings: Pick<CompactionSettings, "enabled">,
	session: () => AgentSession,
): RpcCompaction {
	return {
		get isAutomatic() {
			return settings.enabled;
		},
		set isAutomatic(enabled) {
			settings.enabled = enabled;
		},
		get isRunning() {
			return session().isCompacting;
		},
		compact: (instructions) => session().compact(instructions),
	};
}
