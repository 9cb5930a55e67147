/** OpenAI's client, with Responses. */
import OpenAI from "openai";

import { openaiError } from "./completions.ts";
import { clientLimits, key, type Dialect, type Question } from "./types.ts";

export const responses: Dialect = {
	name: "responses",
	async ask(url, model, question, streamed, signal) {
		const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, ...clientLimits });
		const params = responsesParams(model, question);
		const answer = streamed
			? await client.responses.stream(params, { signal: signal ?? null }).finalResponse()
			: await client.responses.create({ ...params, stream: false }, { signal: signal ?? null });
		const { output, usage } = answer;
		const cached = usage?.input_tokens_details?.cached_tokens ?? 0;
		const calls = output.flatMap((item) =>
			item.type === "function_call"
				? [{ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments || "{}") as unknown }]
				: [],
		);
		const reason = answer.incomplete_details?.reason;
		return {
			thinking: output
				.flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : []))
				.join(""),
			text: output
				.flatMap((item) => (item.type === "message" ? item.content : []))
				.map((part) => (part.type === "output_text" ? part.text : part.refusal))
				.join(""),
			calls,
			isSigned: output.some((item) => item.type === "reasoning" && Boolean(item.encrypted_content)),
			stop:
				reason === "content_filter"
					? "refusal"
					: reason === "max_output_tokens"
						? "length"
						: calls.length > 0
							? "calls"
							: "stop",
			usage: {
				input: (usage?.input_tokens ?? 0) - cached,
				output: usage?.output_tokens ?? 0,
				cacheRead: cached,
			},
			raw: output,
		};
	},
	clientError: openaiError,
};

function responsesParams(
	model: string,
	question: Question,
): Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream"> {
	const { choice } = question;
	return {
		model,
		store: false,
		include: ["reasoning.encrypted_content"],
		...(question.system ? { instructions: question.system } : {}),
		input: question.turns.flatMap((turn): OpenAI.Responses.ResponseInputItem[] => {
			if ("answer" in turn) return turn.answer.raw as OpenAI.Responses.ResponseInputItem[];
			if ("results" in turn)
				return turn.results.map(({ id, text, image }) => ({
					type: "function_call_output",
					call_id: id,
					output: image
						? [
								{ type: "input_text", text },
								{ type: "input_image", image_url: `data:${image.mimeType};base64,${image.data}` },
							]
						: text,
				}));
			const media = (turn.media ?? []).map((each): OpenAI.Responses.ResponseInputContent => {
				const data = each.url ?? `data:${each.mimeType};base64,${each.data}`;
				return each.mimeType === "application/pdf"
					? {
							type: "input_file",
							...(each.url ? { file_url: data } : { filename: "a.pdf", file_data: data }),
						}
					: { type: "input_image", image_url: data, detail: "auto" };
			});
			return [{ role: "user", content: [{ type: "input_text", text: turn.user }, ...media] }];
		}),
		...(question.tools
			? { tools: question.tools.map((tool) => ({ type: "function" as const, strict: false, ...tool })) }
			: {}),
		...(choice === undefined
			? {}
			: {
					tool_choice: typeof choice === "object" ? { type: "function" as const, name: choice.name } : choice,
				}),
		...(question.maxTokens === undefined ? {} : { max_output_tokens: question.maxTokens }),
		...(question.temperature === undefined ? {} : { temperature: question.temperature }),
		...(question.topP === undefined ? {} : { top_p: question.topP }),
		...(question.parallel === false ? { parallel_tool_calls: false } : {}),
		...(question.level ? { reasoning: { effort: question.level } } : {}),
		...(question.schema
			? {
					text: {
						format: { type: "json_schema" as const, name: "answer", schema: question.schema, strict: true },
					},
				}
			: {}),
	};
}
