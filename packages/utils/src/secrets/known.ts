/** What is known to be secret on this machine: keys that Tau holds, secrets of the environment, the home directory. */
import { homeOf } from "../dirs.ts";
import type { Env } from "../env.ts";
import { secretLimits } from "../limits.ts";
import { registeredSecrets } from "../mask.ts";
import { secretsOf } from "../secret-variables.ts";

export interface KnownSecrets {
	/** Longest first. */
	readonly values: readonly { readonly value: string; readonly name: string }[];
	readonly homes: readonly { readonly path: string; readonly replacement: string }[];
}

export const nothingKnown: KnownSecrets = { values: [], homes: [] };

/** Keys that Tau holds are those that were registered (`registerSecret`), as each is when it is read. */
export function knownSecrets(env: Env, home: string = homeOf(env)): KnownSecrets {
	const names = new Map<string, string>();
	for (const value of registeredSecrets())
		if (value.length >= secretLimits.shortest) names.set(value, "key that Tau uses");
	for (const [name, value] of Object.entries(secretsOf(env))) {
		if (value.length < secretLimits.shortest) continue;
		for (const form of [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)])
			names.set(form, `value of ${name}`);
	}
	const values = [...names].map(([value, name]) => ({ value, name }));
	values.sort((a, b) => b.value.length - a.value.length);
	return { values, homes: homesOf(home) };
}

/** The name of the user is in the path of the home directory, in the same path on other systems, and in names made of it. */
function homesOf(home: string): KnownSecrets["homes"] {
	const path = home.replace(/[/\\]+$/, "");
	const name = path.split(/[/\\]/).at(-1) ?? "";
	// The home of root says nothing about anybody.
	if (path.length < secretLimits.shortestHome) return [];
	const own: [string, string][] = [
		[path, "~"],
		[path.replaceAll(/[/\\:]/g, "-"), "-home-user"],
	];
	const elsewhere: [string, string][] = [
		[`/home/${name}`, "/home/user"],
		[`/Users/${name}`, "/Users/user"],
		[`C:\\Users\\${name}`, "C:\\Users\\user"],
		[`C:\\\\Users\\\\${name}`, "C:\\\\Users\\\\user"],
	];
	const isName = !/^(?:root|home|users?|runner|nobody|tmp)$/i.test(name);
	const pairs = isName ? [...own, ...elsewhere.filter(([at]) => at !== path)] : own;
	return pairs.map(([at, replacement]) => ({ path: at, replacement }));
}
