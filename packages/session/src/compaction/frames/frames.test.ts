/** History on images: the same text gives the same bytes, and every character can be read back from the pixels. */
import { expect, test } from "bun:test";
import { inflateSync } from "node:zlib";

import { compactionShapes as shapes } from "@tau/config/settings";
import { printHistory } from "./archive.ts";
import { fontOf } from "./font.ts";
import { gutter, shapeFor, shapeNames, type Shape } from "./shape.ts";
import { collapsed, type Passage } from "./typeset.ts";

const model = { id: "some-model", api: "anthropic-messages", provider: "anthropic" };

interface Pixels {
	width: number;
	height: number;
	depth: number;
	/** A color's place in the palette. */
	at(x: number, y: number): number;
}

/** Decodes what `png.ts` writes, by the PNG specification: one IDAT chunk, no filters. */
function decode(data: string): Pixels {
	const png = Buffer.from(data, "base64");
	const chunks = new Map<string, Buffer>();
	for (let at = 8; at < png.length;) {
		const length = png.readUInt32BE(at);
		const body = png.subarray(at + 4, at + 8 + length);
		expect(png.readUInt32BE(at + 8 + length)).toBe(Bun.hash.crc32(body) >>> 0);
		chunks.set(body.toString("latin1", 0, 4), body.subarray(4));
		at += length + 12;
	}
	const header = chunks.get("IHDR") ?? Buffer.alloc(13);
	const [width, height, depth] = [header.readUInt32BE(0), header.readUInt32BE(4), header.readUInt8(8)];
	const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
	const stride = 1 + Math.ceil((width * depth) / 8);
	expect(rows.length).toBe(stride * height);
	return {
		width,
		height,
		depth,
		at: (x, y) => {
			const bit = x * depth;
			const byte = rows[y * stride + 1 + (bit >> 3)] ?? 0;
			return (byte >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
		},
	};
}

/** Finds the glyph of each cell in the font. Letters that look alike in it are read as the first of them. */
function read(pixels: Pixels, { font, pitch, columns, chars }: Shape): string {
	const [width, height] = pitch;
	const [fontWidth = 0, fontHeight = 0] = font.split("x").map(Number);
	const glyphs = new Map<string, string>();
	for (const [code, rows] of fontOf(font)) {
		const key = rows.toHex();
		if (!glyphs.has(key)) glyphs.set(key, String.fromCodePoint(code));
	}
	const cell = (left: number, top: number): string => {
		const rows = Array.from({ length: fontHeight }, (_, y) =>
			Array.from({ length: fontWidth }, (__, x) => (pixels.at(left + x, top + y) ? 0x80 >> x : 0)).reduce(
				(sum, bit) => sum | bit,
				0,
			),
		);
		return glyphs.get(Uint8Array.from(rows).toHex()) ?? "?";
	};
	const rows = pixels.height / height;
	return Array.from({ length: columns }, (_, column) =>
		Array.from({ length: rows }, (__, row) =>
			Array.from({ length: chars }, (___, at) =>
				cell((column * (chars + gutter) + at) * width, row * height),
			).join(""),
		),
	)
		.flat()
		.map((row) => (columns > 1 ? `${row.trimEnd()} ` : row))
		.join("")
		.trimEnd();
}

const passages: Passage[] = [
	{ text: "[User]: Never touch src/generated.ts. Größe heißt überall „Größe“!", isDim: false },
	{ text: `[Tool result]: line 1\n\tif (a < b) return "c";\n${"x".repeat(400)}`, isDim: true },
	{ text: "[Assistant]: The limit is 8731 ms, and it stays.", isDim: false },
];

const print = (shape: Shape, more: Partial<Parameters<typeof printHistory>[0]> = {}) =>
	printHistory({ passages, shape, api: model.api, most: 8, tailChars: 10_000, ...more });

for (const name of shapeNames) {
	test(`what is printed as ${name} can be read back, and is the same each time`, async () => {
		const shape = shapeFor(model, name);
		const { archive, tail, unknownShare } = await print(shape);
		const [frame] = archive.frames;
		expect(archive.frames).toHaveLength(1);
		expect([tail, unknownShare, frame?.mimeType]).toEqual(["", 0, "image/png"]);
		const pixels = decode(frame?.data ?? "");
		expect(pixels.width).toBe(shape.pixels);
		expect(pixels.height).toBeLessThan(200);
		const expected = passages.map(({ text }) => `${collapsed(text)}¶`).join("");
		const words = (text: string) => (shape.columns > 1 ? text.replaceAll(" ", "") : text);
		expect(words(read(pixels, shape))).toBe(words(expected));
		expect(await print(shape)).toEqual({ archive, tail, unknownShare });
	});
}

test("what tools returned and words without content are gray, and sentences have colors", async () => {
	const dim = shapeFor(model, "6x12-dim");
	const of = async (shape: Shape, text: string, isDim = false) => {
		const { archive } = await print(shape, { passages: [{ text, isDim }] });
		const pixels = decode(archive.frames[0]?.data ?? "");
		const [width, height] = shape.pitch;
		return Array.from(text, (_, at) => {
			for (let y = 0; y < height; y++)
				for (let x = 0; x < width; x++) {
					const color = pixels.at(at * width + x, y);
					if (color !== 0) return color;
				}
			return 0;
		});
	};
	expect(await of(dim, "the cat")).toEqual([2, 2, 2, 0, 1, 1, 1]);
	expect(await of(dim, "cat", true)).toEqual([2, 2, 2]);
	const colored = await of(shapeFor(model, "5x8-sent"), "One. Two.");
	expect(new Set(colored.filter((color) => color !== 0)).size).toBe(2);
});

test("the shape, the size and the price of frames come from the data of the model", () => {
	const shape = (id: string, api: string, provider = "x") => {
		const { name, pixels, tokens, frames, detail } = shapeFor({ id, api, provider });
		return [name, pixels, tokens, frames, detail];
	};
	expect(shape("claude-opus-4-8", "anthropic-messages", "anthropic")).toEqual([
		"6x12-dim",
		1932,
		4761,
		8,
		undefined,
	]);
	expect(shape("anthropic/claude-sonnet-4.5", "openai-completions", "openrouter")).toEqual([
		"6x12-dim",
		1568,
		2401,
		8,
		"high",
	]);
	expect(shape("gemini-3.5-flash", "google-generative-ai")).toEqual([
		"doc-8on16-sent-dim",
		2048,
		1120,
		5,
		undefined,
	]);
	expect(shape("gpt-6", "openai-responses", "openai")).toEqual(["8on16-bw", 1568, 2401, 8, "high"]);
	expect(shape("unheard-of", "bedrock-converse-stream")).toEqual(["6x12-dim", 1568, 3136, 5, undefined]);
});

test("the setting offers the shapes of the data", () => {
	expect<readonly string[]>(shapes).toEqual(shapeNames);
});

const page = { ...shapeFor(model, "6x12-dim"), chars: 10, rows: 1 };
const numbered = (from: number, count: number): Passage[] =>
	Array.from({ length: count }, (_, at) => ({
		text: `passage${String(from + at).padStart(2, "0")}`,
		isDim: false,
	}));
const numbers = (frames: readonly { data: string }[]): string[] =>
	frames.map(({ data }) => read(decode(data), page).replaceAll(/\D/g, ""));

test("frames fade from the middle: the first and the newest stay, and what does not fit is text", async () => {
	const first = await print(page, { passages: numbered(1, 3), most: 4 });
	expect(numbers(first.archive.frames)).toEqual(["01", "02", "03"]);
	const second = await print(page, { passages: numbered(4, 2), most: 4, before: first.archive });
	expect(numbers(second.archive.frames)).toEqual(["01", "03", "04", "05"]);
	expect(second.archive.faded).toBe(1);
	expect(second.archive.frames[0]).toEqual(first.archive.frames[0]);
	const third = await print(page, { passages: numbered(6, 5), most: 4, before: second.archive });
	expect(numbers(third.archive.frames)).toEqual(["01", "06", "07", "08"]);
	expect(third.tail).toBe("passage09\npassage10");
	expect(third.archive.faded).toBe(4);
});

test("where there is room for one image, it is the first, and what is new is text", async () => {
	const first = await print(page, { passages: numbered(1, 1), most: 1 });
	const second = await print(page, { passages: numbered(2, 2), most: 1, before: first.archive });
	expect(second.archive).toEqual(first.archive);
	expect(second.tail).toBe("passage02\npassage03");
});

test("characters that no font has are counted", async () => {
	expect((await print(page, { passages: [{ text: "漢字 ok", isDim: false }] })).unknownShare).toBe(2 / 6);
});
