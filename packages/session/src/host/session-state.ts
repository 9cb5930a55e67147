/** What clients see of a session, what they can change in it, and what it takes over from the session that opened it. */
import type { QueueMode, ToolGate } from "@tau/agent";
import type { Model, ThinkingLevel } from "@tau/ai";

import type { SelectionSource } from "../run/run-hooks.ts";
import type { Phase } from "../run/run-phase.ts";
import type { ToolLayer } from "../run/session-tools.ts";
import { UserError } from "../run/user-error.ts";
import type { TodoPhase } from "@tau/wire";
import type { SettingPath } from "@tau/config/settings";
import type { AgentHook } from "./agent-hooks.ts";
import type { AgentTree } from "./agent-tree.ts";
import type { ParentPolicy } from "./host-policy.ts";

export type SessionChange =
	/** `role`: what the log says that the model is for. */
	| { type: "model"; model: Model; by?: SelectionSource; role?: string }
	/** Becomes the nearest level that the model has. */
	| { type: "thinking"; level: ThinkingLevel }
	| { type: "name"; name: string }
	| { type: "label"; entryId: string; label: string | undefined }
	| { type: "queueMode"; steering?: QueueMode; followUp?: QueueMode }
	/** Replaces the tools that a layer hides. */
	| { type: "tools"; layer: ToolLayer; hidden: Iterable<string> }
	/** The command that has to pass before the model stops; without one the goal ends. */
	| { type: "goal"; check: string | undefined }
	/** Replaces the todo list; rejects while the model works. */
	| { type: "todos"; phases: readonly TodoPhase[] }
	/** For this session alone. */
	| { type: "setting"; path: SettingPath; value: unknown };

export type ChangeOf<T extends SessionChange["type"]> = Extract<SessionChange, { type: T }>;

/** What a child takes over from its parent. */
export interface Inherited {
	depth?: number;
	/** The gates of the parent: what it may not do, its children may not do either. */
	gates?: () => Iterable<ToolGate>;
	policy?: ParentPolicy;
	/** What decides about the agents of the sessions above. */
	agentHooks?: () => readonly AgentHook[];
	/** The agents below the session at the top, and which of them this one is. */
	tree?: AgentTree;
	agentId?: string;
	/** The types of agents that it may open. */
	spawns?: readonly string[] | "*" | undefined;
}

export type Outcome = { ok: true } | { ok: false; reason: string };

export interface SessionState {
	readonly id: string;
	readonly file: string | undefined;
	readonly phase: Phase;
	readonly name: string | undefined;
	readonly cwd: string;
	readonly model: Model;
	readonly thinkingLevel: ThinkingLevel;
	readonly leafId: string | null;
}

export const done: Outcome = { ok: true };

/** Throws the reason why a change was rejected. */
export function assertOutcome(outcome: Outcome): void {
	if (!outcome.ok) throw new UserError(outcome.reason);
}
