/** The frames of omp's rooms, as its package `pi-wire` declares them; unknown fields and kinds are ignored. */
import type { Entry } from "../view.ts";

/** The version that both ends must speak. */
export const ompProtocol = 3;

/** The kind of custom messages that are prompts of guests. */
export const ompPromptType = "collab-prompt";

export interface OmpModel {
	readonly id: string;
	readonly name: string;
	readonly provider: string;
	readonly contextWindow: number | null;
	readonly [field: string]: unknown;
}

export interface OmpState {
	readonly isStreaming: boolean;
	readonly queuedMessageCount: number;
	readonly sessionName?: string;
	readonly cwd: string;
	readonly model?: OmpModel;
	readonly thinkingLevel?: string;
	readonly contextUsage?: {
		readonly tokens: number | null;
		readonly contextWindow: number | null;
		readonly percent: number | null;
	};
	readonly participants: readonly OmpParticipant[];
}

export interface OmpParticipant {
	readonly name: string;
	readonly role: "host" | "guest";
	readonly readOnly?: boolean;
}

export interface OmpAgent {
	readonly id: string;
	readonly displayName: string;
	readonly kind: "main" | "sub";
	readonly parentId?: string;
	readonly status: "running" | "idle" | "parked" | "aborted";
	readonly hasSessionFile: boolean;
	readonly createdAt: number;
	readonly lastActivity: number;
}

export interface OmpHeader {
	readonly type: "session";
	readonly version: number;
	readonly id: string;
	readonly title?: string;
	readonly timestamp: string;
	readonly cwd: string;
}

export type OmpEvent = { readonly type: string; readonly [field: string]: unknown };

export type OmpHostFrame =
	| {
			readonly t: "welcome";
			readonly proto: number;
			readonly header: OmpHeader;
			readonly state: OmpState;
			readonly agents: readonly OmpAgent[];
			readonly entryCount: number;
			readonly readOnly?: boolean;
	  }
	| { readonly t: "snapshot-chunk"; readonly entries: readonly Entry[]; readonly final: boolean }
	| { readonly t: "entry"; readonly entry: Entry }
	| { readonly t: "event"; readonly event: OmpEvent }
	| { readonly t: "state"; readonly state: OmpState }
	| { readonly t: "bus"; readonly channel: OmpChannel; readonly data: unknown }
	| { readonly t: "agents"; readonly agents: readonly OmpAgent[] }
	| {
			readonly t: "transcript";
			readonly reqId: number;
			readonly text: string;
			readonly newSize: number;
			readonly error?: string;
	  }
	| { readonly t: "bye"; readonly reason: string }
	| { readonly t: "error"; readonly message: string };

export type OmpChannel = "task:subagent:progress" | "task:subagent:lifecycle";
