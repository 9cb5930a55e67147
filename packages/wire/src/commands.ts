/**
 * Every command that a client may send, with its result. The names are those of pi's RPC mode. To add a command, add a
 * row here and its handler.
 */
import { once } from "@tau/utils";
import { z } from "zod";

import { content, counts, executionResult, message, usage } from "./messages.ts";
import { terminalSize, userRequest } from "./requests.ts";
import { commandInfo, commandReply, completion } from "./session-commands.ts";
import { type FieldsOf, type Flat, list, type Shape } from "./schema.ts";
import {
	approvalMode,
	blockFields,
	boundary,
	childFacts,
	compactionResult,
	contextReport,
	goal,
	grant,
	phase,
	requestKind,
	summaryInfo,
	surfaceFields,
	thinkingLevel,
	todoPhase,
} from "./session-shapes.ts";
import { webDrawing } from "./web-view.ts";

interface CommandRow<S extends Shape, R> {
	/** The fields beside `id` and `type`. */
	fields(): S;
	/** The `data` of a successful response; undefined where there is none. */
	result(): z.ZodType<R> | undefined;
}

function command<S extends Shape>(fields: () => S): CommandRow<S, void> {
	return { fields: once(fields), result: () => undefined };
}

function query<S extends Shape, R>(fields: () => S, result: () => z.ZodType<R>): CommandRow<S, R> {
	return { fields: once(fields), result: once(result) };
}

const nothing = () => ({});
const text = once(() => z.string().min(1));
/** Or audio, for a model that takes it. */
const image = once(() =>
	z.object({
		type: z.literal("image"),
		data: z.base64().min(1),
		mimeType: z.string().regex(/^(?:image|audio)\/[\w.+-]+$/, "must be image/… or audio/…"),
	}),
);
/** `pastes`, `userText` and `invocation`: what a client with an editor knows of the text. Tau's own. */
const prompt = once(() => ({
	message: z.string(),
	images: z.array(image()).optional(),
	/** The long texts in it that the user pasted, in order; a client may show each as a marker. */
	pastes: z.array(z.string()).optional(),
	/** The end of the text, if only that is the user's: files come before it. */
	userText: z.string().optional(),
	/** The typed text, if the message contains its expansion instead. */
	invocation: z.string().optional(),
}));
/** A message that was queued, as it goes back to an editor. */
const queuedMessage = once(() =>
	z.object({
		text: z.string(),
		images: list(image()).exactOptional(),
		pastes: list(z.string()).exactOptional(),
	}),
);
const queueMode = once(() => z.enum(["all", "one-at-a-time"]));
const toggle = once(() => ({ enabled: z.boolean() }));

/** A model as clients see it: without its headers, which may hold keys. */
const model = once(() =>
	z
		.object({
			id: z.string(),
			name: z.string(),
			api: z.string(),
			provider: z.string(),
			baseUrl: z.string(),
			reasoning: z.boolean(),
			thinkingLevelMap: z.unknown().optional(),
			input: z.array(z.enum(["text", "image", "audio"])),
			cost: z.object({
				...counts(),
				tiers: z
					.array(z.object({ inputTokensAbove: z.number(), ...counts() }))
					.readonly()
					.exactOptional(),
			}),
			contextWindow: z.number(),
			maxTokens: z.number(),
			compat: z.unknown().optional(),
			contextPromotionTarget: z.string().exactOptional(),
		})
		.meta({ id: "Model" }),
);

const todoFields = once(() => ({ phases: z.array(todoPhase()) }));
const todoList = once(() => z.object(todoFields()));

const sessionIdentity = once(() => ({ sessionFile: z.string().exactOptional(), sessionId: z.string() }));
const cancellable = once(() => z.object({ cancelled: z.boolean() }));

