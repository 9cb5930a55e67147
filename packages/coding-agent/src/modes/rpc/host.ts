/** What RPC mode needs of the program around it: a session that can be exchanged, its log, and models to choose from. */
import type { Model, ThinkingLevel } from "@tau/ai";
import type { Env } from "@tau/utils";

import type { AgentSession, SessionManager } from "../../session/index.ts";

export interface RpcHost {
	/** The session of the moment. */
	readonly session: AgentSession;
	/** Its log: in memory only, where nothing is to be kept. */
	readonly log: SessionManager;
	/** What commands are run with. */
	readonly env: Env;
	readonly models: RpcModels;
	isAutoRetryOn: boolean;
	/** Leaves the session and goes on, with the same model, with what the log holds now. */
	reopen(): void;
}

export interface RpcModels {
	/** Those that could be asked right now. */
	available(): readonly Model[];
	/** Those that the person limited the choice to; empty when it is not limited. */
	scoped(): readonly { model: Model; thinking?: ThinkingLevel }[];
	/** A model that can be asked. Throws what is missing, in words for a person. */
	ready(provider: string, id: string): Promise<Model>;
}
