/** Sanitizes the result of an extension's tool for all code that shows, stores and sends it. */
import type { AgentToolResult } from "@tau/agent";
import type { ImageContent, TextContent, Usage } from "@tau/ai";
import { cutUnits, isRecord } from "@tau/utils";
import type { ArtifactStore } from "@tau/session/artifacts";
import { OutputSink } from "@tau/tools/output";

import { limits } from "./limits.ts";
import { plainData } from "./plain-data.ts";

/** Throws where there is nothing in it that could be called a result. */
export function sanitizeResult(
	name: string,
	{ content, details, structuredContent, ...rest }: Partial<AgentToolResult>,
	artifacts?: ArtifactStore,
): AgentToolResult {
	if (!Array.isArray(content)) throw new Error(`The tool ${name} returned no content.`);
	return {
		...rest,
		content: sanitizeContent(content).map((part) => bounded(name, part, artifacts)),
		...(details === undefined ? {} : { details: plainData(details) }),
		...(structuredContent === undefined ? {} : { structuredContent: plainData(structuredContent) }),
	};
}

/** The model's server would reject the whole conversation for a part that is neither text nor an image. */
export function sanitizeContent(content: readonly unknown[]): (TextContent | ImageContent)[] {
	return content.map((part) => {
		if (isText(part) || isImage(part)) return part;
		if (typeof part === "string") return { type: "text", text: part };
		const shown = cutUnits(JSON.stringify(plainData(part)) ?? "nothing", limits.oddPartChars);
		return { type: "text", text: `[neither text nor an image: ${shown}]` };
	});
}

/** Totals of the session are sums of these. */
export function isUsage(value: unknown): value is Usage {
	if (!isRecord(value) || !isRecord(value.cost)) return false;
	const { input, output, cacheRead, cacheWrite, totalTokens, cost } = value;
	return [input, output, cacheRead, cacheWrite, totalTokens, cost.total].every(Number.isFinite);
}

/** A text that no model could read would end the conversation. */
function bounded(
	name: string,
	part: TextContent | ImageContent,
	artifacts: ArtifactStore | undefined,
): TextContent | ImageContent {
	if (part.type !== "text" || part.text.length <= limits.resultChars) return part;
	using sink = new OutputSink({ tool: name, ...(artifacts ? { artifacts } : {}) });
	sink.push(Buffer.from(part.text));
	return { ...part, text: sink.summary().text };
}

function isText(part: unknown): part is TextContent {
	return has(part, "type", "text") && typeof part.text === "string";
}

function isImage(part: unknown): part is ImageContent {
	return has(part, "type", "image") && fits(part.mimeType, imageType) && fits(part.data, base64);
}

const imageType = /^image\/[\w.+-]{1,40}$/;
const base64 = /^[\w+/\-=\s]+$/;

function fits(value: unknown, shape: RegExp): boolean {
	return typeof value === "string" && shape.test(value);
}

function has(part: unknown, key: string, value: string): part is Record<string, unknown> {
	return typeof part === "object" && part !== null && Reflect.get(part, key) === value;
}
