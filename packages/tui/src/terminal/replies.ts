/** Recognizes the terminal's replies among its input, so that none is ever read as keys. */

export type Reply =
	/** Every terminal answers this query: earlier queries without an answer by then get none. */
	| { kind: "sentinel"; showsSixel: boolean }
	| { kind: "keyboard"; flags: number }
	/** 1 and 3: on, 2 and 4: off, 0: unknown. */
	| { kind: "mode"; mode: number; state: number }
	| { kind: "background"; red: number; green: number; blue: number }
	| { kind: "appearance"; dark: boolean }
	| { kind: "cellSize"; widthPx: number; heightPx: number }
	| { kind: "resized" }
	| { kind: "textSize"; columns: number; rows: number }
	/** From 1. Shift+F3 looks the same in some terminals: it counts only while it is awaited. */
	| { kind: "cursor"; row: number }
	/** The colors that an image can have at once. */
	| { kind: "colorRegisters"; count: number }
	| { kind: "notifications" }
	| { kind: "graphics"; ok: boolean };

const csi = /^\x1b\[(\??)([\d;]*)(\$?)([a-zRS])$/;
const string = /^\x1b([\]_])([^\x07\x1b]*)(?:\x07|\x1b\\)$/;

/** The reply that a whole sequence is; undefined if it is a key. */
export function readReply(sequence: string): Reply | undefined {
	if (!sequence.startsWith("\x1b")) return undefined;
	const [, mark = "", numbers = "", dollar = "", letter] = csi.exec(sequence) ?? [];
	if (letter !== undefined) return csiReply(mark + dollar + letter, numbers.split(";").map(Number));
	const [, opener, payload = ""] = string.exec(sequence) ?? [];
	if (opener === undefined) return undefined;
	return opener === "]" ? oscReply(payload) : apcReply(payload);
}

function csiReply(shape: string, numbers: number[]): Reply | undefined {
	const [first = 0, second = 0, third = 0, ...more] = numbers;
	// The first number is the class of the terminal, the others are its features.
	if (shape === "?c") return { kind: "sentinel", showsSixel: numbers.indexOf(4, 1) > 0 };
	// Another second number than 0 is an error.
	if (shape === "?S" && first === 1) return { kind: "colorRegisters", count: second === 0 ? third : 0 };
	if (shape === "?u") return { kind: "keyboard", flags: first };
	if (shape === "?$y") return { kind: "mode", mode: first, state: second };
	if (shape === "?n" && first === 997) return { kind: "appearance", dark: second === 1 };
	if (shape === "R") return { kind: "cursor", row: first };
	if (shape !== "t") return undefined;
	if (first === 8) return { kind: "textSize", rows: second, columns: third };
	if (first === 6) return { kind: "cellSize", heightPx: second, widthPx: third };
	return first === 48 && more.length > 0 ? { kind: "resized" } : undefined;
}

function oscReply(payload: string): Reply | undefined {
	if (payload.startsWith("99;")) return { kind: "notifications" };
	const [, ...parts] = /^11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(payload) ?? [];
	const [red, green, blue] = parts.map((hex) => Number.parseInt(hex, 16) / (16 ** hex.length - 1));
	if (red === undefined || green === undefined || blue === undefined) return undefined;
	return { kind: "background", red, green, blue };
}

function apcReply(payload: string): Reply | undefined {
	return payload.startsWith("G") ? { kind: "graphics", ok: payload.endsWith(";OK") } : undefined;
}
