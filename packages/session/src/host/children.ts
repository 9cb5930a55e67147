/** Sessions that a session opens: each has its own context, log, tools and budget, and never more rights than its parent. */
import { mkdirSync } from "node:fs";

import type { Model, ThinkingLevel } from "@tau/ai";
import type { IsolatedTree, Machine } from "@tau/sys";
import { listen, uuidv7 } from "@tau/utils";

import type { Budget } from "../behaviors/budget-guard.ts";
import { artifactsDir } from "../log/file/paths.ts";
import { SessionManager } from "../log/session-manager.ts";
import { UserError } from "../run/user-error.ts";
import { limits } from "./limits.ts";
import { liveBudget } from "./live-settings.ts";
import type { SessionParts } from "./parts.ts";
import type { Inherited, SessionHost } from "./session-host.ts";

export interface AgentSpec {
	/** How clients show the child. */
	name: string;
	/** The parent's by default. */
	model?: Model | undefined;
	thinking?: ThinkingLevel | undefined;
	/** The names of the tools that it may use; those that the parent cannot use stay away. All of the parent's by default. */
	tools?: readonly string[] | undefined;
	/** Its own instructions, instead of the parent's system prompt. */
	systemPrompt?: string | undefined;
	/** Where its tools work; the parent's machine and directory by default. What contains commands there is its own. */
	machine?: Machine | undefined;
	cwd?: string | undefined;
	/** The isolated tree that it works in, with the sandbox that the parent has. Its owner merges and disposes of it. */
	tree?: IsolatedTree | undefined;
	/** Never more than what the parent has left. */
	budget?: Budget | undefined;
	/** The tool call that opens it. */
	toolCallId?: string | undefined;
}

/** A session that was opened by another one. */
export interface ChildSession extends AsyncDisposable {
	readonly id: string;
	readonly name: string;
	readonly host: SessionHost;
}

/** What the assembly derives the parts of a child from. */
export interface ChildRequest {
	spec: AgentSpec;
	/** Names of the tools that the parent can use now. */
	parentTools: ReadonlySet<string>;
}

export interface SessionSpawner {
	/** `signal` ends the child. Rejects with a `UserError` if no child may be opened. */
	spawn(spec: AgentSpec, signal: AbortSignal): Promise<ChildSession>;
}

export interface ChildrenParts {
	parent: SessionHost;
	parts: SessionParts;
	/** How many sessions are above the parent. */
	depth: number;
	create(parts: SessionParts, inherited: Inherited): SessionHost;
}

export class Children implements SessionSpawner, AsyncDisposable {
	readonly #parent: SessionHost;
	readonly #parts: SessionParts;
	readonly #depth: number;
	readonly #create: ChildrenParts["create"];
	readonly #open = new Map<string, Child>();

	constructor(parts: ChildrenParts) {
		this.#parent = parts.parent;
		this.#parts = parts.parts;
		this.#depth = parts.depth;
		this.#create = parts.create;
	}

