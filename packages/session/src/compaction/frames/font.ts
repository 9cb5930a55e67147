/** Reads a bundled pixel font: the rows of each glyph, by code point. */
import { readFileSync } from "node:fs";

import small from "./fonts/5x8.hex" with { type: "file" };
import medium from "./fonts/6x12.hex" with { type: "file" };
import large from "./fonts/8x13.hex" with { type: "file" };
import type { FontName } from "./shape.ts";

/** A row is a byte with the first pixel in its highest bit. */
export type Font = ReadonlyMap<number, Uint8Array>;

const files: Readonly<Record<FontName, string>> = { "5x8": small, "6x12": medium, "8x13": large };
const loaded = new Map<FontName, Font>();

export function fontOf(name: FontName): Font {
	const known = loaded.get(name);
	if (known) return known;
	const font = new Map<number, Uint8Array>();
	for (const line of readFileSync(files[name], "utf8").split("\n")) {
		const [code = "", rows = ""] = line.split(":");
		if (rows !== "") font.set(Number.parseInt(code, 16), Uint8Array.fromHex(rows));
	}
	loaded.set(name, font);
	return font;
}

/** Printed for a character without a glyph. */
const unknown = 0xfffd;

export function hasGlyph(code: number, font: Font): boolean {
	return font.has(code) || font.has(bareCodeOf(code));
}

/** A letter with a mark that the font does not have is printed without it. */
export function glyphOf(code: number, font: Font): Uint8Array | undefined {
	return font.get(code) ?? font.get(bareCodeOf(code)) ?? font.get(unknown);
}

function bareCodeOf(code: number): number {
	return String.fromCodePoint(code).normalize("NFKD").codePointAt(0) ?? unknown;
}
