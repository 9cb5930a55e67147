/** Reads git's settings as git does: sections, quotes, comments, continued lines, and the files that they include. */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { expandHome } from "@tau/utils";

import { limits } from "./limits.ts";

export interface GitSetting {
	/** In small letters, without the name in quotes that may follow: `core`, `includeif`. */
	readonly section: string;
	readonly key: string;
	readonly value: string;
}

export interface IncludedSettings {
	readonly settings: readonly GitSetting[];
	/** The files that others include, whether they exist or not. */
	readonly included: readonly string[];
}

/** Settings of files, those that are given, and of files that they include, whatever the conditions. */
export function settingsOf(
	files: readonly string[],
	home?: string,
	given: readonly GitSetting[] = [],
): IncludedSettings {
	const settings: GitSetting[] = [];
	const queue = [...files];
	const known = new Set(queue);
	const add = (all: readonly GitSetting[], directory: string): void => {
		settings.push(...all);
		for (const { section, key, value } of all) {
			if (!/^include(?:if)?$/.test(section) || key !== "path") continue;
			const path = resolve(directory, expandHome(value, home));
			if (known.has(path) || known.size > limits.includedSettings) continue;
			known.add(path);
			queue.push(path);
		}
	};
	// Git refuses to include what is not a whole path here.
	add(given, "/");
	for (const file of queue) add(settingsIn(smallText(file) ?? ""), dirname(file));
	return { settings, included: queue.slice(files.length) };
}

/** Those of one file. */
export function settingsIn(text: string): GitSetting[] {
	let section = "";
	return text
		.replaceAll(/\\\r?\n/g, "")
		.split("\n")
		.flatMap((line) => {
			const [header, name] = /^\s*\[\s*([\w.-]+)\s*(?:"(?:\\.|[^"\\])*"\s*)?\]/.exec(line) ?? [""];
			if (name !== undefined) section = name.toLowerCase();
			const [, key, value = ""] = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(line.slice(header.length)) ?? [];
			return key === undefined ? [] : [{ section, key: key.toLowerCase(), value: unquoted(value) }];
		});
}

/** Without quotes and escapes, and to the comment. */
function unquoted(value: string): string {
	const [whole = ""] = /^(?:"(?:\\.|[^"\\])*"|\\.|[^"\\#;])*/.exec(value) ?? [];
	const parts = whole.trim().match(/"(?:\\.|[^"\\])*"|\\.|[^"\\]+/g) ?? [];
	return parts.map((part) => part.replace(/^"(.*)"$/, "$1").replaceAll(/\\(.)/g, "$1")).join("");
}

export function smallText(path: string): string | undefined {
	try {
		const info = statSync(path);
		return info.isFile() && info.size <= limits.gitFileBytes ? readFileSync(path, "utf8") : undefined;
	} catch {
		return undefined;
	}
}
