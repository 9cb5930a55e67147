/** Images are sent once and placed often; if they cannot be shown, a line of text has the same height. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";

import { makeRow } from "../engine/row.ts";
import { setMaxInlineImages } from "./budget.ts";
import { resetCapabilitiesCache, setCapabilities, setCellDimensions, setSixel } from "./capabilities.ts";
import { getImageDimensions } from "./dimensions.ts";
import { Image } from "./image.ts";
import { imageFallback, renderImage } from "./picture.ts";
import { takeForgotten } from "./placed.ts";
import { calculateImageCellSize, sixelCellSize } from "./size.ts";

/** Only the beginning of a PNG of this size is read. */
function png(width: number, height: number): string {
	const bytes = Buffer.alloc(6000);
	bytes.writeUInt32BE(0x89504e47, 0);
	bytes.writeUInt32BE(width, 16);
	bytes.writeUInt32BE(height, 20);
	return bytes.toString("base64");
}

/** A real one. */
function picture(width: number, height: number): Bun.Image {
	return new Bun.Image(Buffer.from(tiny, "base64")).resize(width, height);
}

const theme = { fallbackColor: (text: string) => text };
const image = (data = png(90, 90)) => new Image(data, "image/png", theme, { filename: "a.png" });

/** The bytes that the engine writes for the rows of an image. */
const drawn = (rows: string[]) => rows.map((row) => makeRow(row, 80).image?.draw() ?? "").join("");

beforeEach(() => {
	setCellDimensions({ widthPx: 9, heightPx: 18 });
	setMaxInlineImages(12);
	takeForgotten();
});
afterEach(resetCapabilitiesCache);

describe("in kitty", () => {
	beforeEach(() =>
		setCapabilities({ images: "kitty", trueColor: true, hyperlinks: true, placeholders: true }),
	);

	test("it is text that the terminal fills, and its data is sent once", () => {
		const rows = image().render(80);
		expect(rows).toHaveLength(5);
		expect(rows.every((row) => makeRow(row, 80).cells === 10)).toBe(true);
		const first = drawn(rows);
		expect(first.match(/a=t,/g)).toHaveLength(1);
		expect(first).toContain("a=p,U=1");
		expect(drawn(rows)).toBe("");
	});

	test("long data is sent in chunks of 4096", () => {
		const pieces = drawn(image().render(80)).match(/;[^;\x1b]*\x1b\\/g) ?? [];
		expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(4096 + 3);
		expect(pieces.length).toBeGreaterThan(1);
	});

	test("only the newest keep their pixels; the others become text of the same height, and are freed", () => {
		setMaxInlineImages(2);
		const images = [image(), image(), image()];
		const heights = images.map((one) => one.render(80).length);
		for (const one of images) drawn(one.render(80));
		images.push(image());
		images.at(-1)?.render(80);
		expect(images.slice(0, 3).map((one) => one.render(80).length)).toEqual(heights);
		expect(images[0]?.render(80)[0]).toBe("[image: a.png PNG 90x90]");
		expect(takeForgotten()).toContain(`d=I,q=2,i=${images[1]?.getImageId()}`);
	});

	test("another format than PNG is converted; a broken file stays a line of text", async () => {
		const jpeg = await picture(90, 90).jpeg().bytes();
		const ready = Promise.withResolvers<void>();
		const options = { onReady: () => ready.resolve() };
		const photo = new Image(Buffer.from(jpeg).toString("base64"), "image/jpeg", theme, options);
		expect(photo.render(80)).toEqual(["[image: JPEG 90x90]", "", "", "", ""]);
		expect(photo.isFinal()).toBe(false);
		await ready.promise;
		expect(photo.isFinal()).toBe(true);
		const rows = photo.render(80);
		expect(rows).toHaveLength(5);
		expect(drawn(rows)).toContain(";iVBORw0KGgo");

		const failed = Promise.withResolvers<void>();
		const size = { widthPx: 9, heightPx: 9 };
		const broken = new Image("AAAA", "image/jpeg", theme, { onReady: () => failed.resolve() }, size);
		broken.render(80);
		await failed.promise;
		expect([broken.isFinal(), broken.render(80)]).toEqual([true, ["[image: JPEG 9x9]"]]);
	});
});

test("in tmux its data goes through to the terminal outside, and its cells are text that tmux moves", () => {
	const capabilities = { images: "kitty", trueColor: true, hyperlinks: true, placeholders: true } as const;
	setCapabilities(capabilities);
	const outside = drawn(image().render(80));
	setCapabilities({ ...capabilities, passthrough: true });
	using shown = image();
	const rows = shown.render(80);
	expect(rows.join("")).toContain("\u{10EEEE}");
	const bytes = drawn(rows);
	const passed = [...bytes.matchAll(/\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\/g)].map(
		([, inner = ""]) => inner,
	);
	// Nothing is outside of the sequences of tmux, and inside is what kitty gets without tmux.
	expect(passed.map((inner) => `\x1bPtmux;${inner}\x1b\\`).join("")).toBe(bytes);
	const withoutId = (text: string): string => text.replaceAll(/i=\d+/g, "i=");
	expect(withoutId(passed.join("").replaceAll("\x1b\x1b", "\x1b"))).toBe(withoutId(outside));
});

