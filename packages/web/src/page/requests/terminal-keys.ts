/** Keys of a browser as a terminal sends them. */

const cursor: Readonly<Record<string, string>> = {
	ArrowUp: "A",
	ArrowDown: "B",
	ArrowRight: "C",
	ArrowLeft: "D",
	Home: "H",
	End: "F",
};
const numbered: Readonly<Record<string, number>> = {
	Insert: 2,
	Delete: 3,
	PageUp: 5,
	PageDown: 6,
	F5: 15,
	F6: 17,
	F7: 18,
	F8: 19,
	F9: 20,
	F10: 21,
	F11: 23,
	F12: 24,
};
const functions: Readonly<Record<string, string>> = { F1: "P", F2: "Q", F3: "R", F4: "S" };
const plain: Readonly<Record<string, string>> = {
	Enter: "\r",
	Backspace: "\x7f",
	Tab: "\t",
	Escape: "\x1b",
};

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">;

/** Undefined for what is text, which the field gets: then input methods and keyboards of phones work. */
export function bytesOf(event: Key, isApplicationCursor: boolean): string | undefined {
	const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
	// The system's own keys, such as copy and paste on a Mac.
	if (metaKey) return undefined;
	const modifier = 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
	const arrow = cursor[key] ?? functions[key];
	if (arrow !== undefined) {
		if (modifier > 1) return `\x1b[1;${modifier}${arrow}`;
		return isApplicationCursor || key in functions ? `\x1bO${arrow}` : `\x1b[${arrow}`;
	}
	const code = numbered[key];
	if (code !== undefined) return `\x1b[${code}${modifier > 1 ? `;${modifier}` : ""}~`;
	if (key === "Tab" && shiftKey) return "\x1b[Z";
	const special = plain[key];
	if (special !== undefined) return altKey ? `\x1b${special}` : special;
	if (key.length !== 1) return undefined;
	// Ctrl+Shift+C and V are the browser's copy and paste, as in other terminals.
	if (ctrlKey && !altKey && !shiftKey) return controlOf(key);
	return altKey && !ctrlKey ? `\x1b${key}` : undefined;
}

function controlOf(key: string): string | undefined {
	if (key === " ") return "\0";
	const code = key.toUpperCase().charCodeAt(0);
	// From @ to _, of which the low five bits are the control character.
	return code >= 64 && code <= 95 ? String.fromCharCode(code & 31) : undefined;
}

export function pasted(text: string, isBracketed: boolean): string {
	// What ends the bracket would let the rest of the text be commands.
	const typed = text.replaceAll("\x1b", "").replaceAll(/\r?\n/g, "\r");
	return isBracketed ? `\x1b[200~${typed}\x1b[201~` : typed;
}
