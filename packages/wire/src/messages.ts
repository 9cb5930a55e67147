/** The shapes of messages and of their parts. */
import { once } from "@tau/utils";
import { z } from "zod";

import { list } from "./schema.ts";
import { thinkingLevel } from "./session-shapes.ts";

const timestamp = once(() => z.number());

/** Numbers of tokens, or what they cost in US dollars. */
export const counts = once(() => ({
	input: z.number(),
	output: z.number(),
	cacheRead: z.number(),
	cacheWrite: z.number(),
}));

export const usage = once(() =>
	z
		.object({ ...counts(), totalTokens: z.number(), cost: z.object({ ...counts(), total: z.number() }) })
		.meta({ id: "Usage" }),
);

const text = once(() =>
	z.object({ type: z.literal("text"), text: z.string(), textSignature: z.string().exactOptional() }),
);

const imageFields = once(() => ({
	type: z.literal("image"),
	data: z.string(),
	mimeType: z.string(),
	detail: z.string().exactOptional(),
}));

const image = once(() => z.object(imageFields()));

/** What a provider has made of an earlier part of the conversation; no other can read it. */
const providerItems = once(() => z.object({ provider: z.string(), items: z.array(args()) }));

const thinking = once(() =>
	z.object({
		type: z.literal("thinking"),
		thinking: z.string(),
		thinkingSignature: z.string().exactOptional(),
		redacted: z.boolean().exactOptional(),
	}),
);

export const args = once(() => z.record(z.string(), z.unknown()));

const toolCall = once(() =>
	z.object({
		type: z.literal("toolCall"),
		id: z.string(),
		name: z.string(),
		arguments: args(),
		thoughtSignature: z.string().exactOptional(),
		malformed: z.string().exactOptional(),
	}),
);

/** What tools return and users send: text and images. */
export const content = once(() => z.array(z.union([text(), image()])));

const textOrContent = once(() => z.union([z.string(), content()]));

const failure = once(() =>
	z.object({
		kind: z.enum([
			"rate_limit",
			"overloaded",
			"auth",
			"overflow",
			"network",
			"timeout",
			"refusal",
			"invalid_request",
			"foreign_content",
			"invalid_response",
			"output_limit",
			"unknown",
		]),
		message: z.string(),
		status: z.number().exactOptional(),
		retryAfterMs: z.number().exactOptional(),
	}),
);

export const stopReason = once(() => z.enum(["stop", "length", "toolUse", "error", "aborted"]));

/** A note has taken the place of content: the tokens that it saves (negative when it is back), when, and by whom. */
const elided = once(() =>
	z.object({ tokens: z.number(), at: z.number(), byUser: z.boolean().exactOptional() }).exactOptional(),
);

const assistantHead = once(() => ({
	role: z.literal("assistant"),
	api: z.string(),
	provider: z.string(),
	model: z.string(),
	responseId: z.string().exactOptional(),
	responseModel: z.string().exactOptional(),
	thinkingLevel: thinkingLevel().exactOptional(),
	usage: usage(),
	stopReason: stopReason(),
	rawStopReason: z.string().exactOptional(),
	errorMessage: z.string().exactOptional(),
	failure: failure().exactOptional(),
	compacted: providerItems().exactOptional(),
	elided: elided(),
	timestamp: timestamp(),
	durationMs: z.number().exactOptional(),
	ttftMs: z.number().exactOptional(),
}));

/** An assistant message without its content, as `message_update` carries it. */
export const assistantUpdate = once(() => z.object(assistantHead()));

export const assistantMessage = once(() =>
	z
		.object({ ...assistantHead(), content: z.array(z.union([text(), thinking(), toolCall()])) })
		.meta({ id: "AssistantMessage" }),
);

export const toolResultMessage = once(() =>
	z
		.object({
			role: z.literal("toolResult"),
			toolCallId: z.string(),
			toolName: z.string(),
			content: content(),
			details: z.unknown().optional(),
			usage: usage().exactOptional(),
			isError: z.boolean(),
			/** Present when the call ran with other arguments than the model wrote: who changed them, and what ran. */
			rewritten: z.object({ by: list(z.string()), arguments: args() }).exactOptional(),
			/** The result says nothing that the model needs again. */
			useless: z.boolean().exactOptional(),
			/** The tools that the model can call since this result. */
			foundTools: list(z.string()).exactOptional(),
			elided: elided(),
			timestamp: timestamp(),
			durationMs: z.number().exactOptional(),
		})
		.meta({ id: "ToolResultMessage" }),
);

