/** Charts of numbers as rows, with a name before and a note after them. */
import type { Component } from "../component.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { known, progressBar, sparkline } from "./meters.ts";
import { labelOf } from "../elements/rows.ts";

export interface ProgressState {
	label?: string;
	/** From 0 to 1. */
	share: number;
	/** The meaning of the share: `12 of 30 files`. */
	note?: string;
}

export interface SparklineState {
	label?: string;
	/** The newest value is the last. */
	values: readonly number[];
	note?: string;
}

/** A narrower chart shows nothing; then its note is dropped, and then its name. */
const leastPicture = 6;
/** `100%` */
const percentCells = 4;

export class ProgressBar implements Component {
	readonly #theme: Theme;
	state: ProgressState;

	constructor(theme: Theme, state: ProgressState) {
		this.#theme = theme;
		this.state = state;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		const theme = this.#theme;
		const { label = "", share, note = "" } = this.state;
		const percent = `${Math.floor(known(share) * 100)}%`.padStart(percentCells);
		const color = known(share) === 1 ? "success" : "accent";
		const bar = (room: number): string =>
			progressBar(
				share,
				room,
				(text) => theme.fg(color, text),
				(text) => theme.fg("borderMuted", text),
			);
		return [meterRow(theme, width, { label, fixed: percent, note, most: width }, bar)];
	}
}

export class Sparkline implements Component {
	readonly #theme: Theme;
	state: SparklineState;

	constructor(theme: Theme, state: SparklineState) {
		this.#theme = theme;
		this.state = state;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		const { label = "", values, note = "" } = this.state;
		const line = (room: number): string => this.#theme.fg("accent", sparkline(values, room));
		return [meterRow(this.#theme, width, { label, fixed: "", note, most: values.length }, line)];
	}
}

interface Words {
	label: string;
	/** Shown after the chart as long as there is any space. */
	fixed: string;
	note: string;
	/** Cells that the chart can use. */
	most: number;
}

function meterRow(theme: Theme, width: number, words: Words, draw: (room: number) => string): string {
	const label = labelOf(words.label);
	const note = labelOf(words.note);
	const choices = [
		{ label, note },
		{ label, note: "" },
		{ label: "", note: "" },
	];
	const cellsOf = (choice: { label: string; note: string }): number =>
		[choice.label, words.fixed, choice.note].reduce(
			(sum, text) => sum + (text === "" ? 0 : visibleWidth(text) + 1),
			0,
		);
	const chosen = choices.find((choice) => width - cellsOf(choice) >= leastPicture) ?? { label: "", note: "" };
	const room = Math.min(words.most, width - cellsOf(chosen));
	const parts = [
		chosen.label,
		room > 0 ? draw(room) : "",
		words.fixed === "" ? "" : theme.fg("muted", words.fixed),
		chosen.note === "" ? "" : theme.fg("dim", chosen.note),
	];
	return truncateToWidth(parts.filter((part) => part !== "").join(" "), width);
}
