/**
 * Images on their way to the terminal. A row carries only a marker; the engine removes it and writes the image when
 * it draws the row. So rows stay short and comparable, and no text that looks like an image becomes one.
 */
import { visibleWidth } from "@tau/sys";

import { encodeITerm2 } from "./iterm2.ts";
import { isPassedThrough } from "./capabilities.ts";
import {
	deleteKittyImage,
	placeKitty,
	placeVirtualKitty,
	throughTmux,
	transmitKitty,
	unplaceKitty,
} from "./kitty.ts";

export interface PlacedImage {
	/**
	 * The number of rows in which a write would damage it: its last row, which carries the marker, and those above.
	 */
	readonly rows: number;
	/** The bytes that show it; the cursor is anywhere in its last row and must be there afterwards. */
	draw(): string;
	/** The bytes that remove it from the screen. */
	remove(): string;
}

export interface Picture {
	id: number;
	/** The file as base64, or the sixel sequence. */
	data: string;
	columns: number;
	rows: number;
	kind: "placeholders" | "kitty" | "iterm2" | "sixel";
}

/** No other process knows it, so no text can forge a marker. */
const secret = crypto.randomUUID().slice(0, 8);
const marker = new RegExp(`\\x1b_tau:${secret}:(\\d+)\\x07`);

const pictures = new Map<number, { picture: Picture; at: Map<number, PlacedImage> }>();
const transmitted = new Set<number>();
let gone = "";

/** The marker of an image, for the last of its rows. */
export function imageMarker(picture: Picture): string {
	const previous = pictures.get(picture.id)?.picture;
	const same =
		previous?.columns === picture.columns && previous.rows === picture.rows && previous.kind === picture.kind;
	if (!same || previous.data !== picture.data) {
		pictures.set(picture.id, { picture, at: new Map() });
		if (previous?.data !== picture.data) transmitted.delete(picture.id);
	}
	return `\x1b_tau:${secret}:${picture.id}\x07`;
}

/** The image will not be shown any more: its memory in the terminal is freed with the next frame. */
export function forgetImage(id: number): void {
	if (!pictures.delete(id)) return;
	if (transmitted.delete(id)) gone += passed(deleteKittyImage(id));
}

/** The bytes that free dropped images. */
export function takeForgotten(): string {
	const bytes = gone;
	gone = "";
	return bytes;
}

export function hasImage(text: string): boolean {
	return text.includes("\x1b_tau:") && marker.test(text);
}

export function takeImage(text: string): { text: string; image: PlacedImage | undefined } {
	const match = text.includes("\x1b_tau:") ? marker.exec(text) : null;
	if (match === null) return { text, image: undefined };
	const before = text.slice(0, match.index);
	const entry = pictures.get(Number(match[1]));
	const rest = before + text.slice(match.index + match[0].length);
	if (entry === undefined) return { text: rest, image: undefined };
	const column = entry.picture.kind === "placeholders" ? 0 : visibleWidth(before);
	// The same object for the same position: rows are compared by it.
	const image = entry.at.get(column) ?? place(entry.picture, column);
	entry.at.set(column, image);
	return { text: rest, image };
}

function place(picture: Picture, column: number): PlacedImage {
	const { id, data, columns, rows, kind } = picture;
	const up = rows > 1 ? `\x1b[${rows - 1}A` : "";
	const at = (bytes: string) => `\x1b7${up}\x1b[${column + 1}G${bytes}\x1b8`;
	if (kind === "iterm2") {
		const options = { width: columns, height: rows, preserveAspectRatio: false };
		return { rows, draw: () => at(encodeITerm2(data, options)), remove: () => "" };
	}
	if (kind === "sixel") return { rows, draw: () => at(data), remove: () => "" };
	if (kind === "kitty") {
		return {
			rows,
			draw: () => transmitOnce(id, data) + at(placeKitty(id, columns, rows)),
			remove: () => unplaceKitty(id),
		};
	}
	return {
		rows: 1,
		draw: () =>
			transmitted.has(id) ? "" : transmitOnce(id, data) + passed(placeVirtualKitty(id, columns, rows)),
		remove: () => "",
	};
}

function transmitOnce(id: number, base64Data: string): string {
	if (transmitted.has(id)) return "";
	transmitted.add(id);
	return passed(transmitKitty(id, base64Data));
}

function passed(sequences: string): string {
	return isPassedThrough() ? throughTmux(sequences) : sequences;
}
