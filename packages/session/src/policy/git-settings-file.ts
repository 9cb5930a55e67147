/** Reads a file of git's settings as git does; whatever git would refuse, or reads in another way, is not understood. */
import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { gitSettingsIn } from "@tau/sys";
import { expandHome } from "@tau/utils";
import { findSecrets, nothingKnown } from "@tau/utils/secrets";

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

/** `github.token`, `sendemail.smtpPass`, `http.<url>.extraHeader`; a helper that asks for a password is none. */
const tokenName = /(?<!ask)(?:token|pass|passwd|password|secret|api-?key|extraheader)$/;

/** Whether the settings of a user, or those that they include, hold a password or token, or cannot be told. */
export function holdsTokens(file: string, home: string): boolean {
	const files = new Set([file]);
	for (const each of files) {
		const settings = settingsOfFile(each);
		if (!settings || files.size > limits.settingsFiles) return true;
		// Names have them, too, and in them capitals count: `[url "https://x-access-token:…@github.com/"]`.
		if (findSecrets(textOf(each) ?? "", nothingKnown).length > 0) return true;
		for (const [name, value] of settings) {
			if (tokenName.test(name) && value !== "") return true;
			if (findSecrets(`${name}=${value}`, nothingKnown).length > 0) return true;
			if (/^include(?:if\..*)?\.path$/s.test(name))
				files.add(resolve(dirname(each), expandHome(value, home)));
		}
	}
	return false;
}
