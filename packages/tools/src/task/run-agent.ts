/** Runs one agent from its assignment to its report; whatever happens to it, what there is comes back with the reason. */
import type { AgentMessage } from "@tau/agent";
import type { JsonSchema } from "@tau/ai";
import type { AgentOutcome, AgentQuestion, ChildSession } from "@tau/session/host";
import { fill, cutUtf8, delay, env as variable, envNumber, localDate, log, oneLine } from "@tau/utils";
import type { IsolatedTree } from "@tau/machines/isolation";

import { planMode, type ToolEnv } from "../tool/env.ts";
import type { AgentType } from "./agent-type.ts";
import askAgain from "./ask-again.md" with { type: "text" };
import assignmentText from "./assignment.md" with { type: "text" };
import childPrompt from "./child.md" with { type: "text" };
import { mergeTree, openTree, type IsolationEnv } from "./isolated.ts";
import { limits } from "./limits.ts";
import reportData from "./report-data.md" with { type: "text" };
import reportText from "./report-text.md" with { type: "text" };
import { resultBox, type ResultBox } from "./submit-result.ts";

export interface AgentTask {
	type: AgentType;
	assignment: string;
	/** What all tasks of a call share. */
	context?: string | undefined;
	name?: string | undefined;
	model?: string | undefined;
	/** Of the tools of its type. */
	tools?: readonly string[] | undefined;
	budget?: AgentBudget | undefined;
	/** The shape of the result; that of the type by default. */
	schema?: JsonSchema | undefined;
	/** Where it works, as the type and the settings say; `auto` asks for a tree of its own. */
	isolation?: string | undefined;
	toolCallId?: string | undefined;
	isBackground?: boolean | undefined;
}

export interface AgentBudget {
	/** US dollars */
	cost?: number | undefined;
	tokens?: number | undefined;
	turns?: number | undefined;
	seconds?: number | undefined;
}

type AgentEnv = IsolationEnv;

/** Rejects with a `UserError` where no agent may be opened; from then on there is always an outcome. */
export async function runAgent(
	env: AgentEnv,
	task: AgentTask,
	signal: AbortSignal,
	onStart: (child: ChildSession) => void = () => {},
): Promise<AgentOutcome> {
	const box = boxOf(task);
	const { type, name = type.name } = task;
	// A task may ask for a tree of its own, and not take away the one that the user has set.
	const wanted = task.isolation === "none" ? type.isolation : (task.isolation ?? type.isolation);
	const tree = await openTree(env, { label: name, wanted, signal });
	let child: ChildSession;
	try {
		child = await env.sessions.spawn(specOf(env, task, box, tree), signal);
	} catch (error) {
		await tree?.[Symbol.asyncDispose]();
		throw error;
	}
	return followAgent(env, child, { task, box, tree, signal, onStart, prompt: promptOf(task) });
}

/** Asks an agent that has ended something more, in its own conversation. */
export async function resumeAgent(
	env: AgentEnv,
	id: string,
	{ question, signal, onStart }: AgentQuestion,
): Promise<AgentOutcome> {
	const known = env.sessions.tree.find(id);
	const wanted = env.sessions.isolationOf(id);
	// The tree that it had is merged or kept; it works in a new one where it had one.
	const tree = wanted === undefined ? undefined : await openTree(env, { label: id, wanted, signal });
	const { cwd: before, systemPrompt } = known?.spec ?? {};
	const moved = before === undefined ? systemPrompt : systemPrompt?.replaceAll(before, tree?.cwd ?? env.cwd);
	const place = {
		tree,
		owns: tree,
		cwd: tree?.cwd,
		...(moved === undefined ? {} : { systemPrompt: moved }),
	};
	let child: ChildSession;
	try {
		// A result was reported before; what follows is a conversation.
		child = await env.sessions.resume(id, signal, { ownTools: [], behaviors: [], ...place });
	} catch (error) {
		await tree?.[Symbol.asyncDispose]();
		throw error;
	}
	const task: AgentTask = { type: typeOf(child), assignment: question };
	return followAgent(env, child, {
		task,
		box: undefined,
		tree,
		signal,
		prompt: question,
		...(onStart ? { onStart } : {}),
	});
}

interface Following {
	task: AgentTask;
	box: ResultBox | undefined;
	/** Where it works, if that is not the project. */
	tree?: IsolatedTree | undefined;
	signal: AbortSignal;
	prompt: string;
	onStart?(child: ChildSession): void;
}

