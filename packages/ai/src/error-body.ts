/** Parses a provider's error body, in any of the known shapes. */
import { cutUnits } from "@tau/utils/portable";

import { isObject, list, object, string, type Json } from "./json.ts";
import { limits } from "./limits.ts";
import { statedWaitMs } from "./retry-after.ts";

export interface ErrorText {
	message: string;
	/** The provider's identifiers of the error: types, codes and states. */
	codes: string[];
	/** The HTTP status, if the body repeats it or replaces it. */
	status?: number;
	/** The wait that the body requests. */
	waitMs?: number;
}

const nothing: ErrorText = { message: "", codes: [] };

/** Vendors nest differently: `{error:{type,message}}`, `{error:"…"}`, `{detail:[{msg}]}`, `[{error}]`, plain text. */
export function readError(body: unknown, depth = 0): ErrorText {
	if (depth > limits.errorDepth) return nothing;
	const read = (inner: unknown): ErrorText => readError(inner, depth + 1);
	if (typeof body === "string") return readText(body, read);
	if (Array.isArray(body)) return read(body[0]);
	if (!isObject(body)) return nothing;
	const own = readFields(body);
	const inner = [body.error, body.errors, body.detail, object(body.response).error].find(
		(value) => isObject(value) || list(value).length > 0,
	);
	if (inner !== undefined) return joined(read(inner), own);
	// Gateways only report that a provider failed, and quote its message: OpenRouter in `raw`, others as the message.
	const quoted = read(object(body.metadata).raw);
	if (own.message === "") return joined(quoted, own);
	const unpacked = readJson(own.message, read);
	const whole = unpacked ? joined(unpacked, { ...own, message: "" }) : own;
	const message = [whole.message, quoted.message].filter(Boolean).join(": ");
	return { ...joined(whole, quoted), message: cutUnits(message, limits.errorBodyBytes) };
}

/** The innermost error takes precedence; the others fill in what it lacks. */
function joined(near: ErrorText, far: ErrorText): ErrorText {
	const status = near.status ?? far.status;
	const waitMs = near.waitMs ?? far.waitMs;
	return {
		message: near.message || far.message,
		codes: [...near.codes, ...far.codes],
		...(status === undefined ? {} : { status }),
		...(waitMs === undefined ? {} : { waitMs }),
	};
}

function readFields(body: Json): ErrorText {
	const message = [body.message, body.Message, body.error, body.detail, body.msg]
		.map(string)
		.find((text) => text !== "");
	const status = [body.code, body.status, body.status_code].map(statusOf).find((code) => code !== undefined);
	const waitMs = statedWaitMs(body);
	return {
		message: message ?? "",
		codes: [body.type, body.code, body.status, body.error, body.reason, shapeName(body)]
			.map(string)
			.filter(isCode),
		...(status === undefined ? {} : { status }),
		...(waitMs === undefined ? {} : { waitMs }),
	};
}

/** Amazon's name for an error, without its namespace. */
function shapeName(body: Json): string {
	return string(body.__type).replace(/^.*#/, "");
}

/** Some write the status as a number, some as a string of digits. */
function statusOf(code: unknown): number | undefined {
	const status = typeof code === "string" ? Number(code) : code;
	return typeof status === "number" && status >= 400 && status < 600 ? status : undefined;
}

/** A text with spaces is a sentence, and words in a sentence prove nothing. */
function isCode(text: string): boolean {
	return /^\S+$/.test(text);
}

type Read = (inner: unknown) => ErrorText;

function readText(text: string, read: Read): ErrorText {
	const parsed = readJson(text, read);
	if (parsed) return parsed;
	const title = /^\s*</.test(text) ? /<title[^>]{0,99}>([^<]{1,999})/i.exec(text)?.[1] : undefined;
	return { message: (title ?? text).trim(), codes: [] };
}

function readJson(text: string, read: Read): ErrorText | undefined {
	if (!/^\s*[[{]/.test(text)) return undefined;
	try {
		return read(JSON.parse(text));
	} catch {
		// Not JSON: a proxy's HTML page or plain text, shown unchanged.
		return undefined;
	}
}
