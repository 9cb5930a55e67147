/** Adds and removes one member of an object in a file of JSON, and leaves every other character as it is, comments too. */
import { isDeepStrictEqual } from "node:util";

import { isRecord } from "@tau/utils";

/** Undefined if the member is there already, or the file cannot be changed safely. */
export function withMember(
	text: string,
	[section, name]: [string, string],
	value: object,
): string | undefined {
	const known = parsed(text.trim() === "" ? "{}" : text);
	if (known === undefined) return undefined;
	const before = known[section];
	if (before !== undefined && (!isRecord(before) || name in before)) return undefined;
	const wanted = { ...known, [section]: { ...before, [name]: value } };
	if (text.trim() === "") return `${json(wanted)}\n`;
	const member = before ? { [name]: value } : { [section]: { [name]: value } };
	const object = before ?? known;
	const at = before ? afterBrace(text, section) : afterFirstBrace(text);
	if (at === undefined) return undefined;
	// Indented as deep as it is, without the braces around it.
	const lines = json(member).split("\n").slice(1, -1);
	const indent = before ? "  " : "";
	const comma = Object.keys(object).length > 0 ? "," : "\n";
	const added = `${text.slice(0, at)}\n${lines.map((line) => indent + line).join("\n")}${comma}${text.slice(at)}`;
	return isDeepStrictEqual(parsed(added), wanted) ? added : undefined;
}

/** Undefined if the member is not there, or the file cannot be changed safely. */
export function withoutMember(text: string, [section, name]: [string, string]): string | undefined {
	const known = parsed(text);
	const before = known?.[section];
	if (!known || !isRecord(before) || !(name in before)) return undefined;
	const { [name]: _, ...others } = before;
	const isLast = Object.keys(others).length === 0;
	const { [section]: __, ...rest } = known;
	const wanted = isLast ? rest : { ...known, [section]: others };
	const key = isLast ? section : name;
	const start = new RegExp(`\\s*${JSON.stringify(key)}\\s*:\\s*\\{`).exec(text)?.index;
	const open = afterBrace(text, key);
	const end = start === undefined || open === undefined ? undefined : closingBrace(text, open);
	if (start === undefined || end === undefined) return undefined;
	const [head, tail] = [text.slice(0, start), text.slice(end + 1)];
	// The comma behind it or, for the last member, the one before it.
	const candidates = [head + tail.replace(/^\s*,/, ""), head.replace(/,\s*$/, "") + tail];
	return candidates.find((each) => isDeepStrictEqual(parsed(each), wanted));
}

/** Where the members of the object begin: what comes before it are comments. */
function afterFirstBrace(text: string): number | undefined {
	const [start] = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*\{/.exec(text) ?? [];
	return start?.length;
}

function afterBrace(text: string, key: string): number | undefined {
	const match = new RegExp(`${JSON.stringify(key)}\\s*:\\s*\\{`).exec(text);
	return match ? match.index + match[0].length : undefined;
}

/** The brace that closes the object whose members begin there. */
function closingBrace(text: string, from: number): number | undefined {
	const part = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|[{}]/g;
	part.lastIndex = from;
	let depth = 1;
	for (let match = part.exec(text); match; match = part.exec(text)) {
		if (match[0] === "{") depth++;
		else if (match[0] === "}" && --depth === 0) return match.index;
	}
	return undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = Bun.JSONC.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		// A file with a mistake is the user's to mend.
		return undefined;
	}
}

export function json(value: object): string {
	return JSON.stringify(value, undefined, 2);
}
