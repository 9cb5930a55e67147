/**
 * Every event of a session. A row is one event: its marks and its fields. TypeScript types, the JSON schemas of print
 * and RPC mode, and the events that extensions can listen to derive from these rows; to add an event, add a row here
 * and emit it (docs/protocol.md).
 */
import { once } from "@tau/utils";
import { z } from "zod";

import {
	args,
	assistantMessage,
	assistantMessageEvent,
	stopReason,
	assistantUpdate,
	content,
	message,
	toolResultMessage,
	usage,
} from "./messages.ts";
import { shownScreen, userRequest } from "./requests.ts";
import { type FieldsOf, type Flat, list, type Shape } from "./schema.ts";
import {
	approvalMode,
	boundary,
	childFacts,
	clientInfo,
	compactionResult,
	goal,
	machine,
	phase,
	rule,
	thinkingLevel,
	todoItem,
	todoPhase,
} from "./session-shapes.ts";

interface EventMarks {
	/** Extensions can listen to it, under the same name. */
	readonly extension?: true;
	/** omp's custom tools are called with it (`onSession`). */
	readonly customTools?: true;
}

interface EventRow<S extends Shape, M extends EventMarks> {
	readonly marks: M;
	/** The fields beside `type`. */
	fields(): S;
}

function event<S extends Shape, const M extends EventMarks>(marks: M, fields: () => S): EventRow<S, M> {
	return { marks, fields: once(fields) };
}

const none = {};
const extension = { extension: true } as const;
const extensionAndTools = { extension: true, customTools: true } as const;

const call = once(() => ({
	toolCallId: z.string(),
	/** The call of the tool that made this call; a call of the model has none. */
	parentToolCallId: z.string().exactOptional(),
	toolName: z.string(),
}));
const toolResult = once(() =>
	z.object({
		content: content(),
		details: z.unknown().optional(),
		isError: z.boolean().exactOptional(),
		structuredContent: z.unknown().optional(),
		usage: usage().exactOptional(),
		useless: z.boolean().exactOptional(),
		foundTools: list(z.string()).exactOptional(),
	}),
);
/** Present where a behavior ended an answer early. */
const interrupted = once(() => z.object({ reason: z.string(), discarded: z.boolean() }).exactOptional());

/** The events of the agent loop. `AgentEvent` in `@tau/agent` has the same shapes; a test in `session` compares them. */
const agentEvents = {
	agent_start: event(extension, () => ({})),
	/** `stopReason` and `errorMessage` are those of the last answer; absent if there was none. */
	agent_end: event(extension, () => ({
		messages: z.array(message()),
		stopReason: stopReason().exactOptional(),
		errorMessage: z.string().exactOptional(),
	})),
	turn_start: event(extension, () => ({})),
	turn_end: event(extension, () => ({
		message: assistantMessage(),
		toolResults: z.array(toolResultMessage()),
		interrupted: interrupted(),
	})),
	message_start: event(extension, () => ({ message: message() })),
	message_update: event(extension, () => ({
		message: assistantUpdate(),
		assistantMessageEvent: assistantMessageEvent(),
	})),
	message_end: event(extension, () => ({
		message: message(),
		interrupted: interrupted(),
		/** The entry of the log that it became. */
		entryId: z.string().exactOptional(),
	})),
	tool_execution_start: event(extension, () => ({ ...call(), args: args() })),
	tool_execution_update: event(extension, () => ({ ...call(), args: args(), partialResult: toolResult() })),
	tool_execution_end: event(extension, () => ({
		...call(),
		result: toolResult(),
		isError: z.boolean(),
		/** How long the tool ran; absent if it did not. */
		durationMs: z.number().exactOptional(),
	})),
} as const;

const compactionEnd = once(() => ({
	/** `null` where it was aborted or failed: then nothing has changed. */
	result: compactionResult().nullable(),
	aborted: z.boolean(),
	/** The model is asked again now, without another prompt. */
	willRetry: z.boolean(),
	errorMessage: z.string().exactOptional(),
}));
const compactionReason = once(() => z.enum(["manual", "threshold", "overflow", "incomplete", "idle"]));

