/** Sees where a command goes first: `cd sub && make` is `make` in `sub`. */

export interface Folded {
	command: string;
	cwd?: string;
}

/** One word that means itself, bare or quoted; what a shell would expand is left to the shell. */
const leading = /^\s*cd\s+(?:--\s+)?(?:"([^"$`\\\n]+)"|'([^'\n]+)'|([\w./@%+,:-]+))\s*&&\s*(?=\S)/;

export function foldCd(command: string): Folded {
	const match = leading.exec(command);
	const cwd = match?.[1] ?? match?.[2] ?? match?.[3];
	// `cd -` and an option are no names.
	if (!match || cwd === undefined || cwd.startsWith("-")) return { command };
	return { command: command.slice(match[0].length), cwd };
}
