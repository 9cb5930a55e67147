/** Sessions that a session opens: each has its own context, log, tools and budget, and never more rights than its parent. */
import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { AgentTool } from "@tau/agent";
import { fittingLevel, type Model, type ThinkingLevel } from "@tau/ai";
import type { IsolatedTree } from "@tau/machines/isolation";
import type { Machine } from "@tau/sys";
import { oneLine, onDispose, shareTurn, fill } from "@tau/utils";

import { noSpending, sumSpending, type Budget, type Spending } from "../behaviors/budget-guard.ts";
import { SessionManager } from "@tau/log";
import type { MergeWrites } from "../policy/index.ts";
import type { Behavior } from "../run/behavior.ts";
import type { ToolEntry } from "../run/session-tools.ts";
import { UserError } from "../run/user-error.ts";
import messageText from "./agent-message.md" with { type: "text" };
import type { AgentMessageNote } from "./agent-messages.ts";
import { agentModel, type AgentModel } from "./agent-model.ts";
import { askBefore, followAgentHooks, hookedAgent, type AgentHook } from "./agent-hooks.ts";
import { AgentTree, mainAgent, type AgentInfo, type AgentRecord } from "./agent-tree.ts";
import { Child } from "./child.ts";
import { limits } from "./limits.ts";
import { liveBudget } from "./live-settings.ts";
import { agentUsage, type SessionParts } from "./parts.ts";
import type { SessionHost } from "./session-host.ts";
import { done, type Inherited, type Outcome } from "./session-state.ts";

export interface AgentSpec {
	/** How clients show the child; its id derives from it. */
	name: string;
	/** The type of agent that it is. */
	agent?: string | undefined;
	/** What it is to do, in one line. */
	task?: string | undefined;
	/** A model or its name, or several names in the order of preference. The parent's by default. */
	model?: Model | string | undefined;
	thinking?: ThinkingLevel | undefined;
	/** The names of the tools that it may use; those that the parent cannot use stay away. All of the parent's by default. */
	tools?: readonly string[] | undefined;
	/** Names of tools that it may not use, whatever else is said. */
	withoutTools?: readonly string[] | undefined;
	/** Tools and behaviors that it has besides, such as the one that takes its result. */
	ownTools?: readonly AgentTool[] | undefined;
	behaviors?: readonly Behavior[] | undefined;
	/** The types of agents that it may open; all by default. */
	spawns?: readonly string[] | "*" | undefined;
	/** It works in plan mode: nothing is written, whatever its parent may do. */
	isReadOnly?: boolean | undefined;
	/** Its own instructions, instead of the parent's system prompt. */
	systemPrompt?: string | undefined;
	/** The system prompt has everything in it: instructions of the project are not added again. */
	isWholePrompt?: boolean | undefined;
	/** Where its tools work; the parent's machine and directory by default. What contains commands there is its own. */
	machine?: Machine | undefined;
	cwd?: string | undefined;
	/** The isolated tree that it works in, with the sandbox that the parent has. Its owner merges and disposes of it. */
	tree?: IsolatedTree | undefined;
	/** Ends with the child, after its processes. */
	owns?: AsyncDisposable | undefined;
	/** Never more than what the parent has left. */
	budget?: Budget | undefined;
	/** The tool call that opens it. */
	toolCallId?: string | undefined;
	/** Nobody waits for it. */
	isBackground?: boolean | undefined;
}

export type ChildOutcome = "completed" | "aborted" | "failed";

/** A session that was opened by another one. */
export interface ChildSession extends AsyncDisposable {
	/** Unique below the session at the top. */
	readonly id: string;
	readonly name: string;
	readonly host: SessionHost;
	/** What it has done so far. */
	readonly info: AgentInfo;
	/** States how its work ended, with the reason; by default its last answer says so. */
	conclude(outcome: ChildOutcome, error?: string): void;
}

/** What the assembly derives the parts of a child from. */
export interface ChildRequest {
	spec: AgentSpec;
	/** The tools of the parent now, also those that it searches for and those that are hidden from it. */
	parentTools(): readonly ToolEntry[];
	/** Whether the child may open sessions itself. */
	maySpawn: boolean;
}

