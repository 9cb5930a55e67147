/** The shapes of the events that programs read, in print mode and in RPC mode, and of the messages in them. */
import { z } from "zod";
import type { SessionEvent } from "@tau/session";
import { todoStatuses } from "@tau/session/run";

export const counts = {
	input: z.number(),
	output: z.number(),
	cacheRead: z.number(),
	cacheWrite: z.number(),
};
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
export const execution = {
	output: z.string(),
	exitCode: z.number().optional(),
	cancelled: z.boolean(),
	truncated: z.boolean(),
};
export const message = z
	.discriminatedUnion("role", [
		z.object({ role: z.literal("user"), content: said, called: z.string().optional(), timestamp }),
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
/** There where a behavior cut an answer short. */
const interrupted = z.object({ reason: z.string(), discarded: z.boolean() }).optional();

const texts = z.array(z.string()).optional();
const rule = z
	.object({
		name: z.string(),
		path: z.string(),
		level: z.enum(["project", "user", "builtin"]),
		content: z.string(),
		description: z.string().optional(),
		globs: texts,
		condition: texts,
		astCondition: texts,
		scope: texts,
	})
	.meta({ id: "Rule" });

const compacting = { willRetry: z.boolean() };
const compacted = {
	result: z
		.object({
			summary: z.string(),
			firstKeptEntryId: z.string(),
			tokensBefore: z.number(),
			details: z.unknown().optional(),
		})
		.nullable(),
	aborted: z.boolean(),
	willRetry: z.boolean(),
	errorMessage: z.string().optional(),
};
const byItself = z.enum(["threshold", "overflow"]);
const reason = z.enum(["manual", "threshold", "overflow"]);

/** One for each event that a session tells. */
const eventSchemas = {
	agent_start: z.object({ type: z.literal("agent_start") }),
	agent_end: z.object({ type: z.literal("agent_end"), messages: z.array(message) }),
	turn_start: z.object({ type: z.literal("turn_start") }),
	turn_end: z.object({
		type: z.literal("turn_end"),
		message: assistant,
		toolResults: z.array(toolResult),
		interrupted,
	}),
	message_start: z.object({ type: z.literal("message_start"), message }),
	message_update: z.object({
		type: z.literal("message_update"),
		message: z.object(assistantHead),
		assistantMessageEvent,
	}),
	message_end: z.object({ type: z.literal("message_end"), message, interrupted }),
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
	session_info_changed: z.object({ type: z.literal("session_info_changed"), name: z.string().optional() }),
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
	extension_error: z.object({
		type: z.literal("extension_error"),
		extensionPath: z.string(),
		event: z.string(),
		error: z.string(),
	}),
	job_update: z.object({
		type: z.literal("job_update"),
		id: z.string(),
		label: z.string(),
		state: z.enum(["running", "done", "failed", "killed"]),
	}),
	budget_exhausted: z.object({
		type: z.literal("budget_exhausted"),
		limit: z.enum(["cost", "turns", "tokens", "loop"]),
		message: z.string(),
	}),
	ttsr_triggered: z.object({ type: z.literal("ttsr_triggered"), rules: z.array(rule) }),
	retry_fallback_applied: z.object({
		type: z.literal("retry_fallback_applied"),
		from: z.string(),
		to: z.string(),
		role: z.string(),
		reason: z.string(),
	}),
	retry_fallback_succeeded: z.object({
		type: z.literal("retry_fallback_succeeded"),
		model: z.string(),
		role: z.string(),
	}),
	todo_reminder: z.object({
		type: z.literal("todo_reminder"),
		todos: z.array(z.object({ content: z.string(), status: z.enum(todoStatuses) })),
		attempt: z.number(),
		maxAttempts: z.number(),
	}),
	compaction_start: z.object({ type: z.literal("compaction_start"), reason, ...compacting }),
	compaction_end: z.object({ type: z.literal("compaction_end"), reason, ...compacted }),
	auto_compaction_start: z.object({
		type: z.literal("auto_compaction_start"),
		reason: byItself,
		...compacting,
	}),
	auto_compaction_end: z.object({ type: z.literal("auto_compaction_end"), ...compacted }),
	notice: z.object({
		type: z.literal("notice"),
		level: z.enum(["info", "warning"]),
		message: z.string(),
	}),
	request_opened: z.object({ type: z.literal("request_opened"), request: z.unknown() }),
	request_closed: z.object({ type: z.literal("request_closed"), id: z.string(), answered: z.boolean() }),
} as const satisfies Record<SessionEvent["type"], z.ZodType>;

export const event = z.union(Object.values(eventSchemas)).meta({ id: "Event" });