/** The events of the session around the loop. */
const sessionEvents = {
	/** The phase of the session; `idle` is the only one in which a prompt begins a run at once. */
	phase_changed: event(none, () => ({ phase: phase(), previous: phase() })),
	queue_update: event(none, () => ({ steering: list(z.string()), followUp: list(z.string()) })),
	/** A prompt that was accepted could not be run after all; a notice says so too. */
	prompt_refused: event(none, () => ({ text: z.string(), reason: z.string() })),
	session_info_changed: event(extension, () => ({ name: z.string().exactOptional() })),
	/** Extensions hear of it as pi's `model_select`, with the models themselves. */
	model_changed: event(none, () => ({
		provider: z.string(),
		modelId: z.string(),
		/** Absent for the first model of a session. */
		previous: z.object({ provider: z.string(), modelId: z.string() }).exactOptional(),
		source: z.enum(["set", "cycle", "restore"]),
	})),
	/** Extensions hear of it as pi's `thinking_level_select`. */
	thinking_level_changed: event(none, () => ({ level: thinkingLevel(), previous: thinkingLevel() })),
	/** What runs without asking. `boundary`: what contains commands. */
	approval_mode_changed: event(none, () => ({
		mode: approvalMode(),
		previous: approvalMode(),
		boundary: boundary(),
	})),
	/** omp's names: a call waits for the user's approval, and has got it or not. */
	tool_approval_requested: event(extension, () => ({
		sessionId: z.string(),
		toolCallId: z.string(),
		toolName: z.string(),
		reason: z.string().exactOptional(),
		approvalMode: approvalMode(),
	})),
	tool_approval_resolved: event(extension, () => ({
		sessionId: z.string(),
		toolCallId: z.string(),
		toolName: z.string(),
		approved: z.boolean(),
		/** What the user wrote for the model. */
		reason: z.string().exactOptional(),
		/** What it runs with, where the user has changed that. */
		args: args().exactOptional(),
	})),
	setting_changed: event(none, () => ({ path: z.string() })),
	auto_retry_start: event(extensionAndTools, () => ({
		attempt: z.number(),
		maxAttempts: z.number(),
		delayMs: z.number(),
		errorMessage: z.string(),
	})),
	auto_retry_end: event(extensionAndTools, () => ({
		success: z.boolean(),
		attempt: z.number(),
		finalError: z.string().exactOptional(),
	})),
	/** A model of `fallbackModels` took over from one that did not answer. */
	retry_fallback_applied: event(extensionAndTools, () => ({
		from: z.string(),
		to: z.string(),
		role: z.string(),
		reason: z.string(),
	})),
	retry_fallback_succeeded: event(extensionAndTools, () => ({ model: z.string(), role: z.string() })),
	/** pi's names for every compaction. */
	compaction_start: event(none, () => ({ reason: compactionReason(), willRetry: z.boolean() })),
	compaction_end: event(none, () => ({ reason: compactionReason(), ...compactionEnd() })),
	/** omp's names for compactions that start by themselves; they follow pi's. */
	auto_compaction_start: event(extensionAndTools, () => ({
		reason: z.enum(["threshold", "overflow", "incomplete", "idle"]),
		willRetry: z.boolean(),
	})),
	auto_compaction_end: event(extensionAndTools, () => compactionEnd()),
	/** The model writes a document from which a new session continues. */
	handoff_start: event(none, () => ({ reason: z.enum(["manual", "threshold"]) })),
	/** In the new session, or in the old one if that continues: then `moved` is false. */
	handoff_end: event(none, () => ({
		reason: z.enum(["manual", "threshold"]),
		moved: z.boolean(),
		sessionId: z.string(),
		sessionFile: z.string().exactOptional(),
		/** Prompts that came meanwhile, and queued messages: they continue where `sessionId` says. */
		pending: z.number(),
		errorMessage: z.string().exactOptional(),
	})),
	/** Items were dropped from the context, or brought back: ids of `get_context`. */
	context_edited: event(none, () => ({ dropped: z.array(z.string()), restored: z.array(z.string()) })),
	/** A handler of an extension threw or timed out; everything else continues. */
	extension_error: event(none, () => ({ extensionPath: z.string(), event: z.string(), error: z.string() })),
	/** A background command of the model was started or ended. */
	job_update: event(none, () => ({
		id: z.string(),
		label: z.string(),
		state: z.enum(["running", "done", "failed", "killed"]),
	})),
	/** A server that a confined command started has become reachable for the user, or is gone. */
	port_update: event(none, () => ({
		/** In the sandbox. */
		port: z.number(),
		/** On this machine: `127.0.0.1:3000`. */
		address: z.string(),
		/** The command that started it. */
		label: z.string(),
		state: z.enum(["open", "closed"]),
		/** The background job that it belongs to. */
		jobId: z.string().exactOptional(),
	})),
	/** The sandbox has denied a command something; a setting would have allowed it. */
	sandbox_denied: event(none, () => ({
		denials: list(
			z.object({
				what: z.string(),
				/** The host, path or service in short. */
				subject: z.string(),
				setting: z.string().exactOptional(),
				values: list(z.string()).exactOptional(),
			}),
		),
	})),
	/** A program that the model debugs has started, stopped, continued or ended, or its breakpoints have changed. */
	debug_update: event(none, () => ({
		id: z.string(),
		program: z.string(),
		adapter: z.string(),
		state: z.enum(["starting", "running", "stopped", "ended"]),
		/** Where and why it is stopped, or how it ended. */
		place: z.string().exactOptional(),
		reason: z.string().exactOptional(),
		breakpoints: list(z.object({ at: z.string(), isSet: z.boolean().exactOptional() })),
		exceptions: list(z.string()),
	})),
	budget_exhausted: event(none, () => ({
		limit: z.enum(["cost", "turns", "tokens", "time", "loop", "length"]),
		message: z.string(),
	})),
	/** The value of the last answer, which fits the schema that the client asked for (`--output-schema`). */
	structured_output: event(none, () => ({ value: z.unknown() })),
	/** The model's output met the conditions of these rules. */
	ttsr_triggered: event(extensionAndTools, () => ({ rules: z.array(rule()) })),
	/** The model was about to stop and is reminded of open tasks. */
	todo_reminder: event(extensionAndTools, () => ({
		todos: z.array(todoItem()),
		attempt: z.number(),
		maxAttempts: z.number(),
	})),
	/** The state of an MCP server has changed, or its tools have. */
	mcp_servers_change: event(extension, () => ({
		servers: list(z.object({ name: z.string(), state: z.string(), tools: z.number() })),
	})),
	/** The state of a language server has changed; all of the session are listed. */
	lsp_servers_change: event(none, () => ({
		servers: list(
			z.object({
				name: z.string(),
				/** The directory that it serves. */
				root: z.string(),
				state: z.enum(["starting", "ready", "failed", "stopped"]),
				/** Why it failed or stopped. */
				reason: z.string().exactOptional(),
			}),
		),
	})),
	/** An MCP server has sent a notification that Tau does not handle itself. */
	mcp_notification: event(extension, () => ({
		server: z.string(),
		method: z.string(),
		params: z.unknown().optional(),
	})),
	/** The session is another one, or at another entry of its tree; clients draw it anew. */
	session_moved: event(none, () => ({
		reason: z.enum(["new", "resume", "fork", "branch", "reload"]),
		sessionId: z.string(),
		sessionFile: z.string().exactOptional(),
		leafId: z.string().nullable(),
	})),
	/** An extension has stored an entry that it draws itself. */
	entry_shown: event(none, () => ({ entryId: z.string() })),
	/** Without `label` it was removed. */
	label_changed: event(none, () => ({ entryId: z.string(), label: z.string().exactOptional() })),
	/** A note for people on an entry, which no model reads. */
	comment_added: event(none, () => ({ entryId: z.string(), text: z.string(), by: z.string() })),
	/** The tools that the user has switched off. */
	tools_changed: event(none, () => ({ hidden: list(z.string()) })),
	/** The session works on another machine, its connection is lost or there again, or it answers faster or slower; null is this one. */
	machine_changed: event(none, () => ({ machine: machine().nullable() })),
	goal_changed: event(none, () => ({ goal: goal().nullable() })),
	/** The user has replaced the todo list; the model's own changes are results of its tool. */
	todos_changed: event(none, () => ({ phases: z.array(todoPhase()) })),
	trust_changed: event(none, () => ({ project: z.string(), trusted: z.boolean() })),
	/** A command (`!`) or cell (`$`) of the user. `by`: the client, if it is not the owner. */
	user_command_start: event(none, () => ({
		commandId: z.string(),
		command: z.string(),
		language: z.enum(["python", "js"]).exactOptional(),
		isPrivate: z.boolean(),
		by: z.string().exactOptional(),
	})),
	/** All of its output so far, or the end of it; a few times a second. */
	user_command_output: event(none, () => ({ commandId: z.string(), output: z.string() })),
	user_command_end: event(none, () => ({ commandId: z.string(), message: message() })),
	/** The programs that are attached to the session, and what they may do. */
	clients_changed: event(none, () => ({ clients: list(clientInfo()) })),
	/** What a slash command does, for the client that runs it; without `text`, it waits for an answer or is about to end. */
	command_progress: event(none, () => ({
		name: z.string(),
		text: z.string().exactOptional(),
		/** The id of the client. */
		to: z.string().exactOptional(),
	})),
	/** A part of the reply of a slash command that is being written, such as an answer of `/btw`, for the client that runs it. */
	command_text: event(none, () => ({ name: z.string(), delta: z.string(), to: z.string() })),
	/**
	 * A message for the user, for instance that the disk is full. `by`: the client whose doing it is, which knows of it.
	 * `passing`: who joins later is not shown it. `own`: about the host's own connection, which says nothing to guests.
	 */
	notice: event(none, () => ({
		level: z.enum(["info", "warning"]),
		message: z.string(),
		by: z.string().exactOptional(),
		passing: z.literal(true).exactOptional(),
		own: z.literal(true).exactOptional(),
	})),
} as const;

