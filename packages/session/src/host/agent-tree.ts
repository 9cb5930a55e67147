/** All agents below one session: their names, what each has done so far, their outputs, and the messages between them. */
import { join } from "node:path";

import { oneLine, onDispose } from "@tau/utils";

import { AgentOutputs } from "../artifacts/index.ts";
import { artifactsDir, sessionSuffix } from "@tau/log";
import { everyone, AgentMessages } from "./agent-messages.ts";
import type { AgentSpec } from "./children.ts";
import { limits } from "./limits.ts";
import { storedAgents } from "./stored-agents.ts";

/** The name of the session's own agent, in requests, grants and messages. */
export const mainAgent = "main";
/** No agent has them: a message to it would go elsewhere. */
const reserved: ReadonlySet<string> = new Set([mainAgent, everyone]);

export type AgentState = "running" | "waiting" | "stalled" | "completed" | "aborted" | "failed";

export interface AgentInfo {
	/** A name that is unique in the session; that of a child begins with its parent's: `Scout.Reader`. */
	readonly id: string;
	/** The agent that opened it; absent for one of the session itself. */
	readonly parentId: string | undefined;
	readonly spec: AgentSpec;
	readonly sessionFile: string | undefined;
	readonly model: string;
	readonly startedAt: number;
	readonly endedAt: number | undefined;
	readonly state: AgentState;
	/** What it did last, in one line. */
	readonly lastAction: string;
	readonly tokens: number;
	/** US dollars, with what its own children cost. */
	readonly cost: number;
	readonly turns: number;
	/** Why it failed. */
	readonly error: string | undefined;
}

export type AgentRecord = { -readonly [K in keyof AgentInfo]: AgentInfo[K] };

/** How the work of an agent ended. */
export interface AgentOutcome {
	id: string;
	type: string;
	end: "completed" | "aborted" | "failed" | "budget";
	/** Why it did not complete. */
	reason?: string;
	/** The report, or what there is of it. */
	text: string;
	/** What became of its changes, where it worked in a tree of its own. */
	merge?: string;
	/** The result, where a schema was given and it fits. */
	data?: unknown;
	tokens: number;
	cost: number;
	turns: number;
	ms: number;
}

export class AgentTree {
	readonly outputs: AgentOutputs;
	readonly messages = new AgentMessages();
	readonly #directory: () => string | undefined;
	readonly #records = new Map<string, AgentRecord>();
	#earlier: readonly AgentInfo[] | undefined;
	readonly #given = new Set<string>();
	readonly #listeners = new Set<() => void>();

	/** `sessionFile` is that of the session at the top; undefined if it is not stored. */
	constructor(sessionFile: () => string | undefined) {
		this.#directory = () => {
			const file = sessionFile();
			return file === undefined ? undefined : artifactsDir(file);
		};
		this.outputs = new AgentOutputs(this.#directory);
	}

	/** In the order in which they were started; first those of earlier processes, of which there are files. */
	get all(): readonly AgentInfo[] {
		this.#earlier ??= storedAgents(this, this.stored);
		return [...this.#earlier.filter(({ id }) => !this.#records.has(id)), ...this.#records.values()];
	}

	/** Those of earlier processes, which only files know of. */
	get stored(): readonly string[] {
		return [...this.outputs.taken()].filter((id) => !this.#records.has(id));
	}

	find(id: string): AgentInfo | undefined {
		return this.#records.get(id);
	}

	/** Where the logs of agents are. */
	get directory(): string | undefined {
		return this.#directory();
	}

	logFile(id: string): string | undefined {
		const directory = this.#directory();
		return directory === undefined ? undefined : join(directory, id + sessionSuffix);
	}

	/** `Scout`, `Scout-2`; below another agent `Parent.Scout`. A name is given once, also over a restart. */
	name(requested: string, parentId: string | undefined): string {
		const word = oneLine(requested, limits.agentNameChars).replaceAll(/[^\w-]+/g, "-");
		const plain = word.replaceAll(/^-+|-+$/g, "") || "agent";
		const wanted = parentId === undefined ? plain : `${parentId}.${plain}`;
		const taken = this.outputs.taken();
		const isFree = (id: string): boolean => !reserved.has(id) && !taken.has(id) && !this.#given.has(id);
		let id = wanted;
		for (let number = 2; !isFree(id); number++) id = `${wanted}-${number}`;
		this.#given.add(id);
		return id;
	}

	add(record: AgentRecord): void {
		this.#records.set(record.id, record);
		for (const [id, { endedAt }] of this.#records) {
			if (this.#records.size <= limits.agentRecords) break;
			if (endedAt !== undefined) this.#records.delete(id);
		}
		this.changed();
	}

	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	changed(): void {
		for (const listener of this.#listeners) listener();
	}

	/** The session at the top is another one: its agents are in its files. */
	clear(): void {
		this.#records.clear();
		this.#earlier = undefined;
		this.#given.clear();
		this.messages.clear();
		this.changed();
	}
}
