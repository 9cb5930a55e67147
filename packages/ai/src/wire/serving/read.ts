/** What all protocols share in reading a client's request: fields, media, levels, and what is left over. */
import { isObject, string, type Json } from "../../json.ts";
import type { ImageContent, TextContent, ThinkingLevel, ToolResultMessage } from "../../types.ts";
import { thinkingLevels } from "../../types.ts";
import type { LinkedMedia } from "../media.ts";
import { RequestProblem, type ServedRequest } from "./types.ts";

/** The fields of a body that nothing reads, by name: a field that is absent or null asks for nothing. */
export function unknownFields(body: Json, known: readonly string[], prefix = ""): string[] {
	return Object.entries(body).flatMap(([name, value]) =>
		value === undefined || value === null || known.includes(name) ? [] : [prefix + name],
	);
}

export function modelOf(body: Json): string {
	const model = string(body.model);
	if (model === "") throw new RequestProblem("model: the name of a model is required");
	return model;
}

export function messagesOf(body: Json, field: string): Json[] {
	const messages = body[field];
	if (!Array.isArray(messages) || messages.length === 0)
		throw new RequestProblem(`${field}: at least one is required`);
	return messages.map((message, at) => {
		if (!isObject(message)) throw new RequestProblem(`${field}[${at}]: an object is required`);
		return message;
	});
}

/** Only the fields that have a value, because our options may not be undefined. */
export function present<T extends object>(fields: { [Name in keyof T]?: T[Name] | undefined }): T {
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export function numberOf(value: unknown): number | undefined {
	return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

export function stringsOf(value: unknown): string[] | undefined {
	const values = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
	const texts = values.filter((each) => typeof each === "string");
	return texts.length > 0 ? texts : undefined;
}

/** The vendors' names of efforts; `none` is ours `off`. */
export function levelOf(effort: unknown): ThinkingLevel | undefined {
	const word = string(effort).toLowerCase();
	if (word === "none") return "off";
	return thinkingLevels.find((level) => level === word);
}

/** The level whose usual budget is nearest above; the exact number goes along for protocols that count tokens. */
export function budgetOf(tokens: number): Pick<ServedRequest["options"], "reasoning" | "thinkingBudgets"> {
	if (tokens <= 0) return { reasoning: "off" };
	const reasoning =
		tokens <= 1024 ? "minimal" : tokens <= 4096 ? "low" : tokens <= 10_240 ? "medium" : "high";
	return { reasoning, thinkingBudgets: { [reasoning]: tokens } };
}

/** Content with data inline, as a data URL has it. */
export function mediaOf(url: unknown): ImageContent | undefined {
	const text = string(url);
	// A pattern over all of it would read megabytes of data twice.
	const comma = text.indexOf(",");
	const type = /^data:([\w.+-]+\/[\w.+-]+);base64$/.exec(text.slice(0, Math.max(0, comma)))?.[1];
	return type === undefined ? undefined : media(type, text.slice(comma + 1));
}

export function media(mimeType: unknown, data: unknown): ImageContent {
	return { type: "image", data: string(data), mimeType: string(mimeType) };
}

const typesByEnding: Readonly<Record<string, string>> = {
	png: "image/png",
	jpg: "image/jpeg",
	jpeg: "image/jpeg",
	gif: "image/gif",
	webp: "image/webp",
	pdf: "application/pdf",
};

/** An image whose kind its address does not say. */
export const anyImage = "image/*";

/** What a client has uploaded there is known to that vendor alone. */
const uploads = /^https:\/\/generativelanguage\.googleapis\.com\//i;

/** An image or a document at an address of the web. Undefined for anything else, such as a video or the id of an upload. */
export function linkedMedia(url: unknown, kind: unknown, mimeType?: unknown): LinkedMedia | undefined {
	const address = URL.parse(string(url));
	if (!address || !/^https?:$/.test(address.protocol) || uploads.test(address.href)) return undefined;
	const ending = /\.(\w+)$/.exec(address.pathname)?.[1]?.toLowerCase() ?? "";
	const usual = kind === "image" ? anyImage : kind === "document" ? typesByEnding.pdf : "";
	const type = textOf(mimeType) ?? typesByEnding[ending] ?? usual ?? "";
	const isKnown = type.startsWith("image/") || type === typesByEnding.pdf;
	return isKnown ? { type: "image", data: "", url: string(url), mimeType: type } : undefined;
}

export function resultOf(
	toolCallId: string,
	toolName: string,
	content: (TextContent | ImageContent)[],
	isError = false,
): ToolResultMessage {
	return { role: "toolResult", toolCallId, toolName, content, isError, timestamp: 0 };
}
