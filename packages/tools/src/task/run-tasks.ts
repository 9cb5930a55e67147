/** Runs the tasks of one call: side by side within the limits, awaited or in the background. */
import type { AgentToolResult } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import type { AgentOutcome, SessionSpawner } from "@tau/session/host";
import { log, nearest, oneLine, onDispose } from "@tau/utils";

import { liveUpdates } from "../output/index.ts";
import type { ToolContext } from "../tool/define-tool.ts";
import type { ToolEnv } from "../tool/env.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { ServiceKey } from "../tool/services.ts";
import { agentsOf, type AgentType } from "./agent-type.ts";
import { limits } from "./limits.ts";
import { outcomeRow, outcomeText, rowOf, rowText, type AgentRow } from "./report.ts";
import { blockedAgent, runAgent, type AgentTask } from "./run-agent.ts";
import { resultSchemaProblem } from "./submit-result.ts";

export interface TaskParams {
	context?: string | undefined;
	tasks: readonly TaskItem[];
	background?: boolean | undefined;
}

export interface TaskItem extends Pick<
	AgentTask,
	"assignment" | "name" | "model" | "tools" | "budget" | "isolation"
> {
	agent?: string | undefined;
	schema?: JsonSchema | undefined;
}

type Context = ToolContext & { readonly sessions: SessionSpawner };

const standard = "task";

export async function runTasks(params: TaskParams, context: ToolContext): Promise<AgentToolResult> {
	const { sessions } = context;
	if (!sessions) return errorResult("This session cannot open agents.");
	const planned = await Promise.all(params.tasks.map((item) => plan(item, params, { ...context, sessions })));
	const problems = planned.flatMap((one, at) => ("problem" in one ? [`Task ${at + 1}: ${one.problem}`] : []));
	if (problems.length > 0) return errorResult(problems.join("\n"));
	const tasks = planned.flatMap((one) => ("problem" in one ? [] : [one]));
	const isLasting = context.session.staysOpen ?? false;
	if (params.background && isLasting) return startAll(tasks, { ...context, sessions });
	return runAll(tasks, { ...context, sessions });
}

async function plan(
	item: TaskItem,
	params: TaskParams,
	context: Context,
): Promise<AgentTask | { problem: string }> {
	const types = usableAgents(context);
	const name = item.agent ?? standard;
	const type = types.find((each) => each.name === name) ?? types.find((each) => isAlike(each.name, name));
	if (!type) return { problem: unknownAgent(name, types, context) };
	const wanted = item.schema ?? type.output;
	const problem = wanted && (await resultSchemaProblem(wanted, context.signal));
	if (problem !== undefined) return { problem };
	const { assignment, model, tools, budget, schema, isolation } = item;
	return {
		type,
		assignment,
		model,
		tools,
		budget,
		schema,
		isolation,
		name: item.name,
		context: params.context,
		toolCallId: context.toolCallId,
		isBackground: params.background ?? false,
	};
}

function isAlike(one: string, other: string): boolean {
	return one.toLowerCase() === other.trim().toLowerCase();
}

/** The types that may be opened from here. */
function usableAgents(env: ToolEnv): AgentType[] {
	const spawns = env.sessions?.spawns ?? "*";
	const blocked = blockedAgent(env);
	return agentsOf(env).filter(({ name }) => name !== blocked && (spawns === "*" || spawns.includes(name)));
}

function unknownAgent(name: string, types: readonly AgentType[], context: Context): string {
	const shown = oneLine(name, limits.shownChars);
	if (name === blockedAgent(context)) return `The agent ${shown} is blocked (TAU_BLOCKED_AGENT).`;
	const names = types.map((type) => type.name);
	const [near] = nearest(name, names, 1);
	const isThere = agentsOf(context).some((type) => type.name === name);
	const why = isThere ? `This agent may not open ${shown}.` : `There is no agent ${shown}.`;
	return `${why}${near ? ` Did you mean ${near}?` : ""} Agents: ${names.join(", ") || "none"}.`;
}

