/** Anthropic's client. */
import Anthropic from "@anthropic-ai/sdk";

import { clientLimits, key, type Answer, type Dialect, type Media, type Question } from "./types.ts";

export const messages: Dialect = {
	name: "messages",
	async ask(url, model, question, streamed, signal) {
		const client = new Anthropic({ baseURL: url, apiKey: key, ...clientLimits });
		const params = messagesParams(model, question);
		const message = streamed
			? await client.messages.stream(params, { signal: signal ?? null }).finalMessage()
			: await client.messages.create({ ...params, stream: false }, { signal: signal ?? null });
		const stops: Record<string, Answer["stop"]> = {
			max_tokens: "length",
			tool_use: "calls",
			refusal: "refusal",
		};
		const { content, usage } = message;
		return {
			thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
			text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
			calls: content.flatMap((block) =>
				block.type === "tool_use" ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
			),
			isSigned: content.some(
				(block) =>
					(block.type === "thinking" && block.signature !== "") ||
					(block.type === "redacted_thinking" && block.data !== ""),
			),
			stop: stops[message.stop_reason ?? ""] ?? "stop",
			usage: {
				input: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0),
				output: usage.output_tokens,
				cacheRead: usage.cache_read_input_tokens ?? 0,
			},
			raw: content,
		};
	},
	clientError: (error) => {
		if (!(error instanceof Anthropic.APIError)) throw error;
		return {
			status: error.status,
			message: error.message,
			retryAfter: error.headers?.get("retry-after") ?? null,
		};
	},
};

function messagesParams(model: string, question: Question): Anthropic.MessageCreateParamsNonStreaming {
	const mark = question.cached ? { cache_control: { type: "ephemeral" as const } } : {};
	const { choice } = question;
	const types = { auto: "auto", none: "none", required: "any" } as const;
	const wanted =
		choice === undefined
			? undefined
			: typeof choice === "object"
				? { type: "tool" as const, name: choice.name }
				: { type: types[choice] };
	const single = question.parallel === false ? { disable_parallel_tool_use: true } : {};
	return {
		model,
		max_tokens: question.maxTokens ?? 1000,
		messages: question.turns.map((turn): Anthropic.MessageParam => {
			if ("answer" in turn)
				return { role: "assistant", content: turn.answer.raw as Anthropic.ContentBlockParam[] };
			if ("results" in turn)
				return {
					role: "user",
					content: turn.results.map(({ id, text, isError, image }) => ({
						type: "tool_result",
						tool_use_id: id,
						content: [
							{ type: "text", text },
							...(image ? [{ type: "image" as const, source: base64(image) }] : []),
						],
						...(isError ? { is_error: true } : {}),
					})),
				};
			const media = (turn.media ?? []).map((each): Anthropic.ContentBlockParam => {
				const type = each.mimeType === "application/pdf" ? "document" : "image";
				if (each.url !== undefined) return { type, source: { type: "url", url: each.url } };
				return type === "document"
					? { type, source: { type: "base64", media_type: "application/pdf", data: each.data } }
					: { type, source: base64(each) };
			});
			return { role: "user", content: [{ type: "text", text: turn.user, ...mark }, ...media] };
		}),
		...(question.system ? { system: [{ type: "text", text: question.system, ...mark }] } : {}),
		...(question.tools
			? {
					tools: question.tools.map(({ name, description, parameters }) => ({
						name,
						description,
						input_schema: { type: "object" as const, ...parameters },
					})),
				}
			: {}),
		...(wanted || question.parallel === false
			? { tool_choice: { ...(wanted ?? { type: "auto" as const }), ...single } as Anthropic.ToolChoice }
			: {}),
		...(question.temperature === undefined ? {} : { temperature: question.temperature }),
		...(question.topP === undefined ? {} : { top_p: question.topP }),
		...(question.stop ? { stop_sequences: question.stop } : {}),
		...(question.level
			? { thinking: { type: "enabled" as const, budget_tokens: question.level === "low" ? 2048 : 16_000 } }
			: {}),
		...(question.schema
			? { output_config: { format: { type: "json_schema" as const, schema: question.schema } } }
			: {}),
	};
}

function base64({ mimeType, data }: Media): Anthropic.Base64ImageSource {
	return { type: "base64", media_type: mimeType as "image/png", data };
}