async function followAgent(env: AgentEnv, child: ChildSession, following: Following): Promise<AgentOutcome> {
	const { task, box, signal, onStart, prompt } = following;
	const before = child.host.session.state.messages.length;
	let overBudget: string | undefined;
	using _events = child.host.attach({
		onEvent: (event) => {
			if (event.type === "budget_exhausted") overBudget = event.message;
		},
	});
	try {
		onStart?.(child);
		let refused = await ask(child, prompt, signal);
		for (let asked = 0; asked < limits.reasks && needsMore(child, box, signal, overBudget); asked++)
			refused ??= await ask(child, askAgain.trim(), signal);
		const outcome = outcomeOf({ child, task, box, signal, overBudget, refused, before });
		child.conclude(outcome.end === "budget" ? "failed" : outcome.end, outcome.reason);
		const kept = keep(env, outcome);
		return following.tree ? { ...kept, merge: await merged(env, following.tree, kept, following) } : kept;
	} finally {
		const ended = child[Symbol.asyncDispose]();
		// After an abort the caller has a second, which ending commands may need for themselves.
		if (!signal.aborted) await ended;
		else
			ended.then(undefined, (error: unknown) =>
				log.warn("an agent was not ended in order", { id: child.id, reason: String(error) }),
			);
	}
}

/** Never rejects: the report counts, whatever became of the files. */
async function merged(
	{ sessions, services }: AgentEnv,
	tree: IsolatedTree,
	{ id, end }: AgentOutcome,
	{ task, signal }: Following,
): Promise<string> {
	try {
		return await mergeTree(tree, {
			sessions,
			agent: id,
			isDone: end === "completed",
			plan: services?.provided(planMode),
			toolCallId: task.toolCallId,
			// What was changed is looked at also after an abort.
			signal: signal.aborted ? new AbortController().signal : signal,
		});
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return `Its changes were not merged (${reason}). They are kept in ${tree.directory}.`;
	}
}

function boxOf({ schema, type }: AgentTask): ResultBox | undefined {
	const wanted = schema ?? type.output;
	return wanted && resultBox(wanted);
}

function specOf(env: AgentEnv, task: AgentTask, box: ResultBox | undefined, tree: IsolatedTree | undefined) {
	const { type, name, budget = {}, toolCallId } = task;
	return {
		name: name ?? type.name,
		agent: type.name,
		task: task.assignment,
		model: task.model ?? type.model,
		thinking: type.thinking,
		tools: toolsOf(task),
		withoutTools: type.withoutTools,
		spawns: type.spawns,
		isReadOnly: type.isReadOnly,
		ownTools: box ? [box.tool] : [],
		behaviors: box ? [box.behavior] : [],
		systemPrompt: fill(childPrompt, {
			role: type.prompt,
			cwd: tree?.cwd ?? env.cwd,
			report: (box ? reportData : reportText).trim(),
			date: localDate(),
			platform: `${process.platform} ${process.arch}`,
		}),
		budget: {
			maxCost: budget.cost,
			maxTokens: budget.tokens,
			maxTurns: budget.turns ?? type.maxTurns ?? env.settings.get("task.maxTurns"),
			maxSeconds: budget.seconds,
		},
		toolCallId,
		isBackground: task.isBackground,
		...(tree ? { tree, cwd: tree.cwd, owns: tree } : {}),
	};
}

/** A task may narrow the tools of its type, not widen them. */
function toolsOf({ tools, type }: AgentTask): readonly string[] | undefined {
	if (!tools) return type.tools;
	const own = type.tools && new Set(type.tools.map((name) => name.toLowerCase()));
	return own ? tools.filter((name) => own.has(name.toLowerCase())) : tools;
}

function promptOf({ context, assignment }: AgentTask): string {
	if (context === undefined || context.trim() === "") return assignment;
	return fill(assignmentText, { context: context.trim(), assignment });
}

