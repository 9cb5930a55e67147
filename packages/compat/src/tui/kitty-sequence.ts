/** Parses a key of the kitty protocol into its numbers, as pi and omp name them. */

interface KittyKey {
	codepoint: number;
	shiftedKey?: number;
	baseLayoutKey?: number;
	/** Shift, Alt, Ctrl and the others, without the locks. */
	modifier: number;
	eventType?: number;
}

/** Keys without a character have these numbers, in pi and omp. */
const letterCodes: Readonly<Record<string, number>> = { A: -1, B: -2, C: -3, D: -4, H: -14, F: -15 };
const tildeCodes: Readonly<Record<string, number>> = { 3: -10, 2: -11, 5: -12, 6: -13, 7: -14, 8: -15 };

const kittyForm = /^\u001B\[(\d+)(?::(\d*))?(?::(\d+))?(?:;(\d*)(?::(\d+))?)?(?:;[\d:]*)?([A-DFHu~])$/;
/** Caps lock and num lock. */
export const locks = 64 | 128;

export function parseKittySequence(data: string): KittyKey | null {
	const form = kittyForm.exec(data);
	if (form === null) return null;
	const [, code = "", shifted, base, held, event, ending = ""] = form;
	const codepoint = ending === "u" ? Number(code) : ending === "~" ? tildeCodes[code] : letterCodes[ending];
	// Letters have the number 1 before their modifiers.
	if (codepoint === undefined || (ending in letterCodes && (code !== "1" || held === undefined))) return null;
	return {
		codepoint,
		...(shifted ? { shiftedKey: Number(shifted) } : {}),
		...(base ? { baseLayoutKey: Number(base) } : {}),
		modifier: Math.max(0, Number(held || 1) - 1) & ~locks,
		...(event ? { eventType: Number(event) } : {}),
	};
}
