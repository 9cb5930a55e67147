/** A frame with a title at the top and hints at the bottom, around a component that gets its keys and its focus. */
import { isFocusable, type Component, type Focusable } from "../component.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme, ThemeColor } from "../theme/index.ts";
import { hintsThatFit } from "./hint-line.ts";
import { cells, filled, labelOf, spaces } from "../elements/rows.ts";

export interface PanelOptions {
	title?: string;
	/** Key hints, computed in every frame. */
	hints?: () => readonly string[];
	/** The color of the frame. */
	border?: ThemeColor;
	/** Cells between the frame and the content. */
	paddingX?: number;
}

/** With less width, a frame would leave no space for the content. */
const leastWidth = 10;

export class Panel implements Component, Focusable {
	readonly children: readonly Component[];
	readonly #content: Component;
	readonly #theme: Theme;
	readonly #hints: () => readonly string[];
	readonly #border: ThemeColor;
	readonly #paddingX: number;
	#title: string;

	constructor(content: Component, theme: Theme, options: PanelOptions = {}) {
		this.children = [content];
		this.#content = content;
		this.#theme = theme;
		this.#title = options.title ?? "";
		this.#hints = options.hints ?? (() => []);
		this.#border = options.border ?? "border";
		this.#paddingX = cells(options.paddingX ?? 1);
	}

	get focused(): boolean {
		return isFocusable(this.#content) && this.#content.focused;
	}

	set focused(focused: boolean) {
		if (isFocusable(this.#content)) this.#content.focused = focused;
	}

	get wantsKeyRelease(): boolean {
		return this.#content.wantsKeyRelease === true;
	}

	setTitle(title: string): void {
		this.#title = title;
	}

	handleInput(data: string): void {
		this.#content.handleInput?.(data);
	}

	invalidate(): void {
		this.#content.invalidate();
	}

	render(width: number): string[] {
		if (width < leastWidth) return this.#unframed(width);
		const theme = this.#theme;
		const side = theme.fg(this.#border, "│");
		const margin = spaces(Math.min(this.#paddingX, Math.floor((width - 3) / 2)));
		const room = width - 2 - 2 * margin.length;
		const title = theme.fg("accent", theme.bold(truncateToWidth(labelOf(this.#title), width - 6)));
		return [
			this.#edge(width, ["╭", "╮"], this.#title === "" ? "" : title),
			...this.#content.render(room).map((row) => side + margin + filled(row, room) + margin + side),
			this.#edge(width, ["╰", "╯"], hintsThatFit(theme, this.#hints(), width - 6)),
		];
	}

	#unframed(width: number): string[] {
		const title = this.#theme.fg("accent", truncateToWidth(labelOf(this.#title), width));
		return [...(this.#title === "" ? [] : [title]), ...this.#content.render(width)];
	}

	/** A line of the frame with text near its beginning. */
	#edge(width: number, [left, right]: readonly [string, string], label: string): string {
		const line = (text: string): string => this.#theme.fg(this.#border, text);
		const textWidth = visibleWidth(label);
		if (textWidth === 0) return line(left + "─".repeat(width - 2) + right);
		return `${line(`${left}─`)} ${label} ${line("─".repeat(width - 5 - textWidth) + right)}`;
	}
}