export interface SessionSpawner {
	/** `signal` ends the child. Rejects with a `UserError` if no child may be opened. */
	spawn(spec: AgentSpec, signal: AbortSignal): Promise<ChildSession>;
	/** Opens one that has ended again, with its conversation. */
	resume(id: string, signal: AbortSignal, more?: Partial<AgentSpec>): Promise<ChildSession>;
	/** Those that are open. */
	readonly all: readonly ChildSession[];
	/** All agents of the session at the top, also those that have ended. */
	readonly tree: AgentTree;
	/** The name of this session among the agents. */
	readonly self: string;
	/** Ends what an agent and those below it are doing; its partial output becomes its report. */
	stopAgent(id: string): Promise<Outcome>;
	/** Which files of an agent's tree may not be written into the project, with the reasons, by path. */
	refusedWrites(request: MergeWrites, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
	/** The kind of tree that an agent works or worked in; undefined if that was the project. */
	isolationOf(id: string): string | undefined;
	/** Decides about the agents that are opened from here, at any level. */
	addHook(hook: AgentHook): Disposable;
	/** The types of agents that may be opened from here. */
	readonly spawns: readonly string[] | "*";
}

export interface ChildrenParts {
	parent: SessionHost;
	parts: SessionParts;
	inherited: Inherited;
	create(parts: SessionParts, inherited: Inherited): SessionHost;
}

export class Children implements SessionSpawner, AsyncDisposable {
	readonly tree: AgentTree;
	readonly self: string;
	readonly spawns: readonly string[] | "*";
	readonly #parent: SessionHost;
	readonly #parts: SessionParts;
	readonly #depth: number;
	readonly #create: ChildrenParts["create"];
	readonly #inheritedHooks: () => readonly AgentHook[];
	readonly #hooks = new Set<AgentHook>();
	readonly #open = new Map<string, Child>();
	/** Children that are being opened: they count as open. */
	#opening = 0;
	/** What those that have ended spent. */
	#ended = noSpending();
	/** How messages of other agents reach the session at the top; connected with its first child. */
	#mailbox: Disposable | undefined;

	constructor({ parent, parts, inherited, create }: ChildrenParts) {
		this.#parent = parent;
		this.#parts = parts;
		this.#depth = inherited.depth ?? 0;
		this.#create = create;
		this.#inheritedHooks = inherited.agentHooks ?? (() => []);
		this.tree = inherited.tree ?? new AgentTree(() => parent.log.getSessionFile());
		this.self = inherited.agentId ?? mainAgent;
		this.spawns = inherited.spawns ?? "*";
	}

	get all(): readonly ChildSession[] {
		return this.open;
	}