/** Resolves when the run is over, or soon after an abort. Returns why no model was asked. */
async function ask(child: ChildSession, text: string, signal: AbortSignal): Promise<string | undefined> {
	const admission = await child.host.submit({ text, admitted: true }, { isQuiet: true });
	if (admission.kind === "refused") return admission.reason;
	if (admission.kind === "queued") return undefined;
	const aborted = Promise.withResolvers<void>();
	const onAbort = (): void => void delay(limits.partialMs).then(aborted.resolve);
	signal.addEventListener("abort", onAbort, { once: true });
	if (signal.aborted) onAbort();
	try {
		const end = await Promise.race([admission.done, aborted.promise]);
		await Promise.race([child.host.waitForIdle(), aborted.promise]);
		return end?.refused ?? end?.denied;
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

function needsMore(
	{ host }: ChildSession,
	box: ResultBox | undefined,
	signal: AbortSignal,
	overBudget: string | undefined,
): boolean {
	if (!box || box.result || box.isHopeless || signal.aborted || overBudget !== undefined) return false;
	const last = host.session.state.messages.at(-1);
	return last?.role === "assistant" && last.stopReason === "stop";
}

interface Ended extends Omit<Following, "prompt" | "onStart"> {
	child: ChildSession;
	overBudget: string | undefined;
	refused: string | undefined;
	/** Messages that were there before. */
	before: number;
}

function outcomeOf(ended: Ended): AgentOutcome {
	const { child, task, box, before } = ended;
	const { info, host } = child;
	const messages = host.session.state.messages.slice(before);
	const { end, reason } = endOf(ended, messages);
	const data = box?.result && { data: box.result.data };
	const text = data ? JSON.stringify(data.data, null, 2) : reportOf(messages, box, end === "completed");
	return {
		id: child.id,
		type: task.type.name,
		end,
		...(reason === undefined ? {} : { reason }),
		text,
		...data,
		tokens: info.tokens,
		cost: info.cost,
		turns: info.turns,
		ms: Date.now() - info.startedAt,
	};
}

function endOf(
	{ signal, overBudget, refused, box, child }: Ended,
	messages: readonly AgentMessage[],
): Pick<AgentOutcome, "end" | "reason"> {
	const last = messages.findLast((message) => message.role === "assistant");
	if (box?.result) return { end: "completed" };
	if (overBudget !== undefined) return { end: "budget", reason: overBudget };
	const isCut = last?.stopReason === "aborted" || (last?.stopReason === "toolUse" && !box?.isHopeless);
	if (signal.aborted || isCut) return { end: "aborted", reason: "It was stopped." };
	if (refused !== undefined) return { end: "failed", reason: refused };
	if (last?.stopReason === "error")
		return { end: "failed", reason: last.errorMessage ?? "The model gave no answer." };
	if (!last) return { end: "failed", reason: child.info.error ?? "It ended before it answered." };
	if (box?.wrong)
		return { end: "failed", reason: `Its result does not fit the schema: ${box.wrong.problem}` };
	if (box) return { end: "failed", reason: "It returned no result, even after a retry." };
	return { end: "completed" };
}

/** The last text; where the work broke off, everything that was written, or at least what was done. */
function reportOf(
	messages: readonly AgentMessage[],
	box: ResultBox | undefined,
	isComplete: boolean,
): string {
	if (box?.wrong) return JSON.stringify(box.wrong.data, null, 2);
	const answers = messages.filter((message) => message.role === "assistant");
	const texts = answers
		.map(({ content }) =>
			content
				.flatMap((part) => (part.type === "text" ? [part.text] : []))
				.join("\n")
				.trim(),
		)
		.filter((text) => text !== "");
	if (texts.length > 0) return isComplete ? (texts.at(-1) ?? "") : texts.join("\n\n");
	const calls = answers.flatMap(({ content }) => content.filter((part) => part.type === "toolCall"));
	const lines = calls
		.slice(-limits.listedCalls)
		.map(({ name, arguments: args }) => `- ${name} ${oneLine(JSON.stringify(args), limits.rowChars)}`);
	return lines.length === 0 ? "" : `It wrote nothing. Its last calls:\n${lines.join("\n")}`;
}

/** Stores the report, within the bounds of the environment. */
function keep(env: AgentEnv, outcome: AgentOutcome): AgentOutcome {
	const bytes = envNumber("TAU_TASK_MAX_OUTPUT_BYTES", env.env) ?? limits.outputBytes;
	const lines = envNumber("TAU_TASK_MAX_OUTPUT_LINES", env.env) ?? limits.outputLines;
	const text = cutUtf8(outcome.text.split("\n").slice(0, lines).join("\n"), bytes);
	const lost = outcome.text.length - text.length;
	const bounded = lost > 0 ? `${text}\n[${lost} more characters were left out]` : text;
	env.sessions.tree.outputs.write(outcome.id, bounded);
	return { ...outcome, text: bounded };
}

/** The type that the user does not want to run: TAU_BLOCKED_AGENT. */
export function blockedAgent(env: Pick<ToolEnv, "env">): string | undefined {
	return variable("TAU_BLOCKED_AGENT", env.env);
}

function typeOf({ info }: ChildSession): AgentType {
	return { name: info.spec.agent ?? info.spec.name, description: "", prompt: "", spawns: [] };
}
