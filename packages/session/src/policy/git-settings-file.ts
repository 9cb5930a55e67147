/** Reads a file of git's settings as git does; whatever git would refuse, or reads in another way, is not understood. */
import { readFileSync, statSync } from "node:fs";

import { limits } from "./limits.ts";

/** In small letters, with what is in quotes in its header: `remote.origin.url`. */
export type GitSetting = readonly [name: string, value: string];

/** Undefined for what is not understood; nothing for a file that is not there. */
export function settingsOfFile(path: string): readonly GitSetting[] | undefined {
	try {
		if (!statSync(path, { throwIfNoEntry: false })) return [];
	} catch {
		// A loop of links, or a directory that this user may not enter.
		return undefined;
	}
	const text = textOf(path);
	return text === undefined ? undefined : settingsIn(text);
}

function settingsIn(whole: string): GitSetting[] | undefined {
	const text = whole.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
	const found: GitSetting[] = [];
	let section = "";
	for (let at = 0; at < text.length;) {
		// A dot would end a comment at other ends of a line than git knows.
		const blank = match(/[ \t\r\n]+|[#;][^\n]*/y, text, at);
		const header = match(/\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y, text, at);
		const key = match(/([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/y, text, at);
		at += (blank ?? header ?? key)?.[0].length ?? text.length;
		if (blank) continue;
		if (header)
			section = [header[1], ...(header[2] === undefined ? [] : [header[2]])].join(".").toLowerCase();
		else if (key && section !== "") {
			const read = key[2] === "=" ? valueAt(text, at) : { value: "true", end: at };
			if (!read) return undefined;
			found.push([`${section}.${(key[1] ?? "").toLowerCase()}`, read.value]);
			at = read.end;
		} else return undefined;
	}
	return found;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

/** A value ends with its line, which a backslash continues, but not in a comment. Only spaces around it in no quotes are dropped. */
function valueAt(text: string, from: number): { value: string; end: number } | undefined {
	let value = "";
	let kept = 0;
	let isQuoted = false;
	for (let at = from; at <= text.length; at++) {
		const char = text[at] ?? "\n";
		if (char === "\n") return isQuoted ? undefined : { value: value.slice(0, kept), end: at };
		if (!isQuoted && /[#;]/.test(char)) {
			const end = text.indexOf("\n", at);
			return { value: value.slice(0, kept), end: end < 0 ? text.length : end };
		}
		if (!isQuoted && /[ \t\r]/.test(char)) {
			if (value !== "") value += char;
			continue;
		}
		if (char === '"') isQuoted = !isQuoted;
		else if (char !== "\\") value += char;
		else {
			const next = text[++at] ?? "";
			if (next !== "\n") value += next;
		}
		kept = value.length;
	}
	return undefined;
}

/** Undefined if it is not an ordinary file of a size that is read. */
export function textOf(path: string): string | undefined {
	try {
		const info = statSync(path);
		return info.isFile() && info.size <= limits.ruleFileBytes ? readFileSync(path, "utf8") : undefined;
	} catch {
		// Git cannot read it either.
		return undefined;
	}
}
