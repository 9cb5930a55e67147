import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { limits } from "../limits.ts";
import { fit as fitImage, identifyImage, type FittedImage } from "./index.ts";

/** A 24-bit BMP; `noisy` makes it as hard to compress as a photo. */
function bitmap(width: number, height: number, noisy = false): Uint8Array {
	const stride = (width * 3 + 3) & ~3;
	const bytes = Buffer.alloc(54 + stride * height);
	bytes.write("BM");
	bytes.writeUInt32LE(bytes.length, 2);
	bytes.writeUInt32LE(54, 10);
	bytes.writeUInt32LE(40, 14);
	bytes.writeInt32LE(width, 18);
	bytes.writeInt32LE(height, 22);
	bytes.writeUInt16LE(1, 26);
	bytes.writeUInt16LE(24, 28);
	let seed = 1;
	for (let index = noisy ? 54 : bytes.length; index < bytes.length; index++) {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		bytes[index] = seed >>> 24;
	}
	return bytes;
}

function picture(width: number, height: number, noisy = false): Bun.Image {
	return new Bun.Image(bitmap(width, height, noisy));
}

/** 1x1, built from the format's description: Bun cannot write GIF. */
const gif = Uint8Array.from(
	Buffer.from("R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64"),
);

async function fitted(bytes: Uint8Array, ...limit: [Parameters<typeof fitImage>[1]?]): Promise<FittedImage> {
	const result = await fitImage(bytes, ...limit);
	if (!result.ok) throw new Error(result.message);
	return result;
}

describe("identify", () => {
	test("type and size of every format, from its first bytes", async () => {
		const jpeg = await picture(31, 17).jpeg().bytes();
		const cases = [
			["image/png", await picture(31, 17).png().bytes(), 24],
			["image/jpeg", jpeg, jpeg.length],
			["image/jpeg", await picture(31, 17).jpeg({ progressive: true }).bytes(), 2000],
			["image/webp", await picture(31, 17).webp().bytes(), 30],
			["image/webp", await picture(31, 17).webp({ lossless: true }).bytes(), 30],
			["image/bmp", bitmap(31, 17), 26],
		] as const;
		for (const [mimeType, bytes, needed] of cases) {
			expect(identifyImage(bytes.subarray(0, needed))).toEqual({ mimeType, size: { width: 31, height: 17 } });
		}
		expect(identifyImage(gif)).toEqual({ mimeType: "image/gif", size: { width: 1, height: 1 } });
	});

	test("an extended WebP has its size in its own header", () => {
		const bytes = Buffer.alloc(30);
		bytes.write("RIFF", 0);
		bytes.write("WEBPVP8X", 8);
		bytes.writeUIntLE(1919, 24, 3);
		bytes.writeUIntLE(1079, 27, 3);
		expect(identifyImage(bytes)).toEqual({ mimeType: "image/webp", size: { width: 1920, height: 1080 } });
	});

	test("a JPEG may have any number of fill bytes before a marker", async () => {
		const jpeg = Buffer.from(await picture(31, 17).jpeg().bytes());
		const filled = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(3, 0xff), jpeg.subarray(2)]);
		expect(identifyImage(filled)?.size).toEqual({ width: 31, height: 17 });
	});

	test("bytes that only look like an image are not an image, and a truncated header has no size", () => {
		expect(identifyImage(Buffer.from("BMW builds cars"))).toBeUndefined();
		expect(identifyImage(Buffer.from("<svg/>"))).toBeUndefined();
		expect(identifyImage(new Uint8Array())).toBeUndefined();
		expect(identifyImage(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))).toEqual({ mimeType: "image/png" });
	});

	test("no bytes throw", async () => {
		const heads = [await picture(3, 3).jpeg().bytes(), await picture(3, 3).webp().bytes(), gif, bitmap(2, 2)];
		fc.assert(
			fc.property(
				fc.constantFrom(...heads),
				fc.nat(80),
				fc.uint8Array({ maxLength: 60 }),
				(head, keep, rest) => {
					identifyImage(Buffer.concat([head.subarray(0, keep), rest]));
				},
			),
		);
	});
});

