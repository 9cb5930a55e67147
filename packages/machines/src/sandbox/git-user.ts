/** Where git reads the settings of the user: files, and variables that hold settings themselves. */
import { isAbsolute, join } from "node:path";

import type { GitSetting } from "@tau/sys";
import { env as readEnv, type Env } from "@tau/utils";

import { limits } from "./limits.ts";
import { systemSettings } from "./runs-later.ts";

export interface GitUser {
	readonly home: string;
	/** Whether they exist or not. */
	readonly files: readonly string[];
	/** Settings that variables hold. */
	readonly settings: readonly GitSetting[];
	/** The directories of PATH, in which git may be. */
	readonly searchPath: readonly string[];
}

/**
 * All files that git may read, also those in whose place a variable names another one: another terminal of the user may not have
 * the variable, and older versions of git do not know it.
 */
export function gitUser(home: string, env: Env = {}): GitUser {
	const config = readEnv("XDG_CONFIG_HOME", env);
	const named = ["GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"].map((name) => readEnv(name, env));
	const files = [
		"/etc/gitconfig",
		...systemSettings,
		config && join(config, "git/config"),
		join(home, ".config/git/config"),
		join(home, ".gitconfig"),
		...named,
	];
	return {
		home,
		files: [...new Set(files.flatMap((path) => (path !== undefined && isAbsolute(path) ? path : [])))],
		settings: [...countedSettings(env), ...parameters(env)],
		searchPath: (readEnv("PATH", env) ?? "").split(":").filter(isAbsolute),
	};
}

/** `GIT_CONFIG_COUNT` with a key and a value for each. */
function countedSettings(env: Env): GitSetting[] {
	const count = Math.min(Number(readEnv("GIT_CONFIG_COUNT", env)) || 0, limits.includedSettings);
	return Array.from({ length: count }, (_, index) =>
		settingOf(env[`GIT_CONFIG_KEY_${index}`] ?? "", env[`GIT_CONFIG_VALUE_${index}`] ?? ""),
	);
}

/** What `git -c` passes on: `'core.hooksPath=x'`, or `'core.hooksPath'='x'`. */
function parameters(env: Env): GitSetting[] {
	const quoted = String.raw`'((?:[^']|'\\['!]')*)'`;
	const each = new RegExp(`${quoted}(?:=${quoted})?`, "g");
	return [...(readEnv("GIT_CONFIG_PARAMETERS", env) ?? "").matchAll(each)].map(([, key = "", value]) => {
		const plain = (text: string): string => text.replaceAll(/'\\(['!])'/g, "$1");
		if (value !== undefined) return settingOf(plain(key), plain(value));
		const [name = "", ...rest] = plain(key).split("=");
		return settingOf(name, rest.join("="));
	});
}

/** `key`: `core.hooksPath`, `includeIf.gitdir:~/work/.path`. */
function settingOf(key: string, value: string): GitSetting {
	const section = key.slice(0, Math.max(0, key.indexOf(".")));
	return {
		section: section.toLowerCase(),
		key: key.slice(key.lastIndexOf(".") + 1).toLowerCase(),
		value,
	};
}
