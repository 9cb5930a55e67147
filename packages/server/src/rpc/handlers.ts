/** What each command does. */

import type { AgentMessage } from "@tau/agent";
import { levelsOf, type ImageContent, type Model } from "@tau/ai";
import { builtinPrompts, refuseUnknown } from "@tau/resources/prompt-templates";
import { pastesOf, userTextOf } from "@tau/log";
import type { Prompt } from "@tau/session";
import {
	assertOutcome,
	assertRight,
	type Admission,
	type CellResult,
	type CommandResult,
	type RunEnd,
	type SessionChange,
	type SessionHost,
	type ShownTerminal,
	type SessionMove,
	addComment,
} from "@tau/session/host";
import type { Policy } from "@tau/session/policy";
import { sessionStats, unansweredMessages, UserError } from "@tau/session/run";
import { isSettingPath } from "@tau/config/settings";
import { log as logger } from "@tau/utils";
import type { Origin } from "@tau/resources/discovery";
import type { McpPrompt } from "@tau/resources/mcp";
import type { Resources } from "@tau/extensions/resources";

import { commandRights } from "@tau/wire";

import {
	agentMessages,
	entriesAfter,
	entriesBefore,
	messageAgent,
	publicAgent,
} from "@tau/session-commands/work";
import type { RpcCommand, RpcCommandOf } from "./commands.ts";
import type { RequestCommand } from "./request-handlers.ts";
import type { CommandScope } from "./command-scope.ts";
import { componentHandlers, drawForWeb } from "./component-handlers.ts";
import { contextHandlers } from "./context-handlers.ts";
import { fileHandlers } from "./file-handlers.ts";
import { rewindHandlers } from "./rewind-handlers.ts";
import type { RpcModel, RpcResult, RpcResults, RpcSessionState, RpcSlashCommand } from "./protocol.ts";

/** The commands that are executed one after the other, when the session is open. */
export type QueuedCommand = Exclude<RpcCommand, RequestCommand>;

/** Throws the reason for the client; then nothing has changed. */
export function handle<T extends QueuedCommand["type"]>(
	command: QueuedCommand & { type: T },
	state: CommandScope,
): RpcResult | Promise<RpcResult> {
	const { by } = state;
	if (by) assertRight(by, commandRights[command.type], command.type);
	// The type of a command chooses its schema, so that the one belongs to the other.
	return handlers[command.type as T](command as RpcCommandOf<T>, state);
}

