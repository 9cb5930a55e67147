/** Draws what a terminal shows as an SVG: every cell in its place, in its colors. */
import { rgbOf } from "@tau/tui";
import type { IBufferCell, Terminal } from "@xterm/headless";

const cell = { width: 8.4, height: 17 } as const;
const padding = 14;
const ink = { dark: "#e6e1d8", light: "#26231e" } as const;
const ground = { dark: "#171614", light: "#fdfbf7" } as const;

export type Appearance = keyof typeof ink;

interface Run {
	text: string;
	column: number;
	cells: number;
	style: string;
	back: string | undefined;
}

export interface Drawing {
	appearance: Appearance;
	title: string;
	/** With the empty rows at the end. */
	isWhole?: boolean | undefined;
	/** The temporary home of the pictured program, which the picture names `~`. */
	home?: string;
}

export function svgOf(terminal: Terminal, { appearance, title, isWhole, home }: Drawing): string {
	const rows = Array.from({ length: terminal.rows }, (_, at) =>
		runsOf(terminal, at, appearance).map((run) => (home === undefined ? run : shortened(run, home))),
	);
	const last = rows.findLastIndex((runs) => runs.some(({ text, back }) => text.trim() !== "" || back)) + 1;
	const used = isWhole ? rows.length : last;
	const width = (terminal.cols * cell.width + 2 * padding).toFixed(1);
	const height = used * cell.height + 2 * padding;
	const body = rows.slice(0, used).flatMap((runs, row) => runs.map((run) => drawn(run, row)).filter(Boolean));
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
		`<title>${Bun.escapeHTML(title)}</title>`,
		// Of `xml:space` and `white-space`, each renderer honors one; Chromium takes the latter from the text itself alone.
		"<style>text{white-space:pre}</style>",
		`<rect width="100%" height="100%" rx="8" fill="${ground[appearance]}"/>`,
		`<g shape-rendering="crispEdges" font-family="ui-monospace, 'JetBrains Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">`,
		...body,
		"</g>",
		"</svg>",
		"",
	].join("\n");
}

/** Neighbors that look the same are one piece of text. */
function runsOf(terminal: Terminal, row: number, appearance: Appearance): Run[] {
	const { active } = terminal.buffer;
	const line = active.getLine(active.viewportY + row);
	const runs: Run[] = [];
	for (let column = 0; column < terminal.cols; column++) {
		const found = line?.getCell(column);
		if (!found || found.getWidth() === 0) continue;
		const { style, back } = styleOf(found, appearance);
		const text = found.getChars() || " ";
		const last = runs.at(-1);
		// A wide letter stands alone, because fonts do not agree on its width.
		const joins =
			last &&
			last.style === style &&
			last.back === back &&
			found.getWidth() === 1 &&
			last.text.length === last.cells;
		if (joins) {
			last.text += text;
			last.cells++;
		} else runs.push({ text, column, cells: found.getWidth(), style, back });
	}
	return runs;
}

/** What stands behind it in the row stays in its column. */
function shortened(run: Run, home: string): Run {
	const text = run.text.replaceAll(home, "~");
	return { ...run, text, cells: run.cells - (run.text.length - text.length) };
}

function styleOf(found: IBufferCell, appearance: Appearance): { style: string; back: string | undefined } {
	const inverse = found.isInverse() !== 0;
	const front = color(found, "Fg") ?? ink[appearance];
	const behind = color(found, "Bg");
	const fill = inverse ? (behind ?? ground[appearance]) : front;
	const style = [
		`fill="${fill}"`,
		found.isBold() ? 'font-weight="bold"' : "",
		found.isItalic() ? 'font-style="italic"' : "",
		found.isDim() ? 'opacity="0.6"' : "",
		found.isUnderline()
			? 'text-decoration="underline"'
			: found.isStrikethrough()
				? 'text-decoration="line-through"'
				: "",
	];
	return { style: style.filter(Boolean).join(" "), back: inverse ? front : behind };
}

function color(found: IBufferCell, layer: "Fg" | "Bg"): string | undefined {
	const value = layer === "Fg" ? found.getFgColor() : found.getBgColor();
	const isRgb = layer === "Fg" ? found.isFgRGB() : found.isBgRGB();
	if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
	const isPalette = layer === "Fg" ? found.isFgPalette() : found.isBgPalette();
	return isPalette ? `rgb(${rgbOf(value)?.join(",")})` : undefined;
}

function drawn({ text, column, cells, style, back }: Run, row: number): string {
	const x = (padding + column * cell.width).toFixed(1);
	const top = padding + row * cell.height;
	const width = (cells * cell.width).toFixed(1);
	const behind = back
		? `<rect x="${x}" y="${top}" width="${width}" height="${cell.height}" fill="${back}"/>`
		: "";
	const shown = text.trim();
	if (shown === "") return behind;
	// Blanks at the ends are left to the position: renderers do not agree whether they count for the length of a text.
	const indent = text.length - text.trimStart().length;
	const start = (padding + (column + indent) * cell.width).toFixed(1);
	const length = ((cells - (text.length - shown.length)) * cell.width).toFixed(1);
	return `${behind}<text x="${start}" y="${top + 13}" textLength="${length}" ${style}>${Bun.escapeHTML(shown)}</text>`;
}