const sessionState = once(() =>
	z.object({
		...sessionIdentity(),
		model: model(),
		thinkingLevel: thinkingLevel(),
		/** What the session is doing; `isStreaming` and `isCompacting` are pi's names for parts of it. */
		phase: phase(),
		/** A prompt is being answered, or is waiting for another try. */
		isStreaming: z.boolean(),
		isCompacting: z.boolean(),
		steeringMode: queueMode(),
		followUpMode: queueMode(),
		sessionName: z.string().exactOptional(),
		autoCompactionEnabled: z.boolean(),
		autoRetryEnabled: z.boolean(),
		/** When a tool call needs an approval, and what contains commands. Tau's own. */
		approvalMode: approvalMode().exactOptional(),
		boundary: boundary().exactOptional(),
		messageCount: z.number(),
		pendingMessageCount: z.number(),
	}),
);

const sessionStats = once(() =>
	z.object({
		...sessionIdentity(),
		userMessages: z.number(),
		assistantMessages: z.number(),
		toolCalls: z.number(),
		toolResults: z.number(),
		totalMessages: z.number(),
		tokens: z.object({ ...counts(), total: z.number() }),
		/** US dollars */
		cost: z.number(),
		/** Absent where the context window of the model is not known. */
		contextUsage: z
			.object({ tokens: z.number(), contextWindow: z.number(), percent: z.number() })
			.exactOptional(),
	}),
);

/** A command that a prompt may start with, after a `/`. */
const slashCommand = once(() =>
	z.object({
		name: z.string(),
		description: z.string().exactOptional(),
		source: z.enum(["extension", "prompt", "skill"]),
		sourceInfo: z.record(z.string(), z.unknown()),
	}),
);

const child = once(() =>
	z.object({
		id: z.string(),
		/** The agent that opened it; absent for one of the session itself. */
		parentId: z.string().exactOptional(),
		name: z.string(),
		agent: z.string().exactOptional(),
		task: z.string().exactOptional(),
		model: z.string(),
		sessionFile: z.string().exactOptional(),
		error: z.string().exactOptional(),
		...childFacts(),
	}),
);

const forkMessage = once(() => z.object({ entryId: z.string(), text: z.string() }));

const conflictReasons = ["changed", "edited-between", "background", "outside", "link", "not-kept"] as const;
const lostReasons = ["large", "special", "unreadable", "limit", "late", "collected", "unwritten"] as const;
const plannedFile = once(() =>
	z.object({
		/** Relative to the project; absolute outside of it. */
		path: z.string(),
		action: z.enum(["create", "change", "delete"]),
		/** Why it is only restored with `overwrite`. */
		conflict: z.enum(conflictReasons).exactOptional(),
		/** Why it cannot be restored. */
		lost: z.enum(lostReasons).exactOptional(),
		/** The change, as `diff -u` shows it. */
		diff: z.string().exactOptional(),
	}),
);
const restoredFiles = once(() =>
	z.object({
		restored: z.array(z.string()),
		skipped: z.array(plannedFile()),
		failed: z.array(z.object({ path: z.string(), reason: z.string() })),
	}),
);
const overwrite = once(() => ({ overwrite: z.union([z.boolean(), z.array(z.string())]).optional() }));

/** A line of the session file; docs/session-format.md has the fields of each type. */
const entry = once(() =>
	z.looseObject({
		type: z.string(),
		id: z.string(),
		parentId: z.string().nullable(),
		timestamp: z.string(),
	}),
);
const leafId = once(() => z.string().nullable());
const treeNode = once(() =>
	z
		.object({
			entry: entry(),
			get children() {
				return z.array(treeNode());
			},
			label: z.string().exactOptional(),
			labelTimestamp: z.string().exactOptional(),
		})
		.meta({ id: "TreeNode" }),
);

/** An answer beside the conversation. */
const sideAnswer = once(() =>
	z.object({ text: z.string(), provider: z.string(), model: z.string(), usage: usage() }),
);

/** What became of a prompt: with `handled`, no run answers it. */
const promptOutcome = once(() => z.object({ disposition: z.enum(["handled", "started", "queued"]) }));