const handlers: {
	readonly [T in QueuedCommand["type"]]: (
		command: RpcCommandOf<T>,
		state: CommandScope,
	) => RpcResults[T] | Promise<RpcResults[T]>;
} = {
	prompt,
	steer: (command, state) => queue(command, state, "steer"),
	follow_up: (command, state) => queue(command, state, "followUp"),
	clear_queue: (_, { host }) => {
		const { steering, followUps } = host.session.state;
		const messages = takenBack(host, host.session.queues.clearQueues());
		return { steering: queuedTexts(steering), followUp: queuedTexts(followUps), messages };
	},
	dequeue_last: (_, { host }) => {
		for (let last = host.session.queues.dequeueLast(); last; last = host.session.queues.dequeueLast()) {
			const [message] = takenBack(host, [last]);
			if (message) return { message };
		}
		return { message: null };
	},
	abort: ({ scope = "run" }, { host, by }) => host.stop(scope, by),
	wait_for_idle: (_, { host }) => host.waitForIdle(),
	new_session: ({ parentSession }, scope) => moved(scope, { to: "new", parentSession }),
	get_state: async (_, { host }) => {
		await host.session.settled();
		return stateOf(host);
	},
	get_messages: (_, { host }) => ({ messages: host.session.state.messages }),
	set_model: async ({ provider, modelId }, scope) => {
		const model = await scope.host.models.ready(provider, modelId);
		await changed(scope, { type: "model", model });
		return publicModel(model);
	},
	cycle_model: async ({ direction }, { host }) => {
		const next = await host.cycleModel(direction === "backward" ? -1 : 1);
		if (!next) return null;
		const { thinkingLevel } = host.session.state;
		return { model: publicModel(next.model), thinkingLevel, isScoped: next.isScoped };
	},
	get_available_models: (_, { host }) => ({ models: host.models.available().map(publicModel) }),
	set_thinking_level: ({ level }, scope) => changed(scope, { type: "thinking", level }),
	get_available_thinking_levels: (_, { host }) => ({ levels: levelsOf(host.state.model) }),
	cycle_thinking_level: async (_, { host }) => {
		const level = await host.cycleThinkingLevel();
		return level === undefined ? null : { level };
	},
	set_steering_mode: ({ mode }, scope) => changed(scope, { type: "queueMode", steering: mode }),
	set_follow_up_mode: ({ mode }, scope) => changed(scope, { type: "queueMode", followUp: mode }),
	compact: ({ customInstructions }, { host, by }) => host.compact(customInstructions, by),
	handoff: async ({ customInstructions }, { host }) => ({
		cancelled: (await host.handoff(customInstructions)).kind === "cancelled",
	}),
	set_auto_compaction: ({ enabled }, scope) =>
		changed(scope, { type: "setting", path: "compaction.enabled", value: enabled }),
	set_auto_retry: ({ enabled }, scope) =>
		changed(scope, { type: "setting", path: "retry.enabled", value: enabled }),
	abort_retry: (_, { host, by }) => host.stop("retry", by),
	retry: (_, state) => retry(state),
	bash: async ({ command, excludeFromContext: isPrivate = false }, { host, by }) =>
		executionResult(await host.shell(command, { isPrivate, by })),
	cell: async ({ code, language, excludeFromContext: isPrivate = false }, { host, by }) =>
		executionResult(await host.cell(code, { language, isPrivate, by })),
	abort_bash: (_, { host, by }) => void host.stop("shell", by),
	background_bash: (_, { host }) => ({ jobs: host.work.jobs.background() }),
	get_session_stats: (_, { host }) => sessionStats(host),
	export_html: async ({ outputPath }, { host }) => {
		const { exportHtml } = await import("@tau/session/export");
		return { path: await exportHtml(host.log, outputPath) };
	},
	switch_session: ({ sessionPath }, scope) => moved(scope, { to: "resume", file: sessionPath }),
	fork: async ({ entryId }, { host, by }) => {
		const outcome = await host.move({ to: "fork", entryId, position: "before" }, by);
		return outcome.kind === "moved"
			? { cancelled: false, text: outcome.text ?? "" }
			: { cancelled: true, text: "" };
	},
	clone: (_, scope) => moved(scope, { to: "fork", position: "at" }),
	get_fork_messages: (_, { host }) => ({ messages: host.forkMessages() }),
	...contextHandlers,
	...rewindHandlers,
	...fileHandlers,
	get_children: async (_, { host }) => ({ children: host.children.tree.all.map(publicAgent) }),
	get_child_messages: async ({ childId }, { host }) => ({ messages: agentMessages(host, childId) }),
	prompt_child: async ({ childId, message, streamingBehavior = "steer" }, { host }) => {
		const asked = await messageAgent(host, childId, message, streamingBehavior);
		// Clients see how it ends by `child_ended`.
		asked?.outcome.catch((error: unknown) => {
			logger.warn("an agent that was opened again failed", { id: childId, reason: String(error) });
		});
	},
	abort_child: async ({ childId }, { host }) => assertOutcome(await host.children.stopAgent(childId)),
	get_goal: (_, { host }) => ({ goal: host.work.goal ?? null }),
	set_goal: ({ check }, scope) => changed(scope, { type: "goal", check }),
	get_todos: (_, { host }) => ({ phases: [...host.work.todos] }),
	set_todos: async ({ phases }, scope) => {
		await changed(scope, { type: "todos", phases });
		return { phases: [...scope.host.work.todos] };
	},
	get_entries: ({ since, before, limit }, { host: { log } }) => ({
		entries: before === undefined ? entriesAfter(log, since, limit) : entriesBefore(log, before, limit),
		leafId: log.getLeafId(),
	}),
	get_tree: (_, { host: { log } }) => ({ tree: log.getTree().map(publicNode), leafId: log.getLeafId() }),
	get_last_assistant_text: (_, { host }) => ({ text: lastText(host.session.state.messages) }),
	set_session_name: ({ name }, scope) => changed(scope, { type: "name", name }),
	add_comment: ({ text, entryId }, { host, by }) => addComment(host, { text, entryId }, by),
	get_commands: (_, { extensions, resources, mcp }) => ({
		commands: [
			...(extensions?.runner.commands.info() ?? []).map((each) => ({
				...each,
				sourceInfo: { ...each.sourceInfo },
			})),
			...resourceCommands(resources),
			...(mcp?.prompts ?? []).map(serverCommand),
		],
	}),
	list_commands: async (_, { slashCommands }) => ({ commands: await slashCommands.list() }),
	complete_command: async ({ name, prefix = "" }, { slashCommands }) => ({
		items: await slashCommands.complete(name, prefix),
	}),
	run_command: ({ name, args = "" }, { slashCommands }) => slashCommands.run(name, args),
	abort_command: ({ name }, { slashCommands }) => slashCommands.abort(name),
	set_approval_mode: ({ mode }, { host }) => policyOf(host).setMode(mode),
	list_grants: async (_, { host }) => ({ grants: (await host.policy?.grants()) ?? [] }),
	revoke_grant: async ({ grantId }, { host }) => {
		if (!(await policyOf(host).revoke(grantId))) throw new UserError(`There is no grant ${grantId}.`);
	},
	set_request_kinds: ({ kinds }, { ui }) => ui.setKinds(kinds),
	terminal_input: ({ requestId, data }, { host }) => terminalOf(host, requestId).type(data),
	terminal_resize: ({ requestId, columns, rows }, { host }) =>
		terminalOf(host, requestId).resize({ columns, rows }),
	set_setting: ({ path, value }, scope) => {
		if (!isSettingPath(path)) throw new UserError(`There is no setting ${path}.`);
		return changed(scope, { type: "setting", path, value });
	},
	...componentHandlers,
	draw_for_web: drawForWeb,
};

