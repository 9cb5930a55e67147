/** One result over the whole screen: when and how it ended, all its arguments, and its content. */
import { expandTabs, oneRow, wrapTextWithAnsi, type Theme } from "@tau/tui";
import { cutUnits, stripControls } from "@tau/utils";

import { duration } from "../format.ts";
import { limits } from "../limits.ts";
import type { ViewedResult } from "../results.ts";
import { contentRows } from "./content.ts";
import { edgeRows, framed } from "./frame.ts";
import { isBack, letterOf, motionOf, moved } from "./keys.ts";
import type { Pane, Step, ViewerParts } from "./viewer.ts";

export class DetailView implements Pane {
	readonly #parts: ViewerParts;
	readonly #index: number;
	#top = 0;
	#page = 1;
	/** Laid out once for a width: a long result is not cheap. */
	#laid: { width: number; rows: string[] } | undefined;

	constructor(parts: ViewerParts, index: number) {
		this.#parts = parts;
		this.#index = index;
	}

	forget(): void {
		this.#laid = undefined;
	}

	render(width: number, height: number): string[] {
		const { results, theme, describe } = this.#parts;
		const result = results[this.#index];
		if (!result) return [];
		const rows = this.#rows(result, width);
		this.#page = Math.max(1, height - edgeRows);
		this.#top = Math.min(this.#top, this.#lastTop(rows));
		return framed(
			{
				title: oneRow(describe(result.toolName, result.input)),
				note: `${this.#index + 1}/${results.length}`,
				hints: ["q back", "j/k scroll", "n/p next/previous", "g/G ends", "ctrl+d/u half a page"],
				rows: rows.slice(this.#top, this.#top + this.#page),
			},
			theme,
			width,
			height,
		);
	}

	handle(data: string): Step | undefined {
		if (isBack(data)) return { to: "list" };
		const motion = motionOf(data);
		if (motion) this.#top = moved(this.#top, motion, this.#lastTop(this.#laid?.rows ?? []), this.#page);
		const letter = letterOf(data);
		if (letter === "n") return this.#step(1);
		return letter === "p" || letter === "N" ? this.#step(-1) : undefined;
	}

	#step(by: number): Step | undefined {
		const index = this.#index + by;
		return this.#parts.results[index] ? { to: "detail", index } : undefined;
	}

	#lastTop(rows: readonly string[]): number {
		return Math.max(0, rows.length - this.#page);
	}

	#rows(result: ViewedResult, width: number): string[] {
		if (this.#laid?.width === width) return this.#laid.rows;
		const { theme } = this.#parts;
		const inner = Math.max(1, width - 2);
		const rows = [
			...wrapTextWithAnsi(factsOf(result, theme), inner),
			...argumentRows(result.input, theme, inner),
			"",
			...contentRows(result, theme, inner, () => this.#colored()),
		].map((row) => ` ${row}`);
		this.#laid = { width, rows };
		return rows;
	}

	/** Colors of the language have come. */
	#colored(): void {
		this.forget();
		this.#parts.redraw();
	}
}

function factsOf({ isError, exitCode, duration: tookMs, timestamp }: ViewedResult, theme: Theme): string {
	const facts = [
		isError ? theme.fg("error", "✗ failed") : theme.fg("success", "✓ done"),
		...(exitCode === undefined ? [] : [`exit ${exitCode}`]),
		...(tookMs === undefined ? [] : [tookMs < 1000 ? `${Math.round(tookMs)} ms` : duration(tookMs)]),
		...(timestamp > 0 ? [timeOf(timestamp)] : []),
	];
	return facts.filter((fact) => fact !== "").join(theme.fg("dim", " · "));
}

/** `2026-11-15 09:24:03`, in local time. */
function timeOf(timestamp: number): string {
	const local = timestamp - new Date(timestamp).getTimezoneOffset() * 60_000;
	const date = new Date(local);
	return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19).replace("T", " ");
}

function argumentRows(input: Record<string, unknown>, theme: Theme, width: number): string[] {
	const rows = Object.entries(input).flatMap(([key, value]) => {
		const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
		const shown = stripControls(cutUnits(text, limits.argumentChars));
		return wrapTextWithAnsi(
			`${theme.fg("muted", `${oneRow(key)}:`)} ${expandTabs(shown)}${text.length > limits.argumentChars ? "…" : ""}`,
			width,
		);
	});
	if (rows.length <= limits.argumentLines) return rows;
	return [
		...rows.slice(0, limits.argumentLines),
		theme.fg("dim", `… ${rows.length - limits.argumentLines} more rows`),
	];
}
