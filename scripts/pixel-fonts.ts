/**
 * Writes the pixel fonts of the strategy snapcompact from the fonts of X.org, which are in the public domain:
 * `bun scripts/pixel-fonts.ts DIRECTORY` with the `misc` directory of Debian's package xfonts-base.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const target = join(import.meta.dir, "../packages/session/src/compaction/frames/fonts");
const fonts = ["5x8", "6x12", "8x13"];

/** Text and code in European scripts, with what prints trees, tables and check marks. */
const ranges: readonly (readonly [number, number])[] = [
	[0x20, 0x7e],
	[0xa0, 0x24f],
	[0x370, 0x4ff],
	[0x2010, 0x2044],
	[0x20ac, 0x20ac],
	[0x2190, 0x21ff],
	[0x2200, 0x22ff],
	[0x2500, 0x25ff],
	[0x2610, 0x2612],
	[0x2713, 0x2718],
	[0xfffd, 0xfffd],
];

const tables = { metrics: 1 << 2, bitmaps: 1 << 3, encodings: 1 << 5, accelerators: 1 << 1 };

interface Metrics {
	left: number;
	right: number;
	ascent: number;
	descent: number;
}

class Pcf {
	readonly #bytes: Buffer;
	readonly #offsets = new Map<number, number>();

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
		for (let index = 0; index < bytes.readInt32LE(4); index++) {
			const at = 8 + index * 16;
			this.#offsets.set(bytes.readInt32LE(at), bytes.readInt32LE(at + 12));
		}
	}

	/** Every glyph as rows of a cell, each row a byte with the first pixel in the highest bit. */
	glyphs(width: number, height: number): Map<number, number[]> {
		const ascent = this.#int(tables.accelerators, 12);
		const found = new Map<number, number[]>();
		for (const [first, last] of ranges) {
			for (let code = first; code <= last; code++) {
				const index = this.#indexOf(code);
				if (index !== undefined) found.set(code, this.#cell(index, ascent, width, height));
			}
		}
		return found;
	}

	#at(table: number): { start: number; format: number } {
		const start = this.#offsets.get(table);
		if (start === undefined) throw new Error(`The font has no table ${table}.`);
		return { start, format: this.#bytes.readInt32LE(start) };
	}

	#int(table: number, offset: number): number {
		const { start, format } = this.#at(table);
		return format & 4 ? this.#bytes.readInt32BE(start + offset) : this.#bytes.readInt32LE(start + offset);
	}

	#short(table: number, offset: number): number {
		const { start, format } = this.#at(table);
		return format & 4 ? this.#bytes.readUInt16BE(start + offset) : this.#bytes.readUInt16LE(start + offset);
	}

	#indexOf(code: number): number | undefined {
		const [firstLow, lastLow] = [this.#short(tables.encodings, 4), this.#short(tables.encodings, 6)];
		const [firstHigh, lastHigh] = [this.#short(tables.encodings, 8), this.#short(tables.encodings, 10)];
		const [high, low] = [code >> 8, code & 255];
		if (high < firstHigh || high > lastHigh || low < firstLow || low > lastLow) return undefined;
		const at = (high - firstHigh) * (lastLow - firstLow + 1) + low - firstLow;
		const index = this.#short(tables.encodings, 14 + at * 2);
		return index === 0xffff ? undefined : index;
	}

	#metrics(index: number): Metrics {
		const { start, format } = this.#at(tables.metrics);
		if ((format & 0x100) === 0) {
			const at = 8 + index * 12;
			const value = (field: number) => (this.#short(tables.metrics, at + field * 2) << 16) >> 16;
			return { left: value(0), right: value(1), ascent: value(3), descent: value(4) };
		}
		const at = start + 6 + index * 5;
		const value = (field: number) => (this.#bytes[at + field] ?? 0) - 0x80;
		return { left: value(0), right: value(1), ascent: value(3), descent: value(4) };
	}

	#cell(index: number, ascent: number, width: number, height: number): number[] {
		const { start, format } = this.#at(tables.bitmaps);
		const count = this.#int(tables.bitmaps, 4);
		const data = start + 8 + count * 4 + 16 + this.#int(tables.bitmaps, 8 + index * 4);
		const { left, right, ascent: above, descent } = this.#metrics(index);
		const pad = 1 << (format & 3);
		const stride = Math.ceil((right - left) / 8 / pad) * pad;
		const rows = Array.from({ length: height }, () => 0);
		for (let y = 0; y < above + descent; y++) {
			for (let x = 0; x < right - left; x++) {
				const byte = this.#bytes[data + y * stride + (x >> 3)] ?? 0;
				const bit = format & 8 ? (byte >> (7 - (x & 7))) & 1 : (byte >> (x & 7)) & 1;
				const row = ascent - above + y;
				if (bit && row >= 0 && row < height && x + left >= 0 && x + left < width)
					rows[row] = (rows[row] ?? 0) | (0x80 >> (x + left));
			}
		}
		return rows;
	}
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name the directory with the fonts.");
for (const name of fonts) {
	const [width = 0, height = 0] = name.split("x").map(Number);
	const font = new Pcf(gunzipSync(readFileSync(join(directory, `${name}.pcf.gz`))));
	const lines = [...font.glyphs(width, height)].map(([code, rows]) => {
		const hex = rows.map((row) => row.toString(16).padStart(2, "0")).join("");
		return `${code.toString(16).padStart(4, "0")}:${hex}`;
	});
	await Bun.write(join(target, `${name}.hex`), `${lines.join("\n")}\n`);
	process.stdout.write(`${name}: ${lines.length} glyphs\n`);
}