/** How a command of the user ended; `exitCode` is absent when it was killed. */
const execution = once(() => ({
	output: z.string(),
	exitCode: z.number().optional(),
	cancelled: z.boolean(),
	truncated: z.boolean(),
}));

/** What a command or a cell of the user did, and where all of its output is. */
export const executionResult = () =>
	z.object({
		...execution(),
		fullOutputPath: z.string().exactOptional(),
		totalLines: z.number().exactOptional(),
		totalBytes: z.number().exactOptional(),
		outputLines: z.number().exactOptional(),
		outputBytes: z.number().exactOptional(),
		artifactId: z.string().exactOptional(),
	});

export const message = once(() =>
	z
		.discriminatedUnion("role", [
			z.object({
				role: z.literal("user"),
				content: textOrContent(),
				called: z.string().exactOptional(),
				pastes: z.array(z.tuple([z.number(), z.number()])).exactOptional(),
				/** Who wrote it, if that was not the owner of the session. */
				by: z.string().exactOptional(),
				items: providerItems().exactOptional(),
				elided: elided(),
				timestamp: timestamp(),
			}),
			assistantMessage(),
			toolResultMessage(),
			z.object({
				role: z.literal("bashExecution"),
				command: z.string(),
				...execution(),
				fullOutputPath: z.string().exactOptional(),
				excludeFromContext: z.boolean().exactOptional(),
				elided: elided(),
				timestamp: timestamp(),
			}),
			z.object({
				role: z.literal("pythonExecution"),
				code: z.string(),
				language: z.literal("js").exactOptional(),
				...execution(),
				fullOutputPath: z.string().exactOptional(),
				excludeFromContext: z.boolean().exactOptional(),
				elided: elided(),
				timestamp: timestamp(),
			}),
			z.object({
				role: z.literal("custom"),
				customType: z.string(),
				content: textOrContent(),
				display: z.boolean(),
				details: z.unknown().optional(),
				attribution: z.string().exactOptional(),
				elided: elided(),
				timestamp: timestamp(),
			}),
			z.object({
				role: z.literal("branchSummary"),
				summary: z.string(),
				fromId: z.string(),
				elided: elided(),
				timestamp: timestamp(),
			}),
			z.object({
				role: z.literal("compactionSummary"),
				summary: z.string(),
				shortSummary: z.string().exactOptional(),
				tokensBefore: z.number(),
				/** The history on images, with what the provider charges for each. */
				images: z.array(z.object({ ...imageFields(), tokens: z.number() })).exactOptional(),
				items: providerItems().exactOptional(),
				timestamp: timestamp(),
			}),
		])
		.meta({ id: "Message" }),
);

/** A message of a conversation, as programs read it. */
export type WireMessage = z.infer<ReturnType<typeof message>>;
export type WireAnswer = z.infer<ReturnType<typeof assistantMessage>>;

/** What is new in an answer. The whole answer so far is not repeated: that would cost its length squared. */
export const assistantMessageEvent = once(() => {
	const contentIndex = z.number();
	const start = <T extends string>(type: T) => z.object({ type: z.literal(type), contentIndex });
	const delta = <T extends string>(type: T) =>
		z.object({ type: z.literal(type), contentIndex, delta: z.string() });
	const end = <T extends string>(type: T) =>
		z.object({ type: z.literal(type), contentIndex, content: z.string() });
	return z.discriminatedUnion("type", [
		start("text_start"),
		delta("text_delta"),
		end("text_end"),
		start("thinking_start"),
		delta("thinking_delta"),
		end("thinking_end"),
		/** The name is known before the arguments are. */
		z.object({ type: z.literal("toolcall_start"), contentIndex, id: z.string(), name: z.string() }),
		delta("toolcall_delta"),
		z.object({ type: z.literal("toolcall_end"), contentIndex, toolCall: toolCall() }),
	]);
});