test("without placeholders it is placed over its rows, and the cursor returns", () => {
	setCapabilities({ images: "kitty", trueColor: true, hyperlinks: true });
	const rows = image().render(80);
	expect(rows.slice(0, -1)).toEqual(["", "", "", ""]);
	const first = drawn(rows);
	expect(first).toMatch(/\x1b7\x1b\[4A\x1b\[1G\x1b_Ga=p,[^\x1b]*C=1\x1b\\\x1b8$/);
	expect(drawn(rows)).not.toContain("a=t,");
	expect(makeRow(rows.at(-1) ?? "", 80).image).toBe(makeRow(rows.at(-1) ?? "", 80).image);
});

test("in iTerm2 the file is written where it is visible, in any format", () => {
	setCapabilities({ images: "iterm2", trueColor: true, hyperlinks: true });
	const jpeg = new Image("AAAA", "image/jpeg", theme, {}, { widthPx: 90, heightPx: 90 });
	expect(drawn(jpeg.render(80))).toContain(
		"\x1b]1337;File=inline=1;width=10;height=5;preserveAspectRatio=0:AAAA\x07",
	);
});

describe("as sixel", () => {
	beforeEach(() => setCapabilities({ images: "sixel", trueColor: true, hyperlinks: true }));

	/** An image that is ready to be drawn. */
	async function ready(options: ConstructorParameters<typeof Image>[3] = {}, width = 90) {
		const made = Promise.withResolvers<void>();
		const bytes = await picture(width, 90).webp().bytes();
		const data = Buffer.from(bytes).toString("base64");
		const shown = new Image(data, "image/webp", theme, { ...options, onReady: () => made.resolve() });
		const before = shown.render(80);
		await made.promise;
		return { shown, before };
	}

	test("it is painted in its place once it is made, and the row below it is its own", async () => {
		const { shown, before } = await ready();
		const rows = shown.render(80);
		expect(before).toEqual(["[image: WEBP 90x90]", "", "", "", "", ""]);
		expect(rows).toHaveLength(6);
		expect(rows.slice(0, -1)).toEqual(["", "", "", "", ""]);
		const bytes = drawn(rows.map((row) => `   ${row}`));
		// Up to its first row, to its column, and back.
		expect(bytes).toMatch(/^\x1b7\x1b\[5A\x1b\[4G\x1bP0;1;0q"1;1;90;90[^\x1b]+\x1b\\\x1b8$/);
		expect(drawn(rows)).not.toBe("");
	});

	test("it has as many colors as the terminal, and at most a million pixels", async () => {
		setSixel(16);
		const few = drawn((await ready()).shown.render(80));
		expect(Math.max(...[...few.matchAll(/#(\d+);2;/g)].map(([, color]) => Number(color)))).toBeLessThan(16);
		setCellDimensions({ widthPx: 30, heightPx: 60 });
		const size = sixelCellSize({ widthPx: 8000, heightPx: 4000 }, 200);
		expect((size.columns * 30) ** 2 / 2).toBeLessThanOrEqual(1_000_000);
		expect(size.columns).toBeGreaterThan(40);
		setSixel(256);
	});

	test("it is made again for another width, and becomes text when it is too old", async () => {
		const { shown } = await ready({}, 900);
		shown.render(40);
		expect(shown.isFinal()).toBe(false);
		setMaxInlineImages(0);
		const rows = shown.render(40);
		expect([rows[0], shown.isFinal()]).toEqual(["[image: WEBP 900x90]", true]);
	});

	test("components written for pi, which cannot wait, show their text", () => {
		expect(renderImage(png(1, 1), { widthPx: 1, heightPx: 1 })).toBeNull();
	});
});

test("without image support it is a line that describes it", () => {
	setCapabilities({ images: null, trueColor: true, hyperlinks: true });
	expect(image().render(80)).toEqual(["[image: a.png PNG 90x90]"]);
	expect(renderImage(png(1, 1), { widthPx: 1, heightPx: 1 })).toBeNull();
	expect(imageFallback("image/\x1b[2Jpng", undefined, "\x1b]52;c;x\x07n")).toBe("[image: n PNG]");
});

test("a forged marker has no effect", () => {
	const row = makeRow("\x1b_tau:12345678:7\x07text", 80);
	expect([row.image, row.text]).toEqual([undefined, "text"]);
});

test("an image keeps its proportions and fits", () => {
	const big = { widthPx: 4000, heightPx: 2000 };
	expect(calculateImageCellSize(big, 40)).toEqual({ columns: 40, rows: 10 });
	expect(calculateImageCellSize(big, 400, 5)).toEqual({ columns: 20, rows: 5 });
	expect(calculateImageCellSize({ widthPx: 1, heightPx: 1 }, 40)).toEqual({ columns: 1, rows: 1 });
});

test("the size is read from real files of each format, and from nothing else", async () => {
	const source = new Bun.Image(Buffer.from(tiny, "base64"));
	for (const kind of ["png", "jpeg", "webp"] as const) {
		const bytes = await new Bun.Image(await source.bytes()).resize(30, 20)[kind]().bytes();
		const size = getImageDimensions(Buffer.from(bytes).toString("base64"), `image/${kind}`);
		expect(size).toEqual({ widthPx: 30, heightPx: 20 });
	}
	expect(getImageDimensions(Buffer.from("GIF89a\x1e\0\x14\0more").toString("base64"), "image/gif")).toEqual({
		widthPx: 30,
		heightPx: 20,
	});
	for (const kind of ["png", "jpeg", "webp", "gif", "tiff"])
		expect(getImageDimensions("AAAA", `image/${kind}`)).toBeNull();
});

/** One pixel. */
const tiny =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