/** Requests to the user that any client may answer. */
const requestEvents = {
	request_opened: event(none, () => ({ request: userRequest() })),
	/** `answered` is false where the request was cancelled, timed out, or lost its last client. `by`: who answered, if not the owner. */
	request_closed: event(none, () => ({
		id: z.string(),
		answered: z.boolean(),
		by: z.string().exactOptional(),
	})),
	/** The screen of an open request of the kind `terminal` has changed. */
	terminal_screen: event(none, () => ({ id: z.string(), screen: shownScreen() })),
} as const;

/** Children: sessions that this one opened. `id` names the child. */
const childEvents = {
	child_started: event(none, () => ({
		id: z.string(),
		name: z.string(),
		sessionId: z.string(),
		sessionFile: z.string().exactOptional(),
		/** The tool call that opened it. */
		toolCallId: z.string().exactOptional(),
		/** The type of agent that it is, and what it is to do, in one line. */
		agent: z.string().exactOptional(),
		task: z.string().exactOptional(),
		/** Nobody waits for it: the model gets a message when it ends. */
		background: z.boolean().exactOptional(),
	})),
	/** Several times a second at most while it works, and at each change of its state. */
	child_progress: event(none, () => ({ id: z.string(), ...childFacts() })),
	child_ended: event(none, () => ({
		id: z.string(),
		outcome: z.enum(["completed", "aborted", "failed"]),
		error: z.string().exactOptional(),
	})),
	/** A message between two agents; `to` is an id, `main`, or a channel. */
	child_message: event(none, () => ({ from: z.string(), to: z.string(), text: z.string() })),
} as const;

