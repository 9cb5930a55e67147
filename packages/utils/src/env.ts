/** Reads environment variables under Tau's names and under the names its users already have from omp and pi. */

export type Env = Record<string, string | undefined>;

/** Newest first: a user who sets both means the program that is running. */
const prefixes = ["TAU_", "OMP_", "PI_"] as const;

/** A page has no variables. */
export function environment(): Env {
	return typeof process === "undefined" ? {} : process.env;
}

/** All names of one setting, strongest first; a name outside the three families has no aliases. */
export function envNames(name: string): readonly string[] {
	const prefix = prefixes.find((known) => name.startsWith(known));
	if (prefix === undefined) return [name];
	const rest = name.slice(prefix.length);
	return prefixes.map((known) => known + rest);
}

/** `env("TAU_X")` reads TAU_X, then OMP_X, then PI_X. An empty value counts as unset. */
export function env(name: string, from: Env = environment()): string | undefined {
	if (!name.startsWith(prefixes[0])) return from[name] || undefined;
	const rest = name.slice(prefixes[0].length);
	for (const prefix of prefixes) {
		const value = from[prefix + rest];
		if (value) return value;
	}
	return undefined;
}

/** True for 1, true, yes and on in any case; everything else, and unset, is false. */
export function envFlag(name: string, from: Env = environment()): boolean {
	const value = env(name, from)?.trim().toLowerCase();
	return value === "1" || value === "true" || value === "yes" || value === "on";
}

/** A finite number, or undefined when the variable is unset or is not one. */
export function envNumber(name: string, from: Env = environment()): number | undefined {
	const value = env(name, from)?.trim();
	if (!value) return undefined;
	const number = Number(value);
	return Number.isFinite(number) ? number : undefined;
}
