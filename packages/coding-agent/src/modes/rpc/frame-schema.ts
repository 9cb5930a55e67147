/** The shapes of all frames, from which `schema.json` is made: commands in, responses and events out. */
import { thinkingLevels } from "@tau/ai";
import { z } from "zod";

import { commandSchemas } from "./commands.ts";

const counts = { input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() };
const usage = z
	.object({ ...counts, totalTokens: z.number(), cost: z.object({ ...counts, total: z.number() }) })
	.meta({ id: "Usage" });
const text = z.object({ type: z.literal("text"), text: z.string() });
const image = z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const thinking = z.object({ type: z.literal("thinking"), thinking: z.string() });
const args = z.record(z.string(), z.unknown());
const toolCall = z.object({ type: z.literal("toolCall"), id: z.string(), name: z.string(), arguments: args });
const shown = z.array(z.union([text, image]));
const said = z.union([z.string(), shown]);
const timestamp = z.number();

const assistantHead = {
	role: z.literal("assistant"),
	api: z.string(),
	provider: z.string(),
	model: z.string(),
	usage,
	stopReason: z.enum(["stop", "length", "toolUse", "error", "aborted"]),
	errorMessage: z.string().optional(),
	timestamp,
};
const assistant = z
	.object({ ...assistantHead, content: z.array(z.union([text, thinking, toolCall])) })
	.meta({ id: "AssistantMessage" });
const toolResult = z
	.object({
		role: z.literal("toolResult"),
		toolCallId: z.string(),
		toolName: z.string(),
		content: shown,
		isError: z.boolean(),
		timestamp,
	})
	.meta({ id: "ToolResultMessage" });
const execution = {
	output: z.string(),
	exitCode: z.number().optional(),
	cancelled: z.boolean(),
	truncated: z.boolean(),
};
const message = z
	.discriminatedUnion("role", [
		z.object({ role: z.literal("user"), content: said, timestamp }),
		assistant,
		toolResult,
		z.object({ role: z.literal("bashExecution"), command: z.string(), ...execution, timestamp }),
		z.object({ role: z.literal("pythonExecution"), code: z.string(), ...execution, timestamp }),
		z.object({
			role: z.literal("custom"),
			customType: z.string(),
			content: said,
			display: z.boolean(),
			timestamp,
		}),
		z.object({ role: z.literal("branchSummary"), summary: z.string(), fromId: z.string(), timestamp }),
		z.object({
			role: z.literal("compactionSummary"),
			summary: z.string(),
			tokensBefore: z.number(),
			timestamp,
		}),
	])
	.meta({ id: "Message" });

const contentIndex = z.number();
const at = <T extends string>(type: T) => z.object({ type: z.literal(type), contentIndex });
const delta = <T extends string>(type: T) =>
	z.object({ type: z.literal(type), contentIndex, delta: z.string() });
const whole = <T extends string>(type: T) =>
	z.object({ type: z.literal(type), contentIndex, content: z.string() });
const assistantMessageEvent = z.discriminatedUnion("type", [
	at("text_start"),
	delta("text_delta"),
	whole("text_end"),
	at("thinking_start"),
	delta("thinking_delta"),
	whole("thinking_end"),
	at("toolcall_start"),
	delta("toolcall_delta"),
	z.object({ type: z.literal("toolcall_end"), contentIndex, toolCall }),
]);

const call = { toolCallId: z.string(), toolName: z.string() };
const result = z.object({ content: shown, isError: z.boolean().optional() });
const attempt = z.number();

