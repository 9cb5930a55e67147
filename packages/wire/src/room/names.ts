/** Names of guests: foreign text that stands on other people's screens. */
import { roomLimits as limits } from "./limits.ts";

/** One line without anything that a terminal or a bidirectional text would act on; empty where nothing is left. */
export function cleanName(text: string): string {
	const visible = text
		.normalize("NFC")
		.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu, " ");
	// Marks that pile up on one letter would cover other lines.
	const plain = visible.replace(/(\p{M}{2})\p{M}+/gu, "$1");
	const [...chars] = plain.replace(/\s+/g, " ").trim();
	return chars.slice(0, limits.nameChars).join("").trim();
}

/** Makes a name unique among participants, ignoring case, spaces and width of letters. */
export function distinctName(name: string, taken: readonly string[]): string {
	const used = new Set(taken.map(comparable));
	if (!used.has(comparable(name))) return name;
	for (let at = 2; ; at++) {
		const next = `${name} (${at})`;
		if (!used.has(comparable(next))) return next;
	}
}

function comparable(name: string): string {
	return name.normalize("NFKC").toLowerCase().replace(/\s+/g, "");
}
