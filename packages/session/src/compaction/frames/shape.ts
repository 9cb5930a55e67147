/** How history is printed for a model: rows of data say which shape it reads best, and what an image costs there. */
import type { Model } from "@tau/ai";

import data from "./shapes.json" with { type: "json" };

export type ShapeName = keyof typeof data.shapes;
export type FontName = "5x8" | "6x12" | "8x13";

export interface Shape {
	name: ShapeName;
	font: FontName;
	/** From one character to the next, and from one row to the next. */
	pitch: readonly [number, number];
	/** With two columns, words are wrapped. */
	columns: number;
	/** Each sentence has another color. */
	hues: boolean;
	/** Words without content are gray. */
	dims: boolean;
	/** The width of a frame, and its height at most. */
	pixels: number;
	/** Characters in a row of a column. */
	chars: number;
	rows: number;
	/** How many images a request may have. */
	frames: number;
	/** What the provider charges for a full frame. */
	tokens: number;
	/** The resolution to request, where the protocol has a word for it. */
	detail?: string;
}

/** Characters between two columns. */
export const gutter = 2;

export const shapeNames: readonly ShapeName[] = Object.keys(data.shapes) as ShapeName[];

/** `forced` keeps its geometry; the frame's size and its price are those of the model. */
export function shapeFor(
	{ id, api, provider }: Pick<Model, "id" | "api" | "provider">,
	forced?: string,
): Shape {
	const row = data.models.find((one) => matches(one.id, id)) ?? rowFor(data.apis, api);
	const name = shapeNames.find((one) => one === forced) ?? namedShape(row.shape);
	const { font, pitch, columns, hues, dims } = data.shapes[name];
	const { pixels } = row;
	const [width = 1, height = 1] = pitch;
	const price = rowFor(data.prices, api);
	return {
		name,
		font: fontName(font),
		pitch: [width, height],
		columns,
		hues,
		dims,
		pixels,
		chars: Math.floor((Math.floor(pixels / width) - gutter * (columns - 1)) / columns),
		rows: Math.floor(pixels / height),
		frames: (data.imagesPerRequest.find((one) => matches(one.provider, provider)) ?? { most: 1 }).most,
		tokens: frameTokens(price, pixels, pixels),
		...(price.detail === undefined ? {} : { detail: price.detail }),
	};
}

/** What the provider charges for an image of this size. */
export function tokensOf(api: string, width: number, height: number): number {
	return frameTokens(rowFor(data.prices, api), width, height);
}

export const stopwords: ReadonlySet<string> = new Set(data.stopwords.split(" "));

type Price = (typeof data.prices)[number];

function frameTokens({ perImage, patchPixels = 1 }: Price, width: number, height: number): number {
	return perImage ?? Math.ceil(width / patchPixels) * Math.ceil(height / patchPixels);
}

function rowFor<T extends { api: string }>(rows: readonly T[], api: string): T {
	const row = rows.find((one) => matches(one.api, api));
	if (!row) throw new Error(`shapes.json has no row for ${api}.`);
	return row;
}

function matches(pattern: string, text: string): boolean {
	return new RegExp(pattern, "i").test(text);
}

function namedShape(name: string): ShapeName {
	const shape = shapeNames.find((one) => one === name);
	if (!shape) throw new Error(`shapes.json has no shape ${name}.`);
	return shape;
}

function fontName(name: string): FontName {
	if (name === "5x8" || name === "6x12" || name === "8x13") return name;
	throw new Error(`There is no font ${name}.`);
}