const eventSchemas = {
	agent_start: z.object({ type: z.literal("agent_start") }),
	agent_end: z.object({ type: z.literal("agent_end"), messages: z.array(message) }),
	turn_start: z.object({ type: z.literal("turn_start") }),
	turn_end: z.object({ type: z.literal("turn_end"), message: assistant, toolResults: z.array(toolResult) }),
	message_start: z.object({ type: z.literal("message_start"), message }),
	message_update: z.object({
		type: z.literal("message_update"),
		message: z.object(assistantHead),
		assistantMessageEvent,
	}),
	message_end: z.object({ type: z.literal("message_end"), message }),
	tool_execution_start: z.object({ type: z.literal("tool_execution_start"), ...call, args }),
	tool_execution_update: z.object({
		type: z.literal("tool_execution_update"),
		...call,
		args,
		partialResult: result,
	}),
	tool_execution_end: z.object({
		type: z.literal("tool_execution_end"),
		...call,
		result,
		isError: z.boolean(),
	}),
	queue_update: z.object({
		type: z.literal("queue_update"),
		steering: z.array(z.string()),
		followUp: z.array(z.string()),
	}),
	auto_retry_start: z.object({
		type: z.literal("auto_retry_start"),
		attempt,
		maxAttempts: z.number(),
		delayMs: z.number(),
		errorMessage: z.string(),
	}),
	auto_retry_end: z.object({
		type: z.literal("auto_retry_end"),
		success: z.boolean(),
		attempt,
		finalError: z.string().optional(),
	}),
	budget_exhausted: z.object({
		type: z.literal("budget_exhausted"),
		limit: z.enum(["cost", "turns", "tokens", "loop"]),
		message: z.string(),
	}),
	notice: z.object({
		type: z.literal("notice"),
		level: z.enum(["info", "warning"]),
		message: z.string(),
	}),
} as const;

const model = z
	.object({
		id: z.string(),
		name: z.string(),
		api: z.string(),
		provider: z.string(),
		baseUrl: z.string(),
		reasoning: z.boolean(),
		input: z.array(z.enum(["text", "image"])),
		cost: z.object(counts),
		contextWindow: z.number(),
		maxTokens: z.number(),
	})
	.meta({ id: "Model" });
const level = z.enum(thinkingLevels);
const cancelled = z.boolean();
const queueMode = z.enum(["all", "one-at-a-time"]);
const session = { sessionFile: z.string().optional(), sessionId: z.string() };

/** What stands in `data`; a command that is not here has none. */
const results = {
	new_session: z.object({ cancelled }),
	get_state: z.object({
		...session,
		model,
		thinkingLevel: level,
		isStreaming: z.boolean(),
		isCompacting: z.boolean(),
		steeringMode: queueMode,
		followUpMode: queueMode,
		sessionName: z.string().optional(),
		autoCompactionEnabled: z.boolean(),
		autoRetryEnabled: z.boolean(),
		messageCount: z.number(),
		pendingMessageCount: z.number(),
	}),
	get_messages: z.object({ messages: z.array(message) }),
	set_model: model,
	cycle_model: z.object({ model, thinkingLevel: level, isScoped: z.boolean() }).nullable(),
	get_available_models: z.object({ models: z.array(model) }),
	cycle_thinking_level: z.object({ level }).nullable(),
	bash: z.object(execution),
	get_session_stats: z.object({
		...session,
		userMessages: z.number(),
		assistantMessages: z.number(),
		toolCalls: z.number(),
		toolResults: z.number(),
		totalMessages: z.number(),
		tokens: z.object({ ...counts, total: z.number() }),
		cost: z.number(),
		contextUsage: z.object({ tokens: z.number(), contextWindow: z.number(), percent: z.number() }).optional(),
	}),
	switch_session: z.object({ cancelled }),
	fork: z.object({ text: z.string(), cancelled }),
	clone: z.object({ cancelled }),
	get_fork_messages: z.object({ messages: z.array(z.object({ entryId: z.string(), text: z.string() })) }),
	get_last_assistant_text: z.object({ text: z.string().nullable() }),
	get_commands: z.object({
		commands: z.array(
			z.object({
				name: z.string(),
				description: z.string().optional(),
				source: z.enum(["extension", "prompt", "skill"]),
				sourceInfo: z.record(z.string(), z.unknown()),
			}),
		),
	}),
} as const;

const head = { id: z.union([z.string(), z.number()]).optional(), type: z.literal("response") };
const plain = Object.keys(commandSchemas).filter((name) => !Object.hasOwn(results, name));
const failure = z.object({ ...head, command: z.string(), success: z.literal(false), error: z.string() });
const success = z.union([
	...Object.entries(results).map(([name, data]) =>
		z.object({ ...head, command: z.literal(name), success: z.literal(true), data }),
	),
	z.object({ ...head, command: z.enum(plain), success: z.literal(true) }),
]);

const command = z.union(Object.values(commandSchemas)).meta({ id: "Command" });
const event = z.union(Object.values(eventSchemas)).meta({ id: "Event" });
const response = z.union([success, failure]).meta({ id: "Response" });

/** What `schema.json` has to hold: each kind of frame is one of its `$defs`. */
export function frameSchema(): object {
	return z.toJSONSchema(z.object({ command, response, event }), { io: "input" });
}
