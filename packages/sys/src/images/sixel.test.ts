/** Images as sixel: what a terminal paints is what the image was. */
import { deflateSync } from "node:zlib";

import { describe, expect, test } from "bun:test";

import { convertImage } from "../parsing/index.ts";
import { readIndexedPng } from "./indexed-png.ts";
import { encodeSixel, type IndexedImage } from "./sixel.ts";

/** As a terminal reads it; `undefined` for pixels that nothing painted. */
function decode(sequence: string) {
	const body = /^\x1bP0;1;0q"1;1;(\d+);(\d+)([\s\S]*)\x1b\\$/.exec(sequence);
	if (body === null) throw new Error(`not a sixel sequence: ${JSON.stringify(sequence.slice(0, 60))}`);
	const [width, height] = [Number(body[1]), Number(body[2])];
	const pixels: (number | undefined)[] = Array.from({ length: width * height }, () => undefined);
	const colors = new Map<number, string>();
	let [color, column, top, repeat] = [0, 0, 0, 1];
	for (const [text, number, rgb, run, sixel] of (body[3] ?? "").matchAll(
		/#(\d+)(?:;2;(\d+;\d+;\d+))?|!(\d+)(?=[?-~])|([?-~])|\$|-/g,
	)) {
		if (number !== undefined) {
			color = Number(number);
			if (rgb !== undefined) colors.set(color, rgb);
		} else if (text === "$") column = 0;
		else if (text === "-") [column, top] = [0, top + 6];
		else if (run !== undefined) repeat = Number(run);
		else if (sixel !== undefined) {
			const end = column + repeat;
			for (; column < end; column++) {
				for (let row = 0; row < 6; row++) {
					if (((sixel.charCodeAt(0) - 63) >> row) % 2 === 0) continue;
					expect(column).toBeLessThan(width);
					expect(top + row).toBeLessThan(height);
					pixels[(top + row) * width + column] = color;
				}
			}
			repeat = 1;
		}
	}
	return { width, height, pixels, colors };
}
/** Numbers from 0 to 1 that are the same in each run. */
function random(seed: number): () => number {
	let state = seed * 2654435761 + 1;
	return () => {
		state = (state * 1103515245 + 12345) % 2147483648;
		return state / 2147483648;
	};
}

function randomImage(seed: number): IndexedImage {
	const next = random(seed);
	const below = (most: number) => Math.floor(next() * most);
	const [width, height, count] = [1 + below(70), 1 + below(40), 1 + below(256)];
	const palette = Array.from({ length: count }, () => ({
		red: below(256),
		green: below(256),
		blue: below(256),
		isTransparent: below(5) === 0,
	}));
	const pixels = new Uint8Array(width * height);
	// Runs of one color as in a screenshot, and noise as in a photo.
	const longest = 1 + below(3) * 20;
	for (let at = 0; at < pixels.length;) {
		const end = at + 1 + below(longest);
		pixels.fill(below(count), at, end);
		at = end;
	}
	return { width, height, palette, pixels };
}

test("every pixel has its color, whatever the size, the palette and the runs", () => {
	for (let seed = 1; seed <= 300; seed++) {
		const image = randomImage(seed);
		const shown = decode(encodeSixel(image));
		expect([shown.width, shown.height]).toEqual([image.width, image.height]);
		const wanted = Array.from(image.pixels, (color) =>
			image.palette[color]?.isTransparent === false ? color : undefined,
		);
		expect(shown.pixels).toEqual(wanted);
		for (const [at, { red, green, blue }] of image.palette.entries()) {
			const percents = [red, green, blue].map((value) => Math.round((value * 100) / 255));
			expect(shown.colors.get(at)).toBe(percents.join(";"));
		}
	}
});