function executionResult(result: CommandResult | CellResult): RpcResults["bash"] {
	const { output, exitCode, cancelled, truncated, fullOutputPath, totals } = result;
	return {
		output,
		...(exitCode === undefined ? {} : { exitCode }),
		cancelled,
		truncated,
		...(fullOutputPath === undefined ? {} : { fullOutputPath }),
		...totals,
	};
}

function terminalOf({ requests }: SessionHost, id: string): Pick<ShownTerminal, "type" | "resize"> {
	const terminal = requests.shared?.find(id);
	if (!terminal) throw new UserError("The terminal is closed: its command has ended.");
	return terminal;
}

function policyOf({ policy }: SessionHost): Policy {
	if (!policy) throw new UserError("This session has no approvals.");
	return policy;
}

async function changed({ host, by }: CommandScope, change: SessionChange): Promise<void> {
	assertOutcome(await host.apply(change, by));
}

/** An extension may object to a move: that is an answer, not a failure. */
async function moved({ host, by }: CommandScope, to: SessionMove): Promise<{ cancelled: boolean }> {
	const { kind } = await host.move(to, by);
	return { cancelled: kind === "cancelled" };
}

/**
 * Resolves once it is decided how the prompt is handled, for a command once it has run; a run starts when the response was
 * written.
 */
async function prompt(command: RpcCommandOf<"prompt">, state: CommandScope): Promise<RpcResults["prompt"]> {
	const { host, by, extensions, resources, responded } = state;
	const submitted = promptOf(command);
	const afterInput = extensions?.runner.events.has("input") ?? false;
	// An extension that handles prompts may know what to do with an unknown name.
	if (!afterInput) await refuseUnknown(submitted.text, resources);
	// Code of extensions takes its time: the commands behind this one, such as an abort, do not wait for it.
	if (afterInput || host.session.isCommand(submitted)) state.release();
	const decided = Promise.withResolvers<Admission>();
	const submitting = host.submit(submitted, {
		as: command.streamingBehavior ?? "prompt",
		by,
		afterInput,
		async onAdmitted(admission) {
			decided.resolve(admission);
			if (admission.kind !== "handled") await responded;
		},
	});
	submitting.catch((error: unknown) => decided.reject(error));
	const admission = await decided.promise;
	if (admission.kind === "handled") await admission.done;
	if (admission.kind === "begun") void reportRefusal(host, submitted.text, admission.done);
	return dispositionOf(admission);
}

/** A client that has cleared its editor can give the text back. */
async function reportRefusal(host: SessionHost, text: string, done: Promise<RunEnd>): Promise<void> {
	const { refused: reason } = await done;
	if (reason !== undefined) await host.emitToClients({ type: "prompt_refused", text, reason });
}

function dispositionOf(admission: Admission): RpcResults["prompt"] {
	if (admission.kind === "refused") throw new UserError(admission.reason);
	return { disposition: admission.kind === "begun" ? "started" : admission.kind };
}

/** Responds before the run starts, as `prompt` does. */
function retry({ host, responded }: CommandScope): void {
	unansweredMessages(host.session.state.messages);
	if (host.isBusy) throw new UserError("The agent is processing a prompt. Abort it first.");
	void responded
		.then(() => host.retry())
		.catch((error: unknown) => host.notice(error instanceof Error ? error.message : String(error)));
}

async function queue(
	command: RpcCommandOf<"steer" | "follow_up">,
	{ host, by }: CommandScope,
	as: "steer" | "followUp",
): Promise<RpcResults["steer"]> {
	const submitted = promptOf(command);
	if (host.session.isCommand(submitted))
		throw new UserError("A command cannot be queued. Send it with prompt, which runs it at once.");
	return dispositionOf(await host.submit(submitted, { as, by, whenIdle: "queue" }));
}