describe("fit", () => {
	test("an image that fits is unchanged", async () => {
		for (const bytes of [await picture(40, 30).png().bytes(), await picture(40, 30).jpeg().bytes(), gif]) {
			const result = await fitted(bytes);
			expect(result.bytes).toBe(bytes);
			expect(result.original).toBeUndefined();
		}
	});

	test("a large image is scaled down to the longest side, in proportion, with the original size", async () => {
		const bytes = await picture(limits.imageSide * 2, 400)
			.png()
			.bytes();
		const result = await fitted(bytes);
		expect(result).toMatchObject({ mimeType: "image/png", width: limits.imageSide, height: 200 });
		expect(result.original).toEqual({
			mimeType: "image/png",
			width: limits.imageSide * 2,
			height: 400,
			bytes: bytes.length,
		});
		const read = await new Bun.Image(result.bytes).metadata();
		expect(read).toMatchObject({ width: limits.imageSide, height: 200 });
	});

	test("an image with too many bytes becomes a JPEG, and is scaled down until it fits", async () => {
		const bytes = await picture(300, 300, true).png().bytes();
		const once = await fitted(bytes, { maxSide: 2000, maxBase64Bytes: 100_000 });
		expect(once).toMatchObject({ mimeType: "image/jpeg", width: 300 });
		const often = await fitted(bytes, { maxSide: 2000, maxBase64Bytes: 8_000 });
		expect(often.bytes.toBase64().length).toBeLessThanOrEqual(8_000);
		expect(often.width).toBeLessThan(300);
		expect(often.width).toBeGreaterThan(30);
	});

	test("a bitmap becomes a PNG, because models do not accept it", async () => {
		expect(await fitted(bitmap(20, 10))).toMatchObject({ mimeType: "image/png", width: 20, height: 10 });
	});

	test("a rotated photo is set upright when it is encoded again", async () => {
		const jpeg = Buffer.from(await picture(300, 200).jpeg().bytes());
		// An EXIF block whose only entry is Orientation = 6: rotate by a quarter.
		const exif = "ffe100224578696600004d4d002a00000008000101120003000000010006000000000000";
		const turned = Buffer.concat([jpeg.subarray(0, 2), Buffer.from(exif, "hex"), jpeg.subarray(2)]);
		const result = await fitted(turned, { maxSide: 150, maxBase64Bytes: 100_000 });
		expect(result).toMatchObject({ width: 100, height: 150 });
	});
});