export const commands = {
	prompt: query(
		() => ({ ...prompt(), streamingBehavior: z.enum(["steer", "followUp"]).optional() }),
		promptOutcome,
	),
	steer: query(prompt, promptOutcome),
	follow_up: query(prompt, promptOutcome),
	/** Removes the queued messages and returns their text; `messages` has them whole, in the order in which they were queued. */
	clear_queue: query(nothing, () =>
		z.object({
			steering: z.array(z.string()),
			followUp: z.array(z.string()),
			messages: list(queuedMessage()),
		}),
	),
	/** Removes the message of the user that was queued last. Tau's own. */
	dequeue_last: query(nothing, () => z.object({ message: queuedMessage().nullable() })),
	/** `all`: also the user's own commands. */
	abort: command(() => ({ scope: z.enum(["run", "all"]).optional() })),
	/** Answered when nothing runs and every prompt that was accepted has been answered. Tau's own. */
	wait_for_idle: command(nothing),
	new_session: query(() => ({ parentSession: text().optional() }), cancellable),
	get_state: query(nothing, sessionState),
	get_messages: query(nothing, () => z.object({ messages: list(message()) })),
	set_model: query(() => ({ provider: text(), modelId: text() }), model),
	cycle_model: query(
		() => ({ direction: z.enum(["forward", "backward"]).optional() }),
		() => z.object({ model: model(), thinkingLevel: thinkingLevel(), isScoped: z.boolean() }).nullable(),
	),
	get_available_models: query(nothing, () => z.object({ models: z.array(model()) })),
	set_thinking_level: command(() => ({ level: thinkingLevel() })),
	get_available_thinking_levels: query(nothing, () => z.object({ levels: z.array(thinkingLevel()) })),
	cycle_thinking_level: query(nothing, () => z.object({ level: thinkingLevel() }).nullable()),
	set_steering_mode: command(() => ({ mode: queueMode() })),
	set_follow_up_mode: command(() => ({ mode: queueMode() })),
	compact: query(() => ({ customInstructions: z.string().optional() }), compactionResult),
	/** Continues in a new session with a document about this one. Tau's own. */
	handoff: query(() => ({ customInstructions: z.string().optional() }), cancellable),
	/** What fills the context; `text` is the same for a reader. Tau's own, like all up to `abort_side_question`. */
	get_context: query(nothing, () => contextReport().extend({ text: z.string() })),
	/** The text of an item of `get_context`. */
	inspect_context: query(
		() => ({ itemId: text() }),
		() => z.object({ text: z.string() }),
	),
	/** Takes items out of the context; the session keeps them. */
	drop_context: command(() => ({ itemIds: z.array(text()) })),
	restore_context: command(() => ({ itemIds: z.array(text()) })),
	/** What the last compaction has left to the model; null if there was none, or it was undone. */
	get_summary: query(nothing, () => z.object({ summary: summaryInfo().nullable() })),
	edit_summary: command(() => ({ text: text() })),
	/** Takes the last compaction back, or the last edit of its summary. */
	undo_summary: command(nothing),
	/** A question beside the conversation: nothing of it becomes part of it. */
	btw: query(() => ({ question: text() }), sideAnswer),
	/** Asks another model about the conversation; its answer becomes a message of it. */
	ask_model: query(
		() => ({
			provider: text(),
			modelId: text(),
			question: text(),
			thinkingLevel: thinkingLevel().optional(),
		}),
		sideAnswer,
	),
	abort_side_question: command(nothing),
	set_auto_compaction: command(toggle),
	set_auto_retry: command(toggle),
	abort_retry: command(nothing),
	/** Asks the model again after a failed or stopped answer. Tau's own. */
	retry: command(nothing),
	bash: query(() => ({ command: text(), excludeFromContext: z.boolean().optional() }), executionResult),
	/** Runs a cell of the user in the interpreter that the model's cells use; `abort_bash` interrupts it. Tau's own. */
	cell: query(
		() => ({
			code: text(),
			language: z.enum(["python", "js"]).optional(),
			excludeFromContext: z.boolean().optional(),
		}),
		executionResult,
	),
	abort_bash: command(nothing),
	/** Moves running commands, the model's and those of `bash`, to the background. Tau's own. */
	background_bash: query(nothing, () => z.object({ jobs: z.array(z.string()) })),
	get_session_stats: query(nothing, sessionStats),
	export_html: query(
		() => ({ outputPath: text().optional() }),
		() => z.object({ path: z.string() }),
	),
	switch_session: query(() => ({ sessionPath: text() }), cancellable),
	fork: query(
		() => ({ entryId: text() }),
		() => z.object({ text: z.string(), cancelled: z.boolean() }),
	),
	clone: query(nothing, cancellable),
	get_fork_messages: query(nothing, () => z.object({ messages: z.array(forkMessage()) })),
	/** The user's messages on this branch, with the files that are different since. Tau's own, like the three below. */
	get_rewind_points: query(nothing, () =>
		z.object({
			points: z.array(
				z.object({ entryId: z.string(), text: z.string(), files: z.number(), shown: z.array(z.string()) }),
			),
		}),
	),
	/** What restoring the files of an entry would do; without `entryId`, what `redo_rewind` would do. */
	preview_rewind: query(
		() => ({ entryId: text().optional(), diff: z.boolean().optional() }),
		() => z.object({ files: z.array(plannedFile()) }),
	),
	/** `overwrite`: restores files with a conflict too, all or those named. */
	rewind: query(
		() => ({ entryId: text(), restore: z.enum(["conversation", "files", "both"]), ...overwrite() }),
		() =>
			z.object({
				cancelled: z.boolean(),
				text: z.string().exactOptional(),
				files: restoredFiles().exactOptional(),
			}),
	),
	redo_rewind: query(overwrite, restoredFiles),
	/** The agents of the session, also those that have ended. Tau's own, like the three below. */
	get_children: query(nothing, () => z.object({ children: list(child()) })),
	get_child_messages: query(
		() => ({ childId: text() }),
		() => z.object({ messages: list(message()) }),
	),
	/** One that has ended is opened again, with its conversation. */
	prompt_child: command(() => ({
		childId: text(),
		message: text(),
		streamingBehavior: z.enum(["steer", "followUp"]).optional(),
	})),
	/** Ends what it does, with the agents below it. */
	abort_child: command(() => ({ childId: text() })),
	/** The command that has to pass before the model stops; null without one. Tau's own, like `set_goal`. */
	get_goal: query(nothing, () =>
		z.object({
			goal: goal().nullable(),
		}),
	),
	/** Without `check` the goal ends. */
	set_goal: command(() => ({ check: text().optional() })),
	/** The todo list, closed tasks included. Tau's own. */
	get_todos: query(nothing, todoList),
	/** Replaces it, while the model does not work; the model reads of it with the next prompt. omp's. */
	set_todos: query(todoFields, todoList),
	/** `since`: those after an entry, in the order of the file. Tau's own: `limit`, and `before`, the last ones on the way to an entry. */
	get_entries: query(
		() => ({
			since: text().optional(),
			before: text().optional(),
			limit: z.number().int().positive().optional(),
		}),
		() => z.object({ entries: list(entry()), leafId: leafId() }),
	),
	get_tree: query(nothing, () => z.object({ tree: list(treeNode()), leafId: leafId() })),
	get_last_assistant_text: query(nothing, () => z.object({ text: z.string().nullable() })),
	set_session_name: command(() => ({ name: z.string() })),
	/** Paths of the project, and of directories that were added to the work, that resemble a text. Tau's own, like the two below. */
	complete_path: query(
		() => ({ query: z.string(), limit: z.number().int().positive().optional() }),
		() => z.object({ paths: list(z.string()) }),
	),
	/** A file, directory or document as the tool `read` shows it, without line numbers. */
	read_path: query(
		() => ({ path: text(), offset: z.int().positive().optional(), limit: z.int().positive().optional() }),
		() => z.object({ content: content(), isError: z.boolean() }),
	),
	/** The bytes of a file, in Base64. */
	get_file: query(
		() => ({ path: text() }),
		() => z.object({ data: z.string(), size: z.number() }),
	),
	/** A note for people on an entry, or on the last one; no model reads it. Tau's own. */
	add_comment: command(() => ({ text: text(), entryId: text().optional() })),
	get_commands: query(nothing, () => z.object({ commands: z.array(slashCommand()) })),
	/** Every slash command that `run_command` runs, with the right that it needs. Tau's own, like the three below. */
	list_commands: query(nothing, () => z.object({ commands: list(commandInfo()) })),
	/** What may follow the name of a command. */
	complete_command: query(
		() => ({ name: text(), prefix: z.string().optional() }),
		() => z.object({ items: list(completion()) }),
	),
	/** Runs a slash command. It may open requests of kind `dialog`; `command_progress` says what it does. */
	run_command: query(() => ({ name: text(), args: z.string().optional() }), commandReply),
	/** Stops the commands that this client runs, or those of a name. */
	abort_command: command(() => ({ name: text().optional() })),
	/** For this session; `full` is the user's yes to everything. Tau's own, like all below. */
	set_approval_mode: command(() => ({ mode: approvalMode() })),
	/** What the user has allowed for longer than one call. */
	list_grants: query(nothing, () => z.object({ grants: list(grant()) })),
	revoke_grant: command(() => ({ grantId: text() })),
	/** The kinds that this client answers from now on; without it, all but `approval` and `terminal`, which make runs wait. */
	set_request_kinds: command(() => ({ kinds: z.array(requestKind()) })),
	/** Questions to the user that are open. */
	list_requests: query(nothing, () => z.object({ requests: list(userRequest()) })),
	/** `requestId` is the `id` of a request; the answer has the shape of its kind, or is `{ "cancelled": true }`. */
	answer_request: command(() => ({ requestId: text(), answer: z.record(z.string(), z.unknown()) })),
	/** Keys for the program in a terminal that is shown as a request, as terminals send them. */
	terminal_input: command(() => ({ requestId: text(), data: text() })),
	terminal_resize: command(terminalSize),
	/** For this session alone. */
	set_setting: command(() => ({ path: text(), value: z.unknown() })),
	/**
	 * The client can show what extensions draw, in a window of this size and with these colors: from now on it gets
	 * frames of the kind `component`. Sent again when something of it has changed.
	 */
	show_components: command(surfaceFields),
	/** Calls of tools and messages that extensions draw, as components with these ids; `close` ends them. */
	draw_blocks: command(blockFields),
	/** What an extension draws for pages of an entry or of a finished call; nothing if none does. */
	draw_for_web: query(
		() => ({ entryId: text().optional(), toolCallId: text().optional() }),
		() => webDrawing(),
	),
	/** A key as the terminal sent it, for that component, the one that has the focus, or a shortcut of an extension. */
	component_key: command(() => ({ data: text(), componentId: z.string().exactOptional() })),
	/** Replaces what is written in the editor of an extension. */
	component_text: command(() => ({ text: z.string() })),
	/** Closes a component that the user has left. */
	leave_component: command(() => ({ componentId: text() })),
} as const;

