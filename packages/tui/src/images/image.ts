/** An image among the rows, or a line that describes it where images cannot be shown. */
import type { Component } from "../component.ts";
import { claimImage, releaseImage } from "./budget.ts";
import { getCellDimensions, getSixelColors, imagesChanged } from "./capabilities.ts";
import { Conversion } from "./conversion.ts";
import { getImageDimensions, type ImageDimensions } from "./dimensions.ts";
import { allocateImageId } from "./kitty.ts";
import { imageFallback, pictureKind, pictureRows } from "./picture.ts";
import type { Picture } from "./placed.ts";
import { calculateImageCellSize, sixelCellSize, type ImageCellSize } from "./size.ts";

export interface ImageTheme {
	fallbackColor: (str: string) => string;
}

export interface ImageOptions {
	maxWidthCells?: number;
	maxHeightCells?: number;
	filename?: string;
	/** The id of an image that this one replaces. */
	imageId?: number;
	/** Called when it could be converted for the terminal and must be drawn again. */
	onReady?: () => void;
}

export class Image implements Component, Disposable {
	readonly #data: string;
	readonly #mimeType: string;
	readonly #theme: ImageTheme;
	readonly #options: ImageOptions;
	readonly #dimensions: ImageDimensions | null;
	readonly #id: number;
	readonly #conversion: Conversion;
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
		this.#conversion = new Conversion(base64Data, () => {
			this.#cached = undefined;
			(options.onReady ?? imagesChanged)();
		});
	}

	/** False while it is converted for the terminal: a space of its height is shown until then. */
	isFinal(): boolean {
		return !this.#conversion.isPending;
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
		const kind = this.#demoted ? undefined : pictureKind();
		if (kind === undefined || this.#dimensions === null) return this.#fallback();
		claimImage(this.#id, () => this.#demote());
		if (this.#demoted) return this.#fallback();
		const { maxWidthCells = width, maxHeightCells } = this.#options;
		const cellSize = kind === "sixel" ? sixelCellSize : calculateImageCellSize;
		const size = cellSize(this.#dimensions, Math.min(maxWidthCells, width), maxHeightCells);
		const data = this.#dataFor(kind, size);
		if (data === null) return this.#fallback();
		this.#reserved = size.rows;
		return data === undefined ? this.#fallback() : pictureRows({ id: this.#id, data, kind, ...size });
	}

	/** Kitty's protocol accepts PNG only, iTerm2's any file, and sixel is made for the size that is shown. */
	#dataFor(kind: Picture["kind"], size: ImageCellSize): string | null | undefined {
		const { widthPx, heightPx } = getCellDimensions();
		const width = size.columns * widthPx;
		if (kind === "sixel") {
			const height = (size.rows - 1) * heightPx;
			return this.#conversion.to({ format: "sixel", width, height, colors: getSixelColors() });
		}
		if (kind === "iterm2" || this.#mimeType === "image/png") return this.#data;
		return this.#conversion.to({ format: "png", width, height: size.rows * heightPx });
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
		this.#conversion[Symbol.dispose]();
		this.#cached = undefined;
	}
}
