/** Google's protocol, played as Gemini API, Vertex AI and Code Assist: responses in a stream or whole, and their errors. */

import { isRecord } from "@tau/utils";

import { cut } from "./chunks.ts";
import { googleError, googleErrorEvent } from "./google-errors.ts";
import {
	argumentsText,
	delta,
	frame,
	playedId,
	terminal,
	thinkingTokens,
	type Call,
	type Piece,
	type PlayedProtocol,
} from "./protocol.ts";
import type { ScriptedStop, ToolCallBlock } from "./scenario.ts";

const call = ":(?<method>generateContent|streamGenerateContent)$";

const commonFields = [
	"contents",
	"generationConfig",
	"safetySettings",
	"serviceTier",
	"systemInstruction",
	"toolConfig",
	"tools",
];

export const googleGenerativeAi = played({
	name: "google-generative-ai",
	pattern: new RegExp(`^/v1(?:beta)?/models/(?<model>[^/:]+)${call}`),
	isClient: ({ headers, path }) =>
		headers["x-goog-api-key"] !== undefined ||
		headers["x-goog-api-client"] !== undefined ||
		path.startsWith("/v1beta/"),
	fields: ["cachedContent", "model"],
	// Every response repeats what was counted so far.
	usageOnTheWay: (said) => promptUsage(said),
});

export const googleVertex = played({
	name: "google-vertex",
	pattern: new RegExp(
		`^/v1(?:beta1)?/(?:projects/[^/]+/locations/[^/]+/)?publishers/google/models/(?<model>[^/:]+)${call}`,
	),
	isClient: ({ path }) => path.includes("/publishers/google/"),
	fields: ["cachedContent", "labels", "modelArmorConfig"],
	usageOnTheWay: () => ({ trafficType: "ON_DEMAND" }),
});

/** The same in a wrapping, which also has the model. */
export const googleGeminiCli = played({
	name: "google-gemini-cli",
	pattern: new RegExp(`^/v1internal${call}`),
	isClient: ({ path }) => path.startsWith("/v1internal"),
	fields: ["cachedContent", "labels", "session_id"],
	wrapping: ["model", "project", "user_prompt_id", "request"],
	usageOnTheWay: () => ({ trafficType: "PROVISIONED_THROUGHPUT" }),
});

interface Place extends Pick<PlayedProtocol, "name" | "isClient"> {
	/** Has the method, and the model where the address names it. */
	pattern: RegExp;
	/** What a body may have here besides what it may have everywhere. */
	fields: readonly string[];
	/** What stands around the body; responses come wrapped too then. */
	wrapping?: readonly string[];
	usageOnTheWay(said: Call): object;
}

function played({ name, pattern, isClient, fields, wrapping, usageOnTheWay }: Place): PlayedProtocol {
	const isStream = (path: string) => pattern.exec(path)?.groups?.["method"] === "streamGenerateContent";
	const known = new Set([...commonFields, ...fields]);
	const wrap = (json: string, said: Call): string =>
		wrapping ? `{"response":${json},"traceId":"${playedId("trace", said.serial)}"}` : json;
	return {
		name,
		matches: (method, path) => method === "POST" && pattern.test(path),
		...(wrapping
			? {}
			: { modelOf: ({ path }) => decodeURIComponent(pattern.exec(path)?.groups?.["model"] ?? "") }),
		isClient,
		modelsPath: "/v1beta/models",

		refuse({ path, query }, body) {
			if (!isRecord(body)) return "Invalid JSON payload received. Expected an object key or }.";
			const inner = wrapping ? body["request"] : body;
			if (!isRecord(inner)) return "Request contains an invalid argument.";
			const strange = [
				...Object.keys(wrapping ? body : {}).filter((field) => !wrapping?.includes(field)),
				...Object.keys(inner).filter((field) => !known.has(field)),
			];
			if (strange.length > 0) {
				return `Invalid JSON payload received. Unknown name "${strange[0]}": Cannot find field.`;
			}
			if (isStream(path) && new URLSearchParams(query).get("alt") !== "sse") {
				return "the played model streams with alt=sse only";
			}
			const { contents } = inner;
			if (Array.isArray(contents) && contents.length > 0) return undefined;
			return "* GenerateContentRequest.contents: contents is not specified\n";
		},

		wantsStream: ({ path }) => isStream(path),

		*stream(said) {
			const chunk = chunkOf(said, usageOnTheWay(said));
			yield* deltas(said, (partJson) => event(wrap(chunk(partJson), said)));
			yield terminal(event(wrap(JSON.stringify(lastOf(said, [{ text: "" }])), said)));
		},

		whole: (said) => JSON.parse(wrap(JSON.stringify(lastOf(said, wholeParts(said))), said)),

		errorEvent: (error) => event(JSON.stringify(googleErrorEvent(error))),

		headers: () => ({ server: "scaffolding on HTTPServer2", "server-timing": "gfet4t7; dur=1" }),

		error: googleError,

		models: (ids) => ({
			models: ids.map((id) => ({
				name: `models/${id}`,
				version: "001",
				displayName: id,
				inputTokenLimit: 1_048_576,
				outputTokenLimit: 65_536,
				supportedGenerationMethods: ["generateContent", "countTokens"],
			})),
		}),
	};
}

