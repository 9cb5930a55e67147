/** The event before an agent is opened, and what a handler may answer. */

/** An agent is about to be opened. */
export interface BeforeSubagentSpawnEvent {
	type: "before_subagent_spawn";
	/** The type of agent. */
	agent: string;
	invocationKind: "task";
	/** The role that the models come from. */
	modelRole?: string;
	/** Names of models in the order of preference. */
	patterns: string[];
	/** The name of the agent, which is unique in the session. */
	spawnKey: string;
}

export interface BeforeSubagentSpawnResult {
	/** Other models, in the order of preference. */
	model?: string | string[];
	/** The agent is not opened. */
	block?: boolean;
	reason?: string;
	/** Why this model, for the user. */
	note?: string;
}
