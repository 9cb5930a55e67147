/** Parses the user's text for a setting to a value of its type, and formats values as text. */
import { stripControls } from "@tau/utils";

import type { Named } from "./schema.ts";

/** Text that cannot be parsed is returned unchanged; the check of the setting reports it. */
export function parseValue({ setting, entry }: Pick<Named, "setting" | "entry">, text: string): unknown {
	if (entry !== undefined) return text;
	switch (setting.hint.kind) {
		case "toggle":
			return /^(?:true|on|yes|1)$/i.test(text) ? true : /^(?:false|off|no|0)$/i.test(text) ? false : text;
		case "number":
			return /^-?(?:\d+\.?\d*|\.\d+)(?:e\d+)?$/i.test(text) ? Number(text) : text;
		case "list":
			return text.startsWith("[") ? parsed(text) : parts(text);
		case "table":
			return text.startsWith("{") ? parsed(text) : pairs(text);
		case "json":
			return parsed(text);
		case "choice":
		case "text":
			return text;
	}
}

/** Returns the text that parses to this value. */
export function formatValue(value: unknown): string {
	if (value === undefined || value === null) return "";
	if (Array.isArray(value)) {
		const isPlain = value.every((item) => typeof item !== "object");
		return stripControls(isPlain ? value.join(", ") : JSON.stringify(value), { newline: false });
	}
	if (typeof value !== "object") return stripControls(String(value), { newline: false });
	if (Object.values(value).some((each) => typeof each === "object")) return JSON.stringify(value);
	const entries = Object.entries(value).map(([name, each]) => `${name}=${String(each)}`);
	return stripControls(entries.join(", "), { newline: false });
}

function parts(text: string): string[] {
	return text
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");
}

/** `default=a/b,smol=c` */
function pairs(text: string): unknown {
	const entries = parts(text).map((part) => [
		part.slice(0, part.indexOf("=")),
		part.slice(part.indexOf("=") + 1),
	]);
	return parts(text).every((part) => part.includes("=")) ? Object.fromEntries(entries) : text;
}

function parsed(text: string): unknown {
	try {
		return Bun.JSONC.parse(text);
	} catch {
		// The text is not JSON after all: the check reports the expected type.
		return text;
	}
}