describe("kinds that the decoder does not know", () => {
	const colors = [0x000000, 0xff0000, 0x00ff00, 0x0000ff];

	/** A bitmap with a palette: `rows` from bottom to top, each already padded. */
	function palettes(bits: number, width: number, height: number, data: Uint8Array, method = 0): Buffer {
		const head = Buffer.alloc(54 + (1 << bits) * 4);
		head.write("BM");
		head.writeUInt32LE(head.length, 10);
		head.writeUInt32LE(40, 14);
		head.writeInt32LE(width, 18);
		head.writeInt32LE(height, 22);
		head.writeUInt16LE(1, 26);
		head.writeUInt16LE(bits, 28);
		head.writeUInt32LE(method, 30);
		for (const [index, color] of colors.slice(0, 1 << bits).entries())
			head.writeUInt32LE(color, 54 + index * 4);
		return Buffer.concat([head, data]);
	}

	/** The same four pixels without a palette. */
	function trueColors(): Buffer {
		const head = Buffer.alloc(54);
		palettes(8, 2, 2, Buffer.alloc(0)).copy(head, 0, 0, 54);
		head.writeUInt32LE(54, 10);
		head.writeUInt16LE(24, 28);
		const rows = Buffer.alloc(16);
		for (const [at, index] of [
			[0, 3],
			[3, 2],
			[8, 1],
			[11, 0],
		] as const)
			rows.writeUIntLE(colors[index] ?? 0, at, 3);
		return Buffer.concat([head, rows]);
	}

	test.each([
		["8 bits", palettes(8, 2, 2, Buffer.from([3, 2, 0, 0, 1, 0, 0, 0]))],
		["4 bits", palettes(4, 2, 2, Buffer.from([0x32, 0, 0, 0, 0x10, 0, 0, 0]))],
		["8 bits in runs", palettes(8, 2, 2, Buffer.from([1, 3, 1, 2, 0, 0, 0, 2, 0, 0, 1, 1, 1, 0, 0, 1]), 1)],
		["4 bits in runs", palettes(4, 2, 2, Buffer.from([2, 0x32, 0, 0, 2, 0x10, 0, 1]), 2)],
	])("a bitmap with a palette of %s keeps its colors", async (_, bytes) => {
		expect((await fitted(bytes)).bytes).toEqual((await fitted(trueColors())).bytes);
	});

	test("a bitmap with a palette of one bit", async () => {
		expect(await fitted(palettes(1, 9, 1, Buffer.from([0xaa, 0x80, 0, 0])))).toMatchObject({
			mimeType: "image/png",
			width: 9,
			height: 1,
		});
	});

	test("a bitmap with a palette that is truncated or makes no sense is damaged", async () => {
		for (const bytes of [
			palettes(8, 200, 200, Buffer.alloc(10)),
			palettes(8, 20, 20, Buffer.from([9, 1]), 1),
			palettes(8, 20, 20, Buffer.alloc(400), 9),
		]) {
			expect(await fitImage(bytes)).toMatchObject({ ok: false, problem: "damaged" });
		}
	});

	test("an animated WebP is shown by its first frame, and says how many there are", async () => {
		const chunk = (name: string, data: Uint8Array): Buffer => {
			const head = Buffer.alloc(8);
			head.write(name);
			head.writeUInt32LE(data.length, 4);
			return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
		};
		const uint24 = (value: number): Buffer => Buffer.from([value & 255, value >> 8, 0]);
		const image = Buffer.from(await picture(31, 17).webp().bytes()).subarray(12);
		const size = Buffer.concat([uint24(30), uint24(16)]);
		const frame = chunk("ANMF", Buffer.concat([Buffer.alloc(6), size, uint24(100), Buffer.alloc(1), image]));
		const head = chunk("VP8X", Buffer.concat([Buffer.from([2, 0, 0, 0]), size]));
		const body = Buffer.concat([
			Buffer.from("WEBP"),
			head,
			chunk("ANIM", Buffer.alloc(6)),
			frame,
			frame,
			frame,
		]);
		const start = Buffer.alloc(8);
		start.write("RIFF");
		start.writeUInt32LE(body.length, 4);
		const file = Buffer.concat([start, body]);
		expect(await fitted(file)).toMatchObject({ mimeType: "image/png", width: 31, height: 17, frames: 3 });
		const half = file.subarray(0, file.length - frame.length * 3 + 30);
		expect(await fitImage(half)).toMatchObject({ ok: false, problem: "damaged" });
	});
});

describe("refusals are values", () => {
	test("a broken image of any size", async () => {
		const whole = await picture(200, 100, true).png().bytes();
		const half = whole.subarray(0, whole.length / 2);
		for (const bytes of [half, whole.subarray(0, 12), Buffer.from("GIF89a\x05\0\x05\0")]) {
			expect(await fitImage(bytes)).toMatchObject({ ok: false, problem: "damaged" });
		}
		const small = { maxSide: 50, maxBase64Bytes: 1000 };
		expect(await fitImage(half, small)).toMatchObject({ ok: false, problem: "damaged" });
	});

	test("an image whose header claims more pixels than fit in memory is not decoded", async () => {
		const bomb = Buffer.from(await picture(10, 10).png().bytes());
		bomb.writeUInt32BE(60_000, 16);
		bomb.writeUInt32BE(60_000, 20);
		const result = await fitImage(bomb);
		expect(result).toMatchObject({ ok: false, problem: "too-large" });
		expect(result.ok ? "" : result.message).toContain("60000x60000");
	});

	test("bytes that are not an image, and empty input", async () => {
		expect(await fitImage(Buffer.from("<svg/>"))).toMatchObject({ ok: false, problem: "not-an-image" });
		expect(await fitImage(new Uint8Array())).toMatchObject({ ok: false, problem: "not-an-image" });
	});

	test("limits that no image can meet", async () => {
		const bytes = await picture(30, 30).png().bytes();
		const result = await fitImage(bytes, { maxSide: 10, maxBase64Bytes: 8 });
		expect(result).toMatchObject({ ok: false, problem: "too-large" });
	});
});