/** Red at the left, green at the right. */
async function stripes(width: number, height: number): Promise<Uint8Array> {
	const bytes = Buffer.alloc(54 + width * height * 4);
	bytes.write("BM");
	for (const [at, value] of [
		[2, bytes.length],
		[10, 54],
		[14, 40],
		[18, width],
		[22, -height],
	] as const)
		bytes.writeInt32LE(value, at);
	bytes.writeUInt16LE(1, 26);
	bytes.writeUInt16LE(32, 28);
	for (let at = 0; at < width * height; at++) {
		const color = at % width < width / 2 ? 0xffff0000 : 0xff00ff00;
		bytes.writeUInt32LE(color, 54 + at * 4);
	}
	return await new Bun.Image(bytes).png().bytes();
}

describe("an image file", () => {
	test.each(["png", "jpeg", "webp"] as const)(
		"in %s is scaled and painted in a few colors",
		async (format) => {
			const source = await convertImage(await stripes(120, 60), { format });
			expect(source.ok).toBe(true);
			const bytes = source.ok ? source.bytes : new Uint8Array();
			const made = await convertImage(bytes, { format: "sixel", width: 40, height: 40, colors: 16 });
			const shown = decode(made.ok ? Buffer.from(made.bytes).toString("latin1") : made.message);
			expect([shown.width, shown.height]).toEqual([40, 20]);
			expect(shown.colors.size).toBeLessThanOrEqual(16);
			const colorAt = (column: number) =>
				(shown.colors.get(shown.pixels[10 * 40 + column] ?? -1) ?? "").split(";").map(Number);
			const [[red = 0] = [], [, green = 0] = []] = [colorAt(5), colorAt(35)];
			expect([red > 80, green > 80]).toEqual([true, true]);
		},
	);

	test("keeps its size unless it is too large, and is refused when it is broken", async () => {
		const bytes = await stripes(30, 18);
		const made = await convertImage(bytes, { format: "sixel", width: 500, height: 500 });
		expect(decode(made.ok ? Buffer.from(made.bytes).toString("latin1") : made.message).width).toBe(30);
		const broken = await convertImage(bytes.subarray(0, bytes.length - 30), { format: "sixel" });
		expect(broken).toMatchObject({ ok: false, problem: "damaged" });
		expect(await convertImage(Buffer.from("no image"), { format: "png" })).toMatchObject({ ok: false });
	});
});

test("rows of a PNG are read, whichever filter each has; another kind of PNG is refused", async () => {
	const { width, height, palette, pixels } = randomImage(7);
	const rows: number[] = [];
	for (let row = 0; row < height; row++) {
		rows.push(row % 5);
		for (let column = 0; column < width; column++) {
			const at = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (pixels[y * width + x] ?? 0));
			const [a, b, c] = [at(column - 1, row), at(column, row - 1), at(column - 1, row - 1)];
			const near = [a, b, c].toSorted(
				(one, other) => Math.abs(a + b - c - one) - Math.abs(a + b - c - other),
			);
			rows.push((at(column, row) - ([0, a, b, (a + b) >> 1, near[0] ?? 0][row % 5] ?? 0)) & 255);
		}
	}
	const header = Buffer.from("00000000000000000803000000", "hex");
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	const chunk = (name: string, data: Uint8Array) => {
		const length = Buffer.alloc(4);
		length.writeUInt32BE(data.length);
		return [length, Buffer.from(name), data, Buffer.alloc(4)];
	};
	const png = Buffer.concat([
		Buffer.alloc(8),
		...chunk("IHDR", header),
		...chunk("PLTE", Buffer.from(palette.flatMap(({ red, green, blue }) => [red, green, blue]))),
		...chunk("tRNS", Buffer.from(palette.map(({ isTransparent }) => (isTransparent ? 20 : 255)))),
		...chunk("IDAT", deflateSync(Buffer.from(rows))),
	]);
	expect(readIndexedPng(png)).toEqual({ width, height, palette, pixels });
	const plain = await stripes(4, 4);
	expect(() => readIndexedPng(plain)).toThrow("palette");
});
