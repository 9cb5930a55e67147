/** OpenAI's client, with Chat Completions. */
import OpenAI from "openai";

import { clientLimits, key, type Answer, type ClientError, type Dialect, type Question } from "./types.ts";

export const completions: Dialect = {
	name: "completions",
	async ask(url, model, question, streamed, signal) {
		const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, ...clientLimits });
		const params = completionsParams(model, question);
		let thinking = "";
		const streaming = streamed
			? client.chat.completions.stream(
					{ ...params, stream_options: { include_usage: true } },
					{ signal: signal ?? null },
				)
			: undefined;
		// The vendor's client joins only the fields that it knows.
		streaming?.on("chunk", ({ choices }) => {
			const [each] = choices as { delta?: { reasoning_content?: string } }[];
			thinking += each?.delta?.reasoning_content ?? "";
		});
		const answer = streaming
			? await streaming.finalChatCompletion()
			: await client.chat.completions.create({ ...params, stream: false }, { signal: signal ?? null });
		const [choice] = answer.choices;
		const message = choice?.message;
		const more = message as unknown as
			{ reasoning_content?: string; reasoning_details?: unknown[] } | undefined;
		const stops: Record<string, Answer["stop"]> = {
			length: "length",
			tool_calls: "calls",
			content_filter: "refusal",
		};
		const cached = answer.usage?.prompt_tokens_details?.cached_tokens ?? 0;
		return {
			thinking: thinking || (more?.reasoning_content ?? ""),
			text: (message?.content ?? "") + (message?.refusal ?? ""),
			calls: (message?.tool_calls ?? []).flatMap((call) =>
				call.type === "function"
					? [
							{
								id: call.id,
								name: call.function.name,
								arguments: JSON.parse(call.function.arguments || "{}") as unknown,
							},
						]
					: [],
			),
			isSigned: (more?.reasoning_details?.length ?? 0) > 0,
			stop: stops[choice?.finish_reason ?? ""] ?? "stop",
			usage: {
				input: (answer.usage?.prompt_tokens ?? 0) - cached,
				output: answer.usage?.completion_tokens ?? 0,
				cacheRead: cached,
			},
			raw: thinking ? { ...message, reasoning_content: thinking } : message,
		};
	},
	clientError: openaiError,
};

export function openaiError(error: unknown): ClientError {
	if (!(error instanceof OpenAI.APIError)) throw error;
	return {
		status: error.status,
		message: error.message,
		retryAfter: error.headers?.get("retry-after") ?? null,
	};
}

function completionsParams(
	model: string,
	question: Question,
): Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream"> {
	const { choice } = question;
	return {
		model,
		messages: [
			...(question.system ? [{ role: "system" as const, content: question.system }] : []),
			...question.turns.flatMap((turn): OpenAI.ChatCompletionMessageParam[] => {
				if ("answer" in turn) return [turn.answer.raw as OpenAI.ChatCompletionMessage];
				if ("results" in turn)
					return turn.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
				const media = (turn.media ?? []).map((each): OpenAI.ChatCompletionContentPart => {
					const data = each.url ?? `data:${each.mimeType};base64,${each.data}`;
					return each.mimeType === "application/pdf"
						? { type: "file", file: { filename: "a.pdf", file_data: data } }
						: { type: "image_url", image_url: { url: data } };
				});
				return [
					{
						role: "user",
						content: media.length > 0 ? [{ type: "text", text: turn.user }, ...media] : turn.user,
					},
				];
			}),
		],
		...(question.tools
			? { tools: question.tools.map((tool) => ({ type: "function" as const, function: tool })) }
			: {}),
		...(choice === undefined
			? {}
			: {
					tool_choice: typeof choice === "object" ? { type: "function" as const, function: choice } : choice,
				}),
		...(question.maxTokens === undefined ? {} : { max_completion_tokens: question.maxTokens }),
		...(question.temperature === undefined ? {} : { temperature: question.temperature }),
		...(question.topP === undefined ? {} : { top_p: question.topP }),
		...(question.stop ? { stop: question.stop } : {}),
		...(question.parallel === false ? { parallel_tool_calls: false } : {}),
		...(question.level ? { reasoning_effort: question.level } : {}),
		...(question.schema
			? {
					response_format: {
						type: "json_schema" as const,
						json_schema: { name: "answer", schema: question.schema, strict: true },
					},
				}
			: {}),
	};
}
