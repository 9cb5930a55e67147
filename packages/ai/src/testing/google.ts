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
	// Every response repeats the counts so far.
	usageOnTheWay: (scripted) => promptUsage(scripted),
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

/** The same in an envelope, which also contains the model. */
export const googleGeminiCli = played({
	name: "google-gemini-cli",
	pattern: new RegExp(`^/v1internal${call}`),
	isClient: ({ path }) => path.startsWith("/v1internal"),
	fields: ["cachedContent", "labels", "session_id"],
	wrapping: ["model", "project", "user_prompt_id", "request"],
	usageOnTheWay: () => ({ trafficType: "PROVISIONED_THROUGHPUT" }),
});

interface RequestPath extends Pick<PlayedProtocol, "name" | "isClient"> {
	/** Captures the method, and the model if the address names it. */
	pattern: RegExp;
	/** Additional body fields that are valid here. */
	fields: readonly string[];
	/** Fields of the envelope around the body; responses then have an envelope too. */
	wrapping?: readonly string[];
	usageOnTheWay(scripted: Call): object;
}

function played({ name, pattern, isClient, fields, wrapping, usageOnTheWay }: RequestPath): PlayedProtocol {
	const isStream = (path: string) => pattern.exec(path)?.groups?.["method"] === "streamGenerateContent";
	const known = new Set([...commonFields, ...fields]);
	const wrap = (json: string, scripted: Call): string =>
		wrapping ? `{"response":${json},"traceId":"${playedId("trace", scripted.serial)}"}` : json;
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

		*stream(scripted) {
			const chunk = chunkOf(scripted, usageOnTheWay(scripted));
			yield* deltas(scripted, (partJson) => event(wrap(chunk(partJson), scripted)));
			yield terminal(event(wrap(JSON.stringify(lastOf(scripted, [{ text: "" }])), scripted)));
		},

		whole: (scripted) => JSON.parse(wrap(JSON.stringify(lastOf(scripted, wholeParts(scripted))), scripted)),

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

function lastOf(scripted: Call, parts: object[]): object {
	const candidate = { content: { parts, role: "model" }, ...endOf(scripted), index: 0 };
	return { candidates: [candidate], usageMetadata: wholeUsage(scripted), ...envelope(scripted) };
}

function envelope(scripted: Call): object {
	return { modelVersion: scripted.model, responseId: scripted.answer.id ?? playedId("", scripted.serial) };
}

type Chunk = (partJson: string) => string;

/** Serializes the common part of all responses once, as a long answer has tens of thousands. */
function chunkOf(scripted: Call, usageMetadata: object): Chunk {
	const end = JSON.stringify({ usageMetadata, ...envelope(scripted) }).slice(1);
	return (partJson) => `{"candidates":[{"content":{"parts":[${partJson}],"role":"model"},"index":0}],${end}`;
}

/** Thoughts are signed on the next part: a call, the end of a text, or an empty thought. */
function* deltas(scripted: Call, chunk: Chunk): Generator<Piece> {
	let signature: string | undefined;
	const sign = (part: object): string => {
		const json = JSON.stringify({ ...part, ...(signature ? { thoughtSignature: signature } : {}) });
		signature = undefined;
		return chunk(json);
	};
	for (const block of scripted.answer.blocks) {
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

function wholeParts(scripted: Call): object[] {
	let signature: string | undefined;
	const parts: object[] = [];
	const push = (part: object): void => {
		parts.push({ ...part, ...(signature ? { thoughtSignature: signature } : {}) });
		signature = undefined;
	};
	for (const block of scripted.answer.blocks) {
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

/** The vendor parses the model's output before it sends it; unparsable calls are not sent. */
function argumentsOf({ toolCall }: ToolCallBlock): Record<string, unknown> | undefined {
	try {
		const read: unknown = JSON.parse(argumentsText(toolCall.arguments));
		return isRecord(read) ? read : undefined;
	} catch {
		// The finish reason reports it.
		return undefined;
	}
}

const finishReasons: Record<ScriptedStop, string> = {
	stop: "STOP",
	length: "MAX_TOKENS",
	toolUse: "STOP",
	refusal: "SAFETY",
};

function endOf(scripted: Call): { finishReason: string; finishMessage?: string } {
	const broken = scripted.answer.blocks.find(
		(block) => "toolCall" in block && argumentsOf(block) === undefined,
	);
	if (broken === undefined || !("toolCall" in broken)) {
		return { finishReason: finishReasons[scripted.stopReason] };
	}
	const { name, arguments: given } = broken.toolCall;
	const finishMessage = `Malformed function call: call:default_api:${name}${argumentsText(given)}`;
	return { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage };
}

/** The vendor counts cached tokens as part of the prompt, and has no figure for cache writes. */
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

function wholeUsage(scripted: Call): object {
	const { usage } = scripted;
	const thoughts = thinkingTokens(scripted);
	return {
		...promptUsage(scripted),
		candidatesTokenCount: usage.output - thoughts,
		...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
		totalTokenCount: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
	};
}
