/** Google's client. */
import { GoogleGenAI, type Content, type GenerateContentResponse, type Part } from "@google/genai";

import { key, type Answer, type Dialect, type Media, type Question } from "./types.ts";

export const google: Dialect = {
	name: "google",
	async ask(url, model, question, streamed, signal) {
		const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
		const params = googleParams(model, question, signal);
		const chunks: GenerateContentResponse[] = streamed
			? await Array.fromAsync(await client.models.generateContentStream(params))
			: [await client.models.generateContent(params)];
		const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
		const finish = chunks.map((chunk) => chunk.candidates?.[0]?.finishReason).findLast(Boolean);
		const usage = chunks.map((chunk) => chunk.usageMetadata).findLast(Boolean);
		const calls = parts.flatMap(({ functionCall }) =>
			functionCall
				? [
						{
							id: functionCall.id ?? "",
							name: functionCall.name ?? "",
							arguments: functionCall.args as unknown,
						},
					]
				: [],
		);
		const stops: Record<string, Answer["stop"]> = { MAX_TOKENS: "length", SAFETY: "refusal" };
		const cached = usage?.cachedContentTokenCount ?? 0;
		return {
			thinking: parts.map((part) => (part.thought ? (part.text ?? "") : "")).join(""),
			text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
			calls,
			isSigned: parts.some(({ thoughtSignature }) => thoughtSignature),
			stop: stops[finish ?? ""] ?? (calls.length > 0 ? "calls" : "stop"),
			usage: {
				input: (usage?.promptTokenCount ?? 0) - cached,
				output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
				cacheRead: cached,
			},
			raw: parts,
		};
	},
	clientError: (error) => {
		if (!(error instanceof Error)) throw error;
		const { status } = error as { status?: number };
		return {
			status,
			message: error.message,
			retryAfter: /"retryDelay":\s*"(\d+)s"/.exec(error.message)?.[1] ?? null,
		};
	},
};

function googleParams(model: string, question: Question, abortSignal: AbortSignal | undefined) {
	const { choice } = question;
	const mode = { auto: "AUTO", none: "NONE", required: "ANY" } as const;
	return {
		model,
		contents: question.turns.map((turn): Content => {
			if ("answer" in turn) return { role: "model", parts: turn.answer.raw as Part[] };
			if ("results" in turn)
				return {
					role: "user",
					parts: turn.results.map(({ id, name, text, isError }) => ({
						functionResponse: {
							...(id ? { id } : {}),
							name,
							response: { [isError ? "error" : "output"]: text },
						},
					})),
				};
			return {
				role: "user",
				parts: [{ text: turn.user }, ...(turn.media ?? []).map(partOf)],
			};
		}),
		config: {
			...(abortSignal ? { abortSignal } : {}),
			thinkingConfig: {
				includeThoughts: true,
				...(question.level ? { thinkingBudget: question.level === "low" ? 2048 : 16_000 } : {}),
			},
			...(question.system ? { systemInstruction: question.system } : {}),
			...(question.tools
				? {
						tools: [
							{
								functionDeclarations: question.tools.map(({ name, description, parameters }) => ({
									name,
									description,
									parametersJsonSchema: parameters,
								})),
							},
						],
					}
				: {}),
			...(choice === undefined
				? {}
				: {
						toolConfig: {
							functionCallingConfig:
								typeof choice === "object"
									? { mode: "ANY" as never, allowedFunctionNames: [choice.name] }
									: { mode: mode[choice] as never },
						},
					}),
			...(question.maxTokens === undefined ? {} : { maxOutputTokens: question.maxTokens }),
			...(question.temperature === undefined ? {} : { temperature: question.temperature }),
			...(question.topP === undefined ? {} : { topP: question.topP }),
			...(question.stop ? { stopSequences: question.stop } : {}),
			...(question.schema
				? { responseMimeType: "application/json", responseJsonSchema: question.schema }
				: {}),
		},
	};
}

function partOf({ url, ...media }: Media): Part {
	return url === undefined ? { inlineData: media } : { fileData: { fileUri: url, mimeType: media.mimeType } };
}