	get all(): readonly ChildSession[] {
		return [...this.#open.values()];
	}

	async spawn(spec: AgentSpec, signal: AbortSignal): Promise<ChildSession> {
		signal.throwIfAborted();
		const { derive } = this.#parts;
		if (!derive) throw new UserError("This session cannot open other sessions.");
		if (this.#depth >= limits.childDepth)
			throw new UserError(`Sessions are nested ${limits.childDepth} deep: no more can be opened.`);
		if (this.#open.size >= limits.children)
			throw new UserError(`${limits.children} sessions are open: wait for one to end.`);
		const parentTools = new Set(this.#parent.session.state.tools.map(({ name }) => name));
		const log = this.#newLog(spec);
		const host = this.#create(
			{ ...derive({ spec, parentTools }), ...this.#inherited(spec), log },
			{
				depth: this.#depth + 1,
				gates: () => this.#parent.session.inheritedGates(),
				policy: { policy: this.#parent.policy, agent: spec.name },
			},
		);
		const child = new Child(spec, host, log, signal, (ended) => this.#ended(ended));
		this.#open.set(child.id, child);
		child.follow((event) => this.#parent.emitToClients({ type: "child_event", id: child.id, event }));
		await this.#announce(child, spec);
		return child;
	}

	/** Stops what the children are doing; they stay open. */
	async stop(): Promise<void> {
		await Promise.all([...this.#open.values()].map(({ host }) => host.stop()));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#open.values()].map((child) => child[Symbol.asyncDispose]()));
	}

	/** Questions of a child reach the user through the parent's clients; what it spends is the parent's. */
	#inherited(
		spec: AgentSpec,
	): Pick<SessionParts, "requests" | "budget" | "model" | "thinking" | "lifecycle"> {
		const { state } = this.#parent.session;
		return {
			requests: this.#parent.requests,
			budget: this.#budgetOf(spec),
			model: spec.model ?? state.model,
			thinking: spec.thinking ?? state.thinkingLevel,
			lifecycle: undefined,
		};
	}

	#budgetOf({ budget: own = {} }: AgentSpec): Budget {
		const parent = liveBudget(this.#parts.settings, this.#parts.budget);
		const { totals } = this.#parent.session.usage;
		const least = (mine: number | undefined, left: number | undefined): number | undefined => {
			if (left === undefined) return mine;
			return Math.min(mine ?? Infinity, Math.max(left, 0));
		};
		return {
			maxTurns: least(own.maxTurns, parent.maxTurns),
			maxSeconds: least(own.maxSeconds, parent.maxSeconds),
			maxCost: least(own.maxCost, parent.maxCost && parent.maxCost - totals.cost.total),
			maxTokens: least(own.maxTokens, parent.maxTokens && parent.maxTokens - totals.totalTokens),
		};
	}

	/** In the directory of the parent's artifacts, where it goes with the parent and is in no list of sessions. */
	#newLog({ tree, cwd = tree?.cwd ?? this.#parent.state.cwd }: AgentSpec): SessionManager {
		const parentSession = this.#parent.log.getSessionFile();
		if (parentSession === undefined) return SessionManager.inMemory(cwd);
		const directory = artifactsDir(parentSession);
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		return SessionManager.create(cwd, directory, { parentSession });
	}

	async #announce({ id, name, host }: Child, { toolCallId }: AgentSpec): Promise<void> {
		const sessionFile = host.log.getSessionFile();
		await this.#parent.emit({
			type: "child_started",
			id,
			name,
			sessionId: host.log.getSessionId(),
			...(sessionFile === undefined ? {} : { sessionFile }),
			...(toolCallId === undefined ? {} : { toolCallId }),
		});
	}

	async #ended(child: Child): Promise<void> {
		this.#open.delete(child.id);
		for (const message of child.answers()) this.#parent.session.usage.add(message);
		await this.#parent.emit({ type: "child_ended", id: child.id, outcome: child.outcome });
	}
}

class Child implements ChildSession {
	readonly id = uuidv7();
	readonly name: string;
	readonly host: SessionHost;
	readonly #log: SessionManager;
	readonly #owned = new DisposableStack();
	readonly #signal: AbortSignal;
	readonly #onEnd: (child: Child) => Promise<void>;
	#ending: Promise<void> | undefined;

	constructor(
		{ name }: AgentSpec,
		host: SessionHost,
		log: SessionManager,
		signal: AbortSignal,
		onEnd: (child: Child) => Promise<void>,
	) {
		this.name = name;
		this.host = host;
		this.#log = log;
		this.#signal = signal;
		this.#onEnd = onEnd;
		this.#owned.use(listen(signal, "abort", () => void this[Symbol.asyncDispose]()));
	}

	get outcome(): "completed" | "aborted" | "failed" {
		const last = this.host.session.state.messages.at(-1);
		const reason = last?.role === "assistant" ? last.stopReason : undefined;
		if (this.#signal.aborted || reason === "aborted") return "aborted";
		return reason === "error" ? "failed" : "completed";
	}

	answers() {
		return this.host.session.state.messages.filter((message) => message.role === "assistant");
	}

	follow(listener: Parameters<SessionHost["subscribe"]>[0]): void {
		this.#owned.use(this.host.subscribe(listener));
	}

	[Symbol.asyncDispose](): Promise<void> {
		this.#ending ??= this.#end();
		return this.#ending;
	}

	async #end(): Promise<void> {
		await this.host.stop();
		this.#owned.dispose();
		await this.#onEnd(this);
		await this.host[Symbol.asyncDispose]();
		this.#log[Symbol.dispose]();
	}
}