/** The vendor ends its lines as HTTP does. */
function event(json: string): string {
	return `data: ${json}\r\n\r\n`;
}

function lastOf(said: Call, parts: object[]): object {
	const candidate = { content: { parts, role: "model" }, ...endOf(said), index: 0 };
	return { candidates: [candidate], usageMetadata: wholeUsage(said), ...envelope(said) };
}

function envelope(said: Call): object {
	return { modelVersion: said.model, responseId: said.answer.id ?? playedId("", said.serial) };
}

type Chunk = (partJson: string) => string;

/** Spells out once what all responses of an answer share, as a long one has tens of thousands. */
function chunkOf(said: Call, usageMetadata: object): Chunk {
	const end = JSON.stringify({ usageMetadata, ...envelope(said) }).slice(1);
	return (partJson) => `{"candidates":[{"content":{"parts":[${partJson}],"role":"model"},"index":0}],${end}`;
}

/** Thoughts are signed on the part that comes after them: a call, the end of a text, or an empty thought. */
function* deltas(said: Call, chunk: Chunk): Generator<Piece> {
	let signature: string | undefined;
	const sign = (part: object): string => {
		const json = JSON.stringify({ ...part, ...(signature ? { thoughtSignature: signature } : {}) });
		signature = undefined;
		return chunk(json);
	};
	for (const block of said.answer.blocks) {
		if ("text" in block) {
			for (const text of cut(block.text, block.chunks))
				yield delta(chunk(`{"text":${JSON.stringify(text)}}`));
			if (signature) yield frame(sign({ text: "" }));
		} else if ("thinking" in block) {
			for (const text of cut(block.thinking, block.chunks)) {
				yield delta(chunk(`{"text":${JSON.stringify(text)},"thought":true}`));
			}
			signature = block.signature;
		} else if ("redactedThinking" in block) signature = block.redactedThinking;
		else if (argumentsOf(block) !== undefined) yield delta(sign(callPart(block)));
	}
	if (signature) yield frame(sign({ text: "", thought: true }));
}

function wholeParts(said: Call): object[] {
	let signature: string | undefined;
	const parts: object[] = [];
	const push = (part: object): void => {
		parts.push({ ...part, ...(signature ? { thoughtSignature: signature } : {}) });
		signature = undefined;
	};
	for (const block of said.answer.blocks) {
		if ("text" in block) push({ text: block.text });
		else if ("thinking" in block) {
			push({ text: block.thinking, thought: true });
			signature = block.signature;
		} else if ("redactedThinking" in block) signature = block.redactedThinking;
		else if (argumentsOf(block) !== undefined) push(callPart(block));
	}
	if (signature) push({ text: "", thought: true });
	return parts;
}

function callPart(block: ToolCallBlock): object {
	const { id, name } = block.toolCall;
	return { functionCall: { name, args: argumentsOf(block), ...(id === undefined ? {} : { id }) } };
}

/** The vendor reads what the model wrote before it sends it; what cannot be read is not sent. */
function argumentsOf({ toolCall }: ToolCallBlock): Record<string, unknown> | undefined {
	try {
		const read: unknown = JSON.parse(argumentsText(toolCall.arguments));
		return isRecord(read) ? read : undefined;
	} catch {
		// It is told by the finish reason.
		return undefined;
	}
}

const finishReasons: Record<ScriptedStop, string> = {
	stop: "STOP",
	length: "MAX_TOKENS",
	toolUse: "STOP",
	refusal: "SAFETY",
};

function endOf(said: Call): { finishReason: string; finishMessage?: string } {
	const broken = said.answer.blocks.find((block) => "toolCall" in block && argumentsOf(block) === undefined);
	if (broken === undefined || !("toolCall" in broken)) {
		return { finishReason: finishReasons[said.stopReason] };
	}
	const { name, arguments: given } = broken.toolCall;
	const finishMessage = `Malformed function call: call:default_api:${name}${argumentsText(given)}`;
	return { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage };
}

/** The vendor counts cached tokens as part of the prompt, and has no figure for what it put into the cache. */
function promptUsage({ usage }: Call): object {
	const tokenCount = usage.input + usage.cacheRead + usage.cacheWrite;
	const cached = usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {};
	return {
		promptTokenCount: tokenCount,
		...cached,
		totalTokenCount: tokenCount,
		promptTokensDetails: [{ modality: "TEXT", tokenCount }],
	};
}

function wholeUsage(said: Call): object {
	const { usage } = said;
	const thoughts = thinkingTokens(said);
	return {
		...promptUsage(said),
		candidatesTokenCount: usage.output - thoughts,
		...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
		totalTokenCount: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
	};
}
