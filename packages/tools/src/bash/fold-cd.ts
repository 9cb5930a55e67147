/** Sees where a command goes first: `cd sub && make` is `make` in `sub`. */

export interface Folded {
	command: string;
	cwd?: string;
}

/** One word that means itself, bare or quoted; what a shell would expand is left to the shell. */
const leading = /^\s*cd\s+(?:--\s+)?(?:"([^"$`\\\n]+)"|'([^'\n]+)'|([\w./@%+,:-]+))\s*&&\s*(?=\S)/;

export function foldCd(command: string): Folded {
	const found = leading.exec(command);
	const cwd = found?.[1] ?? found?.[2] ?? found?.[3];
	// `cd -` and an option are no names.
	if (!found || cwd === undefined || cwd.startsWith("-")) return { command };
	return { command: command.slice(found[0].length), cwd };
}