export type CommandName = keyof typeof commands;
type RowOf<T extends CommandName> = (typeof commands)[T];

/** A client puts it on a command and finds it on the response. */
export type CommandId = string | number;

export type CommandFields<T extends CommandName> = FieldsOf<ReturnType<RowOf<T>["fields"]>>;
export type CommandOf<T extends CommandName> = Flat<
	{ type: T; id?: CommandId | undefined } & CommandFields<T>
>;
export type Command = { [T in CommandName]: CommandOf<T> }[CommandName];

/** The `data` of the response; `void` where there is none. */
export type CommandResult<T extends CommandName> = RowOf<T> extends CommandRow<Shape, infer R> ? R : never;
export type SessionState = CommandResult<"get_state">;
export type PublicModel = CommandResult<"set_model">;
export type ChildInfo = CommandResult<"get_children">["children"][number];

export const commandId = once(() => z.union([z.string(), z.number()]).optional());

const built = new Map<CommandName, z.ZodType<Command>>();

/** The schema of one command. */
export function commandSchema(type: CommandName): z.ZodType<Command> {
	const known = built.get(type);
	if (known) return known;
	// The shape is looked up by the name that the type is made from.
	const schema = z.object({
		id: commandId(),
		type: z.literal(type),
		...commands[type].fields(),
	}) as unknown as z.ZodType<Command>;
	built.set(type, schema);
	return schema;
}

export function isCommandName(type: string): type is CommandName {
	return Object.hasOwn(commands, type);
}
