/** What a person writes for a setting, as the value that the setting wants; and the way back. */
import { stripControls } from "@tau/utils";

import type { Named } from "./schema.ts";

/** Words that make no sense are left for the check of the setting to name. */
export function readWords({ setting, entry }: Pick<Named, "setting" | "entry">, words: string): unknown {
	if (entry !== undefined) return words;
	switch (setting.hint.kind) {
		case "toggle":
			return /^(?:true|on|yes|1)$/i.test(words) ? true : /^(?:false|off|no|0)$/i.test(words) ? false : words;
		case "number":
			return /^-?(?:\d+\.?\d*|\.\d+)(?:e\d+)?$/i.test(words) ? Number(words) : words;
		case "list":
			return words.startsWith("[") ? parsed(words) : parts(words);
		case "table":
			return words.startsWith("{") ? parsed(words) : pairs(words);
		case "json":
			return parsed(words);
		case "choice":
		case "text":
			return words;
	}
}

/** The words that give this value again. */
export function writeWords(value: unknown): string {
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

function parts(words: string): string[] {
	return words
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");
}

/** `default=a/b,smol=c` */
function pairs(words: string): unknown {
	const entries = parts(words).map((part) => [
		part.slice(0, part.indexOf("=")),
		part.slice(part.indexOf("=") + 1),
	]);
	return parts(words).every((part) => part.includes("=")) ? Object.fromEntries(entries) : words;
}

function parsed(words: string): unknown {
	try {
		return Bun.JSONC.parse(words);
	} catch {
		// Not what it looked like: the check says what it should be.
		return words;
	}
}