	get open(): readonly Child[] {
		return [...this.#open.values()];
	}

	/** What the children have spent of this session's budget. */
	get spent(): Spending {
		return sumSpending([this.#ended, ...this.open.map(({ spent }) => spent)]);
	}

	get endedTurns(): number {
		return this.#ended.turns;
	}

	async spawn(spec: AgentSpec, signal: AbortSignal): Promise<ChildSession> {
		this.#check(signal);
		const id = this.tree.name(spec.name, this.#parentId);
		return this.#openChild(id, spec, signal, () => this.#newLog(id, spec));
	}

	async resume(id: string, signal: AbortSignal, more: Partial<AgentSpec> = {}): Promise<ChildSession> {
		this.#check(signal);
		const known = this.tree.find(id);
		if (known && known.endedAt === undefined) throw new UserError(`Agent ${id} is still running.`);
		const file = known?.sessionFile ?? this.tree.logFile(id);
		const opened = file !== undefined && existsSync(file) ? SessionManager.tryOpen(file) : undefined;
		if (!opened?.ok) throw new UserError(`There is no conversation of an agent ${id} to continue.`);
		const spec = { ...(known?.spec ?? this.#storedSpec(opened.session, id)), ...more };
		try {
			return await this.#openChild(id, spec, signal, () => opened.session);
		} catch (error) {
			opened.session[Symbol.dispose]();
			throw error;
		}
	}

	addHook(hook: AgentHook): Disposable {
		this.#hooks.add(hook);
		return onDispose(() => this.#hooks.delete(hook));
	}

	/** What an agent of another process was opened with: never more than it had there. */
	#storedSpec(log: SessionManager, id: string): AgentSpec {
		const init = log.getBranch().find((entry) => entry.type === "session_init");
		const budget = { maxTurns: this.#parts.settings.get("task.maxTurns") };
		if (!init) return { name: id, budget, spawns: [], isReadOnly: true };
		const { systemPrompt, task, tools, agent, spawns = [], readOnly: isReadOnly } = init;
		return { name: id, systemPrompt, task, tools, agent, spawns, isReadOnly, budget, isWholePrompt: true };
	}

	/** The agent of this name, at any level; undefined unless it is open. */
	find(id: string): ChildSession | undefined {
		for (const child of this.open) {
			const found = child.id === id ? child : child.host.children.find(id);
			if (found) return found;
		}
		return undefined;
	}

	/** Sends an agent a message of the user: after the tools that run, or when it would stop. */
	async message(id: string, text: string, as: "steer" | "followUp"): Promise<Outcome> {
		const child = this.find(id);
		if (!child) return { ok: false, reason: `No agent ${id} is running.` };
		const admission = await child.host.submit({ text, admitted: true }, { as });
		return admission.kind === "refused" ? { ok: false, reason: admission.reason } : done;
	}

	async stopAgent(id: string): Promise<Outcome> {
		const child = this.find(id);
		if (!child) return { ok: false, reason: `No agent ${id} is running.` };
		await child.host.stop();
		return done;
	}

	isolationOf(id: string): string | undefined {
		const known = this.tree.find(id);
		if (known) return known.spec.tree?.mode ?? (known.parentId && this.isolationOf(known.parentId));
		const file = this.tree.logFile(id);
		const opened = file !== undefined && existsSync(file) && SessionManager.tryOpen(file, { access: "read" });
		if (!opened || !opened.ok) return undefined;
		using log = opened.session;
		return log.getBranch().find((entry) => entry.type === "session_init")?.isolation;
	}

	async refusedWrites(request: MergeWrites, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
		return (await this.#parent.policy?.refusedWrites(request, signal)) ?? new Map();
	}

	/** Stops what the children are doing; they stay open. */
	async stop(): Promise<void> {
		await Promise.all(this.open.map(({ host }) => host.stop()));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.open.map((child) => child[Symbol.asyncDispose]()));
		this.#mailbox?.[Symbol.dispose]();
		this.#mailbox = undefined;
	}

	/** The session is another one: what its children spent was another budget. */
	async leave(): Promise<void> {
		await this[Symbol.asyncDispose]();
		this.#ended = noSpending();
		if (this.#depth === 0) this.tree.clear();
	}

	get #allHooks(): readonly AgentHook[] {
		return [...this.#inheritedHooks(), ...this.#hooks];
	}

	get #parentId(): string | undefined {
		return this.self === mainAgent ? undefined : this.self;
	}

	get #maxDepth(): number {
		return Math.min(this.#parts.settings.get("task.maxRecursionDepth"), limits.childDepth);
	}

	#check(signal: AbortSignal): void {
		signal.throwIfAborted();
		if (!this.#parts.derive) throw new UserError("This session cannot open other sessions.");
		if (this.#depth >= this.#maxDepth)
			throw new UserError(
				`Sessions are nested ${this.#depth} deep: no more can be opened (task.maxRecursionDepth).`,
			);
		if (this.#open.size + this.#opening >= limits.children)
			throw new UserError(`${limits.children} sessions are open: wait for one to end.`);
		if (this.#parent.phase === "closed") throw new UserError("The session has ended.");
	}

	async #openChild(
		id: string,
		spec: AgentSpec,
		signal: AbortSignal,
		openLog: () => SessionManager,
	): Promise<Child> {
		this.#opening++;
		let found: AgentModel;
		try {
			const parentModel = this.#parent.session.model;
			const parentName = `${parentModel.provider}/${parentModel.id}`;
			const model = await askBefore(this.#allHooks, id, spec, parentName);
			found = await agentModel(model, parentModel, this.#parts.registry);
		} finally {
			this.#opening--;
		}
		// Many are often opened at once.
		await shareTurn(limits.openMs);
		// The rest happens at once, up to the child being one of the open ones.
		this.#check(signal);
		const log = openLog();
		const isNew = log.getEntryCount() === 0;
		const host = this.#newHost(id, spec, found, log);
		// Agents of an isolated agent work in its tree.
		const isolation = spec.tree?.mode ?? (this.#parentId && this.isolationOf(this.#parentId));
		if (isNew) log.append(initOf(spec, host, isolation));
		if (spec.isReadOnly) host.policy?.setMode("plan");
		const child = this.#follow(this.#record(id, spec, host), host, log, signal);
		this.#open.set(id, child);
		if (found.problem !== undefined)
			await this.#parent.notice(
				`Agent ${id} uses ${found.model.provider}/${found.model.id}. ${found.problem}`,
			);
		await this.#announce(child);
		return child;
	}

	#newHost(id: string, spec: AgentSpec, found: AgentModel, log: SessionManager): SessionHost {
		const { session, policy, requests } = this.#parent;
		const parentTools = (): readonly ToolEntry[] =>
			session.tools?.entries ??
			session.state.tools.map((tool) => ({ tool, source: "builtin", hiddenBy: [] }));
		const maySpawn = this.#depth + 1 < this.#maxDepth;
		const hooks = this.#allHooks;
		const hooked =
			hooks.length === 0 ? [] : [followAgentHooks(hooks, () => hookedAgent(id, spec, log.getSessionFile()))];
		const asked = { ...spec, behaviors: [...(spec.behaviors ?? []), ...hooked] };
		const level = found.thinking ?? spec.thinking ?? session.state.thinkingLevel;
		const parts: SessionParts = {
			// Checked before the child is opened.
			...(this.#parts.derive as NonNullable<SessionParts["derive"]>)({ spec: asked, parentTools, maySpawn }),
			requests,
			budget: this.#budgetOf(id, spec),
			model: found.model,
			thinking: fittingLevel(found.model, level),
			lifecycle: undefined,
			onUsage: agentUsage(spec.agent, this.#parts),
			log,
		};
		return this.#create(parts, {
			depth: this.#depth + 1,
			gates: () => this.#parent.session.inheritedGates(),
			policy: { policy, agent: id },
			agentHooks: () => this.#allHooks,
			tree: this.tree,
			agentId: id,
			spawns: spec.spawns,
		});
	}

	/** One budget for all: what a child may spend is what its parent and its siblings have left of it. */
	#budgetOf(id: string, { budget: own = {} }: AgentSpec): Budget {
		const parent = liveBudget(this.#parts.settings, this.#parts.budget);
		const workedSeconds = this.#parent.spending.time.workedMs / 1000;
		const least = (mine: number | undefined, limit: number | undefined, key: keyof Spending) => {
			if (limit === undefined) return mine;
			const others = this.open.filter((child) => child.id !== id).map(({ spent }) => spent);
			const used = sumSpending([this.#parent.spending, this.#ended, ...others])[key];
			return Math.min(mine ?? Infinity, Math.max(limit - used, 0));
		};
		return {
			get maxTurns() {
				return least(own.maxTurns, parent.maxTurns, "turns");
			},
			get maxCost() {
				return least(own.maxCost, parent.maxCost, "cost");
			},
			get maxTokens() {
				return least(own.maxTokens, parent.maxTokens, "tokens");
			},
			get maxSeconds() {
				const left = parent.maxSeconds === undefined ? Infinity : parent.maxSeconds - workedSeconds;
				const seconds = Math.min(own.maxSeconds ?? Infinity, left);
				return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
			},
		};
	}

	/** In the directory of the artifacts of the session at the top, where it goes with it and is in no list of sessions. */
	#newLog(id: string, { tree, cwd = tree?.cwd ?? this.#parent.state.cwd }: AgentSpec): SessionManager {
		const file = this.tree.logFile(id);
		const parentSession = this.#parent.log.getSessionFile();
		if (file === undefined || parentSession === undefined) return SessionManager.inMemory(cwd);
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		return SessionManager.create(cwd, dirname(file), { parentSession, fileName: basename(file) });
	}

	#record(id: string, spec: AgentSpec, { log, session }: SessionHost): AgentRecord {
		const record: AgentRecord = {
			id,
			parentId: this.#parentId,
			spec,
			sessionFile: log.getSessionFile(),
			model: `${session.model.provider}/${session.model.id}`,
			startedAt: Date.now(),
			endedAt: undefined,
			state: "running",
			lastAction: "",
			tokens: 0,
			cost: 0,
			turns: 0,
			error: undefined,
		};
		this.tree.add(record);
		return record;
	}

	#follow(record: AgentRecord, host: SessionHost, log: SessionManager, signal: AbortSignal): Child {
		const { id } = record;
		const parent = this.#parent;
		const { messages } = this.tree;
		if (this.self === mainAgent)
			this.#mailbox ??= messages.connect(mainAgent, (note) => {
				void parent.deliver({ text: textOf(note), customType: "irc", wakes: true });
			});
		const mailbox = messages.connect(id, (note) => {
			if (host.isBusy)
				void host.submit({ text: textOf(note), customType: "irc", admitted: true }, { as: "steer" });
		});
		return new Child({
			record,
			host,
			log,
			signal,
			describe: this.#parts.describeCall ?? ((name) => name),
			stallSeconds: () => this.#parts.settings.get("task.stallSeconds"),
			onEvent: (event) => parent.emitToClients({ type: "child_event", id, event }),
			onProgress: (info) => {
				this.tree.changed();
				void parent.emitToClients({ type: "child_progress", id, ...factsOf(info) });
			},
			onStall: ({ lastAction }) =>
				void parent.notice(
					`Agent ${id} has produced no output for ${this.#parts.settings.get("task.stallSeconds")} s. Last action: ${lastAction || "none"}`,
				),
			onEnd: async (child) => {
				mailbox[Symbol.dispose]();
				await this.#childEnded(child);
			},
		});
	}

	async #announce({ id, name, host, info: { spec } }: Child): Promise<void> {
		const sessionFile = host.log.getSessionFile();
		const { toolCallId, agent, task, isBackground } = spec;
		await this.#parent.emit({
			type: "child_started",
			id,
			name,
			sessionId: host.log.getSessionId(),
			...(sessionFile === undefined ? {} : { sessionFile }),
			...(toolCallId === undefined ? {} : { toolCallId }),
			...(agent === undefined ? {} : { agent }),
			...(task === undefined ? {} : { task: oneLine(task, limits.actionChars) }),
			...(isBackground ? { background: true } : {}),
		});
	}

	async #childEnded(child: Child): Promise<void> {
		const { spent, id, outcome, info } = child;
		this.#open.delete(id);
		this.#ended = sumSpending([this.#ended, spent]);
		// In the log too: a resumed session knows what its agents have cost.
		for (const { provider, model, usage } of child.newUsage()) {
			this.#parent.session.usage.addElsewhere({ provider, model, usage });
			this.#parent.log.appendUsage("agent", provider, model, usage, id);
		}
		const error = outcome === "completed" ? undefined : info.error;
		await this.#parent.emit({ type: "child_ended", id, outcome, ...(error === undefined ? {} : { error }) });
	}
}

/** What it takes to continue the agent in another process. */
function initOf(
	{ task = "", agent, spawns = "*", isReadOnly }: AgentSpec,
	{ session: { state } }: SessionHost,
	isolation: string | undefined,
) {
	return {
		type: "session_init" as const,
		systemPrompt: state.systemPrompt,
		task,
		tools: state.tools.map(({ name }) => name),
		...(agent === undefined ? {} : { agent }),
		...(spawns.length === 0 ? {} : { spawns }),
		...(isReadOnly ? { readOnly: true } : {}),
		...(isolation === undefined ? {} : { isolation }),
	};
}

function textOf({ from, to, text }: AgentMessageNote): string {
	return fill(messageText, { from, channel: to.startsWith("#") ? ` in ${to}` : "", text }).trim();
}

/** What clients see of the progress. */
export function factsOf({ state, lastAction, tokens, cost, turns, startedAt, endedAt }: AgentInfo) {
	return { state, lastAction, tokens, cost, turns, elapsedMs: (endedAt ?? Date.now()) - startedAt };
}
