/** Draws frames on the alternate screen: the content scrolls above the chrome, which stays at the bottom. */
import type { Frame } from "./frame.ts";
import { layLayers, type Layer } from "./overlay.ts";
import type { Painted } from "./painter.ts";
import { changeRow } from "./row-bytes.ts";
import { blankRow, makeRow, type Row } from "./row.ts";

export class FullScreen {
	#active = false;
	#resized = false;
	#painted: (Row | undefined)[] = [];
	/** The content row at the top of the screen, while the user has scrolled away from the end. */
	#top: number | undefined;
	#content = { rows: 0, room: 0 };

	get active(): boolean {
		return this.#active;
	}

	/** True if the size has changed since the normal screen was last shown. */
	get resized(): boolean {
		return this.#resized;
	}

	setActive(active: boolean): void {
		this.#active = active;
		this.#painted = [];
		this.#top = undefined;
		if (active) this.#resized = false;
	}

	resize(): void {
		this.#resized = true;
		this.#painted = [];
	}

	/** Makes the next frame write everything again. */
	rewrite(): void {
		this.#painted = [];
	}

	/** Returns whether the view has moved. */
	scrollBy(rows: number): boolean {
		if (!this.#active) return false;
		const end = Math.max(0, this.#content.rows - this.#content.room);
		const before = Math.min(this.#top ?? end, end);
		const top = Math.max(0, Math.min(end, before + rows));
		// At the end, the view follows new content.
		this.#top = top >= end ? undefined : top;
		return top !== before;
	}

	paint(frame: Frame, width: number, height: number, layers: readonly Layer[]): Painted {
		const { rows, top } = this.#view(frame, width, height);
		const shown = layLayers(rows, layers, width);
		let body = "";
		for (const [at, row] of shown.entries()) {
			const change = changeRow(this.#painted[at], row, width);
			if (change !== undefined) body += `\x1b[${at + 1};${change.column + 1}H${change.bytes}`;
		}
		this.#painted = shown;
		const caretRow = shown.findLastIndex(({ caret }) => caret !== undefined);
		const caret = shown[caretRow]?.caret;
		const cursor = `\x1b[${(caret === undefined ? height - 1 : caretRow) + 1};${(caret ?? 0) + 1}H`;
		return {
			body,
			cursor,
			hasCaret: caret !== undefined,
			committed: 0,
			windowTop: top,
			length: frame.length,
		};
	}

	#view(frame: Frame, width: number, height: number): { rows: Row[]; top: number } {
		const split = frame.contentEnd;
		const chrome = frame.rows(Math.max(split, frame.length - height), frame.length);
		const room = height - chrome.length;
		this.#content = { rows: split, room };
		const end = Math.max(0, split - room);
		const top = Math.min(this.#top ?? end, end);
		const raw = [...frame.rows(top, Math.min(split, top + room)), ...chrome];
		// An image is drawn at its last row and needs the rows above, which may be scrolled away, so it is not drawn here.
		const rows = raw.map((text): Row => ({ ...makeRow(text, width), image: undefined }));
		while (rows.length < height) rows.push(blankRow);
		return { rows, top };
	}
}
