/** Writes the command line again from what was read of it. */
import type { Args } from "../../args.ts";
import { sections, type Flag, type FlagName } from "../../flags.ts";

/** They are about this process, not about the session: it has the directory and the profile in its environment. */
const ofThisProcess: ReadonlySet<string> = new Set(["detach", "cwd", "mode", "print"]);

/** The flags without the prompt, for a process that opens the same session. */
export function argvOf({ flags, repeated, extra }: Pick<Args, "flags" | "repeated" | "extra">): string[] {
	const known: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);
	const takesValue = (name: string): boolean =>
		known.some((flag) => flag.name === name && flag.value !== undefined);
	const argv: string[] = [];
	for (const [name, value] of flags) {
		if (ofThisProcess.has(name)) continue;
		const values = repeated?.get(name as FlagName) ?? [value];
		for (const each of values) argv.push(takesValue(name) && each !== "" ? `--${name}=${each}` : `--${name}`);
	}
	// A switch of an extension has no value.
	for (const [name, value] of extra ?? []) argv.push(value === "" ? `--${name}` : `--${name}=${value}`);
	return argv;
}
