/** JSON as models write it: cut off, or with strings that break its rules. */
import { IncrementalJson } from "@tau/ai";

const control = /[\u0000-\u001f]/;
const shortEscapes: Readonly<Record<string, string>> = {
	"\b": "b",
	"\f": "f",
	"\n": "n",
	"\r": "r",
	"\t": "t",
};

/** Escapes raw control characters in strings, and doubles backslashes that escape nothing. */
export function repairJson(json: string): string {
	let repaired = "";
	let inString = false;
	for (let at = 0; at < json.length; at++) {
		const char = json[at] ?? "";
		if (!inString || char === '"') {
			if (char === '"') inString = !inString;
			repaired += char;
		} else if (char === "\\") {
			const escape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(json.slice(at, at + 6))?.[0];
			repaired += escape ?? "\\\\";
			at += (escape?.length ?? 1) - 1;
		} else if (control.test(char)) {
			const code = char.charCodeAt(0).toString(16).padStart(4, "0");
			repaired += `\\${shortEscapes[char] ?? `u${code}`}`;
		} else repaired += char;
	}
	return repaired;
}

/** Throws what `JSON.parse` throws where nothing helps. */
export function parseJsonWithRepair(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		// The second try is the answer, good or bad.
		return JSON.parse(repairJson(json));
	}
}

/** The best that can be made of the beginning of an object; `{}` where that is nothing. */
export function parseStreamingJson(partialJson: string | undefined): unknown {
	const json = new IncrementalJson();
	json.push(partialJson ?? "");
	const { value } = json.end();
	return typeof value === "object" && value !== null ? value : {};
}

export function parseToolCallArguments(text: string | undefined): {
	arguments: Record<string, unknown>;
	argumentsError?: string;
} {
	const json = new IncrementalJson();
	json.push(text ?? "");
	const { value, malformed } = json.end();
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	const error = malformed ?? (isObject ? undefined : "the arguments are not a JSON object");
	return {
		arguments: isObject ? (value as Record<string, unknown>) : {},
		...(error === undefined ? {} : { argumentsError: error }),
	};
}

/** The arguments of a call while they arrive. */
export class ToolCallArgumentsStream {
	#json = new IncrementalJson();
	#text = "";

	get text(): string {
		return this.#text;
	}

	append(delta: string): Record<string, unknown> {
		this.#text += delta;
		this.#json.push(delta);
		const { value } = this.#json;
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
	}

	/** The delta is present only if the new text continues the old one. */
	replace(text: string): { delta: string | undefined; arguments: Record<string, unknown> } {
		if (text.startsWith(this.#text)) {
			const delta = text.slice(this.#text.length);
			return { delta, arguments: this.append(delta) };
		}
		this.#text = "";
		this.#json = new IncrementalJson();
		return { delta: undefined, arguments: this.append(text) };
	}

	finish(): ReturnType<typeof parseToolCallArguments> {
		return parseToolCallArguments(this.#text);
	}
}

/** What extensions get of it. */
export const jsonExports = {
	repairJson,
	parseJsonWithRepair,
	parseStreamingJson,
	parseToolCallArguments,
	ToolCallArgumentsStream,
};
