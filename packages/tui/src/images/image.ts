/** An image among the rows, or a line that describes it where images cannot be shown. */
import type { Component } from "../component.ts";
import { claimImage, releaseImage } from "./budget.ts";
import { getImageDimensions, type ImageDimensions } from "./dimensions.ts";
import { allocateImageId } from "./kitty.ts";
import { imageFallback, pictureKind, pictureRows } from "./picture.ts";
import { calculateImageCellSize } from "./size.ts";

export interface ImageTheme {
	fallbackColor: (str: string) => string;
}

export interface ImageOptions {
	maxWidthCells?: number;
	maxHeightCells?: number;
	filename?: string;
	/** The id of an image that this one replaces. */
	imageId?: number;
}

export class Image implements Component, Disposable {
	readonly #data: string;
	readonly #mimeType: string;
	readonly #theme: ImageTheme;
	readonly #options: ImageOptions;
	readonly #dimensions: ImageDimensions | null;
	readonly #id: number;
	#demoted = false;
	/** The height that it had as an image: as text it keeps it, or the rows below would move. */
	#reserved = 0;
	#cached: { width: number; rows: string[] } | undefined;

	constructor(
		base64Data: string,
		mimeType: string,
		theme: ImageTheme,
		options: ImageOptions = {},
		dimensions?: ImageDimensions,
	) {
		this.#data = base64Data;
		this.#mimeType = mimeType;
		this.#theme = theme;
		this.#options = options;
		this.#dimensions = dimensions ?? getImageDimensions(base64Data, mimeType);
		this.#id = options.imageId ?? allocateImageId();
	}

	getImageId(): number | undefined {
		return this.#id;
	}

	invalidate(): void {
		this.#cached = undefined;
	}

	render(width: number): string[] {
		if (this.#cached?.width !== width) this.#cached = { width, rows: this.#draw(width) };
		return this.#cached.rows;
	}

	[Symbol.dispose](): void {
		releaseImage(this.#id);
		this.#demote();
	}

	#draw(width: number): string[] {
		const kind = this.#demoted ? undefined : pictureKind(this.#mimeType);
		if (kind === undefined || this.#dimensions === null) return this.#fallback();
		claimImage(this.#id, () => this.#demote());
		if (this.#demoted) return this.#fallback();
		const { maxWidthCells = width, maxHeightCells } = this.#options;
		const size = calculateImageCellSize(this.#dimensions, Math.min(maxWidthCells, width), maxHeightCells);
		this.#reserved = size.rows;
		return pictureRows({ id: this.#id, base64Data: this.#data, kind, ...size });
	}

	#fallback(): string[] {
		const { filename } = this.#options;
		const text = imageFallback(this.#mimeType, this.#dimensions ?? undefined, filename);
		const rows = Array.from({ length: Math.max(1, this.#reserved) }, () => "");
		rows[0] = this.#theme.fallbackColor(text);
		return rows;
	}

	#demote(): void {
		this.#demoted = true;
		this.#cached = undefined;
	}
}
