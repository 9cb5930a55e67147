/** What RPC mode needs of the program around it: a session that can be exchanged, its log, and models to choose from. */
import type { Model, ThinkingLevel } from "@tau/ai";
import type { Env } from "@tau/utils";

import type { AgentSession, CompactionSettings, SessionManager } from "../../session/index.ts";
import type { RpcCompactionResult } from "./protocol.ts";

export interface RpcHost {
	/** The session of the moment. */
	readonly session: AgentSession;
	/** Its log: in memory only, where nothing is to be kept. */
	readonly log: SessionManager;
	/** What commands are run with. */
	readonly env: Env;
	readonly models: RpcModels;
	isAutoRetryOn: boolean;
	/** Absent where a conversation cannot be compacted. */
	readonly compaction?: RpcCompaction;
	/** Leaves the session and goes on, with the same model, with what the log holds now. */
	reopen(): void;
}

export interface RpcCompaction {
	/** Whether it happens by itself when the context is nearly full. */
	isAutomatic: boolean;
	readonly isRunning: boolean;
	/** Resolves when it is done. Throws what speaks against it, in words for a person. */
	compact(customInstructions: string | undefined): Promise<RpcCompactionResult>;
}

export interface RpcModels {
	/** Those that could be asked right now. */
	available(): readonly Model[];
	/** Those that the person limited the choice to; empty when it is not limited. */
	scoped(): readonly { model: Model; thinking?: ThinkingLevel }[];
	/** A model that can be asked. Throws what is missing, in words for a person. */
	ready(provider: string, id: string): Promise<Model>;
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