/** An event of a child. It stands alone because its type holds the types of all others. */
const nestedEvents = {
	child_event: event(none, () => ({ id: z.string(), event: z.lazy(eventSchema) })),
} as const;

export const events = {
	...agentEvents,
	...sessionEvents,
	...requestEvents,
	...childEvents,
	...nestedEvents,
} as const;

export type EventName = keyof typeof events;

type EventsOf<T extends Record<string, EventRow<Shape, EventMarks>>> = {
	[K in keyof T & string]: Flat<{ type: K } & FieldsOf<ReturnType<T[K]["fields"]>>>;
}[keyof T & string];

/** What a session emits beside the events of the loop and of its children. */
export type OwnSessionEvent =
	EventsOf<typeof sessionEvents> | EventsOf<typeof requestEvents> | EventsOf<typeof childEvents>;

/** Written out because it holds itself: a child may have children. */
export interface ChildEventFrame {
	type: "child_event";
	id: string;
	event: EventFrame;
}

/** An event as programs read it, in print and in RPC mode. */
export type EventFrame = EventsOf<typeof agentEvents> | OwnSessionEvent | ChildEventFrame;

export type EventFrameOf<T extends EventName> = Extract<EventFrame, { type: T }>;

/** The events that extensions can listen to. */
export type ExtensionEventName = {
	[K in EventName]: (typeof events)[K]["marks"] extends { extension: true } ? K : never;
}[EventName];

/** The names of the events that extensions can listen to, in the order of the table. */
export const extensionEventNames: ReadonlySet<string> = namesMarked("extension");

/** The names of the events that omp's custom tools are called with. */
export const customToolEventNames: ReadonlySet<string> = namesMarked("customTools");

function namesMarked(mark: keyof EventMarks): ReadonlySet<string> {
	const rows: [string, { readonly marks: EventMarks }][] = Object.entries(events);
	return new Set(rows.flatMap(([name, { marks }]) => (marks[mark] ? [name] : [])));
}

const builtEventSchema = once(
	(): z.ZodType<EventFrame> =>
		z
			.union(
				Object.entries(events).map(([type, row]) => z.object({ type: z.literal(type), ...row.fields() })),
			)
			.meta({ id: "Event" }) as unknown as z.ZodType<EventFrame>,
);

/** The schema of one event. */
export function eventSchema(): z.ZodType<EventFrame> {
	return builtEventSchema();
}