type PromptFields = Omit<RpcCommandOf<"steer">, "id" | "type">;

function promptOf({ message, images = [], pastes = [], userText, invocation }: PromptFields): Prompt {
	if (message.trim() === "" && images.length === 0) throw new UserError("The message is empty.");
	return {
		text: message,
		...(images.length > 0 ? { images } : {}),
		...(pastes.length > 0 ? { pastes } : {}),
		...(userText === undefined ? {} : { userText }),
		...(invocation === undefined ? {} : { invocation }),
	};
}

function stateOf(host: SessionHost): RpcSessionState {
	const { session, settings, state, policy } = host;
	const { messages, steering, followUps, steeringMode, followUpMode } = session.state;
	return {
		model: publicModel(state.model),
		thinkingLevel: state.thinkingLevel,
		phase: state.phase,
		isStreaming: host.isBusy,
		isCompacting: session.isCompacting,
		steeringMode,
		followUpMode,
		...(state.file === undefined ? {} : { sessionFile: state.file }),
		sessionId: state.id,
		...(state.name === undefined ? {} : { sessionName: state.name }),
		autoCompactionEnabled: settings.get("compaction.enabled"),
		autoRetryEnabled: settings.get("retry.enabled"),
		...(policy ? { approvalMode: policy.mode, boundary: policy.boundary } : {}),
		messageCount: messages.length,
		pendingMessageCount: steering.length + followUps.length,
	};
}

function publicModel({ headers: _, ...model }: Model): RpcModel {
	return model;
}

function lastText(messages: readonly AgentMessage[]): string | null {
	const answer = messages.findLast((message) => message.role === "assistant");
	if (answer?.role !== "assistant") return null;
	return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** What the user typed, as `queue_update` lists it. */
function queuedTexts(messages: readonly AgentMessage[]): string[] {
	return messages.filter(({ role }) => role === "user").map(userTextOf);
}

/** What the user wrote goes back to an editor; the rest, such as the end of a job, is left for the model to read next. */
function takenBack(
	host: SessionHost,
	messages: readonly AgentMessage[],
): RpcResults["clear_queue"]["messages"][number][] {
	for (const message of messages) if (message.role !== "user") host.record(message);
	return messages.flatMap((message) => {
		if (message.role !== "user") return [];
		const images = typeof message.content === "string" ? [] : message.content.filter(isImage);
		const pastes = pastesOf(message);
		return [
			{
				text: userTextOf(message),
				...(images.length > 0 ? { images } : {}),
				...(pastes.length > 0 ? { pastes } : {}),
			},
		];
	});
}

function isImage(part: { type: string }): part is ImageContent {
	return part.type === "image";
}

type PublicNode = RpcResults["get_tree"]["tree"][number];

function publicNode({
	entry,
	children,
	...labels
}: ReturnType<SessionHost["log"]["getTree"]>[number]): PublicNode {
	return { entry: { ...entry }, children: children.map(publicNode), ...labels };
}

/** The prompt templates, Tau's own among them, and skills that a client may call, as `get_commands` lists them. */
function resourceCommands(resources: Resources | undefined): RpcSlashCommand[] {
	if (!resources) return [];
	const templates = resources.templates.map(({ name, description, origin }): RpcSlashCommand => ({
		name,
		description,
		source: "prompt",
		sourceInfo: sourceInfo(origin),
	}));
	const skills = (resources.hasSkillCommands ? resources.skills : []).map(
		({ name, description, origin }): RpcSlashCommand => ({
			name: `skill:${name}`,
			description,
			source: "skill",
			sourceInfo: sourceInfo(origin),
		}),
	);
	// A template of the user with the same name takes precedence.
	const own = new Set(templates.map(({ name }) => name));
	const builtin = builtinPrompts
		.filter(({ name }) => !own.has(name))
		.map(({ name, description }): RpcSlashCommand => ({
			name,
			description,
			source: "prompt",
			sourceInfo: { path: `<builtin:${name}>`, source: "builtin", scope: "temporary", origin: "top-level" },
		}));
	return [...templates, ...builtin, ...skills];
}

/** A prompt of an MCP server that is ready: `/server:prompt`. */
function serverCommand({ name, description }: McpPrompt): RpcSlashCommand {
	const server = name.slice(0, name.indexOf(":"));
	const info = { path: `mcp://${server}`, source: "mcp", scope: "temporary", origin: "top-level" };
	return { name, description, source: "prompt", sourceInfo: info };
}

function sourceInfo({ path, source, level }: Origin): RpcSlashCommand["sourceInfo"] {
	return { path, source, scope: level === "named" ? "temporary" : level, origin: "top-level" };
}
