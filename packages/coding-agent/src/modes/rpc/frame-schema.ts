/** The shapes of all frames, from which `schema.json` is made: commands in, responses and events out. */
import { thinkingLevels } from "@tau/ai";
import { z } from "zod";

import { counts, event, execution, message } from "../event-schema.ts";
import { commandSchemas } from "./commands.ts";
import { uiAnswerSchema, uiRequestSchema } from "./ui-protocol.ts";

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
	compact: z.object({
		summary: z.string(),
		firstKeptEntryId: z.string(),
		tokensBefore: z.number(),
		details: z.unknown().optional(),
	}),
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
	export_html: z.object({ path: z.string() }),
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
const response = z.union([success, failure]).meta({ id: "Response" });

/** What `schema.json` has to hold: each kind of frame is one of its `$defs`. */
export function frameSchema(): object {
	return z.toJSONSchema(
		z.object({ command, response, event, uiRequest: uiRequestSchema, uiAnswer: uiAnswerSchema }),
		{ io: "input" },
	);
}
