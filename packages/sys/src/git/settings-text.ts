/** Reads the text of git's settings as git does: several sections in a line, values with quotes, escapes and continued lines. */

export interface GitSetting {
	/** In small letters, without what is in quotes in its header: `core`, `includeif`. */
	readonly section: string;
	/** What is in quotes there. */
	readonly of?: string;
	/** In small letters. */
	readonly key: string;
	readonly value: string;
}

interface GitSettings {
	readonly settings: readonly GitSetting[];
	/** Whether all of it was understood: git refuses the others, from there on. */
	readonly isWhole: boolean;
}

export function gitSettingsIn(whole: string): GitSettings {
	const text = whole.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
	const settings: GitSetting[] = [];
	let named: Pick<GitSetting, "section" | "of"> | undefined;
	for (let at = 0; at < text.length;) {
		// A dot would end a comment at other ends of a line than git knows.
		const blank = match(/[ \t\r\n]+|[#;][^\n]*/y, text, at);
		const header = match(/\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y, text, at);
		const key = match(/([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/y, text, at);
		at += (blank ?? header ?? key)?.[0].length ?? 0;
		if (blank) continue;
		const [, section = "", of] = header ?? [];
		if (header) named = { section: section.toLowerCase(), ...(of === undefined ? {} : { of }) };
		else {
			const read = key?.[2] === "=" ? valueAt(text, at) : { value: "true", end: at };
			if (!key || !named || !read) return { settings, isWhole: false };
			settings.push({ ...named, key: (key[1] ?? "").toLowerCase(), value: read.value });
			at = read.end;
		}
	}
	return { settings, isWhole: true };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

const escaped: ReadonlyMap<string, string> = new Map([
	["n", "\n"],
	["t", "\t"],
	["b", "\b"],
	["\n", ""],
]);

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
		else if (char === "\\") {
			const next = text[++at] ?? "";
			value += escaped.get(next) ?? next;
		} else value += char;
		kept = value.length;
	}
	return undefined;
}
