/** Guesses, without a parser, whether a YAML text repeats a key: the fast parser silently uses the last one. */

const keyLine = /^( *)(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#'"[{-][^:#\n]*?)) *:(?=\s|$)/gm;

/** True means that a real check is needed. A text block may look like keys, so this is not proof. */
export function seemsRepeated(text: string): boolean {
	/** The keys seen in each open group, by its indentation. */
	const open = new Map<number, Set<string>>();
	for (const [, indent = "", ...names] of text.matchAll(keyLine)) {
		const depth = indent.length;
		for (const other of open.keys()) if (other > depth) open.delete(other);
		const key = names.find((name) => name !== undefined) ?? "";
		const seen = open.get(depth) ?? new Set<string>();
		if (seen.has(key)) return true;
		open.set(depth, seen.add(key));
	}
	return false;
}
