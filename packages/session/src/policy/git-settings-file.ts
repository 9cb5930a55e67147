/** Reads a file of git's settings as git does; whatever git would refuse, or reads in another way, is not understood. */
import { readFileSync, statSync } from "node:fs";

import { gitSettingsIn } from "@tau/sys";

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

function settingsIn(text: string): GitSetting[] | undefined {
	const { settings, isWhole } = gitSettingsIn(text);
	const nameOf = ({ section, of, key }: (typeof settings)[number]): string =>
		`${[section, ...(of === undefined ? [] : [of])].join(".").toLowerCase()}.${key}`;
	return isWhole ? settings.map((each) => [nameOf(each), each.value]) : undefined;
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