async function runAll(tasks: readonly AgentTask[], context: Context): Promise<AgentToolResult> {
	const slots = context.services.get(slotsService, context);
	const rows: AgentRow[] = tasks.map(({ type, name }) => waitingRow(name ?? type.name, type.name));
	const ids = new Map<number, string>();
	const refresh = (): void => {
		for (const [at, id] of ids) {
			const info = context.sessions.tree.find(id);
			if (info && info.endedAt === undefined) rows[at] = rowOf(info);
		}
		context.update(textResult(rows.map(rowText).join("\n"), { agents: [...rows] }));
	};
	using updates = liveUpdates(refresh);
	using _tree = context.sessions.tree.onChange(() => updates.changed());
	// Time also passes while an agent waits for a command.
	using _clock = every(limits.clockMs, () => ids.size > 0 && updates.changed());
	updates.changed();
	const outcomes = await Promise.all(
		tasks.map(async (task, at) => {
			const outcome = await runOne(task, context, slots, context.signal, (id) => ids.set(at, id));
			ids.delete(at);
			rows[at] = outcomeRow(outcome);
			updates.changed();
			return outcome;
		}),
	);
	const text = outcomes.map(outcomeText).join("\n\n");
	const details = { agents: rows, summary: rows.map(rowText) };
	const isError = outcomes.every(({ end }) => end === "failed" || end === "aborted");
	const data = outcomes.map(({ data: result }) => result ?? null);
	const result = isError ? errorResult(text, details) : textResult(text, details);
	return { ...result, structuredContent: data };
}

function every(ms: number, work: () => void): Disposable {
	const interval = setInterval(work, ms);
	return onDispose(() => clearInterval(interval));
}

/** Never rejects: an agent that cannot be opened has an outcome too. */
async function runOne(
	task: AgentTask,
	context: Context,
	slots: AgentSlots,
	signal: AbortSignal,
	onId: (id: string) => void,
): Promise<AgentOutcome> {
	const startedAt = Date.now();
	try {
		using _slot = await slots.take(signal);
		return await runAgent(context, task, signal, ({ id }) => onId(id));
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const { name, type } = task;
		return {
			id: name ?? type.name,
			type: type.name,
			end: signal.aborted ? "aborted" : "failed",
			reason: signal.aborted ? "It was stopped before it began." : reason,
			text: "",
			tokens: 0,
			cost: 0,
			turns: 0,
			ms: Date.now() - startedAt,
		};
	}
}

/** Returns when all are named; each sends a message when it ends. */
async function startAll(tasks: readonly AgentTask[], context: Context): Promise<AgentToolResult> {
	const slots = context.services.get(slotsService, context);
	const names = await Promise.all(
		tasks.map(async (task) => {
			const started = Promise.withResolvers<string>();
			const { isFull } = slots;
			const run = runOne(task, context, slots, slots.signal, started.resolve).then((outcome) => {
				if (!slots.signal.aborted)
					context.session.deliver(outcomeText(outcome), { customType: "task", wakes: true });
			});
			slots.own(run);
			const name = task.name ?? task.type.name;
			// One that waits for a slot has no id yet.
			return isFull ? `${name} (waiting)` : Promise.race([started.promise, run.then(() => name)]);
		}),
	);
	const list = names.join(", ");
	return textResult(`Started in the background: ${list}. A message follows when one ends.`, {
		agents: names,
	});
}

function waitingRow(id: string, type: string): AgentRow {
	return { id, type, state: "waiting", lastAction: "", tokens: 0, cost: 0, ms: 0 };
}

/** How many agents of a session work at once, and those that nobody awaits. */
class AgentSlots implements AsyncDisposable {
	readonly #most: () => number;
	readonly #ended = new AbortController();
	readonly #running = new Set<Promise<void>>();
	readonly #waiting: (() => void)[] = [];
	#taken = 0;

	constructor(most: () => number) {
		this.#most = most;
	}

	/** Ends the agents in the background, with the session. */
	get signal(): AbortSignal {
		return this.#ended.signal;
	}

	get isFull(): boolean {
		return this.#taken >= this.#most();
	}

	async take(signal: AbortSignal): Promise<Disposable> {
		signal.throwIfAborted();
		if (this.isFull) await this.#wait(signal);
		else this.#taken++;
		return { [Symbol.dispose]: () => this.#release() };
	}

	own(run: Promise<void>): void {
		const kept = run.catch((error: unknown) => {
			log.error("an agent in the background failed", { reason: String(error) });
		});
		this.#running.add(kept);
		void kept.finally(() => this.#running.delete(kept));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended.abort();
		await Promise.all(this.#running);
	}

	/** Resolves with a slot that another one leaves. */
	#wait(signal: AbortSignal): Promise<void> {
		const turn = Promise.withResolvers<void>();
		const give = (): void => turn.resolve();
		const giveUp = (): void => {
			const at = this.#waiting.indexOf(give);
			if (at >= 0) this.#waiting.splice(at, 1);
			turn.reject(signal.reason);
		};
		this.#waiting.push(give);
		signal.addEventListener("abort", giveUp, { once: true });
		return turn.promise.finally(() => signal.removeEventListener("abort", giveUp));
	}

	#release(): void {
		const next = this.#waiting.shift();
		if (next) next();
		else this.#taken--;
	}
}

const slotsService: ServiceKey<AgentSlots> = {
	name: "agents",
	create: ({ settings }) => new AgentSlots(() => settings.get("task.maxConcurrency")),
};
