/** The most important keys and signs, in as many columns as fit. */
import {
	getKeybindings,
	keyText,
	truncateToWidth,
	visibleWidth,
	type Component,
	type Keybinding,
	type Theme,
} from "@tau/tui";

import type { InteractiveHost } from "../host.ts";
import { limits } from "../limits.ts";

interface Section {
	title: string;
	rows: readonly (readonly [Keybinding | { text: string }, string])[];
}

const text = (shown: string): { text: string } => ({ text: shown });

const sections: readonly Section[] = [
	{
		title: "Write",
		rows: [
			[text("/"), "commands"],
			[text("@"), "mention a file"],
			[text("! $"), "shell, Python"],
			["tui.input.newLine", "new line"],
			["app.editor.external", "edit in $EDITOR"],
			["app.clipboard.pasteImage", "paste an image"],
		],
	},
	{
		title: "While Tau works",
		rows: [
			["tui.input.submit", "steer"],
			["app.message.followUp", "queue a follow-up"],
			["app.interrupt", "interrupt"],
			["app.command.background", "to background"],
			["app.tools.expand", "tool output"],
			["app.thinking.toggle", "thinking"],
		],
	},
	{
		title: "Session",
		rows: [
			["app.thinking.cycle", "thinking level"],
			["app.approval.cycle", "approval mode"],
			["app.model.cycleForward", "next model"],
			[text("esc esc"), "go back"],
			[text("/resume"), "earlier sessions"],
			["app.exit", "exit"],
			[text("/hotkeys"), "all shortcuts"],
		],
	},
];

class Shortcuts implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #close: (data: string) => void;

	/** Any key closes it, and is for the editor. */
	constructor(theme: { readonly current: Theme }, close: (data: string) => void) {
		this.#theme = theme;
		this.#close = close;
	}

	handleInput(data: string): void {
		this.#close(data);
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		const theme = this.#theme.current;
		const rule = theme.fg("borderMuted", "─".repeat(Math.max(1, width)));
		const count = Math.max(1, Math.min(sections.length, Math.floor((width - 1) / leastColumn())));
		const cells = Math.floor((width - 1) / count);
		const rows = Array.from({ length: Math.ceil(sections.length / count) }, (_, at) =>
			beside(sections.slice(at * count, at * count + count), cells, theme),
		);
		const hint = theme.fg("dim", ` ${keyText("tui.input.tab")} to search · any key closes this`);
		// In one column it just fits a screen of 24 rows.
		if (count === 1) return [rule, ...rows.flat(), hint].map((row) => truncateToWidth(row, width));
		const body = rows.flatMap((group, at) => (at === 0 ? group : ["", ...group]));
		return [rule, ...body, "", hint, rule].map((row) => truncateToWidth(row, width));
	}
}

/** A question mark that starts a prompt is followed by typing at once, or doubled. */
export function showShortcuts(
	host: Pick<InteractiveHost, "showInEditor" | "editor" | "theme"> & { search(): void },
): void {
	const openedAt = performance.now();
	const shown = host.showInEditor(
		new Shortcuts(host.theme, (data) => {
			shown.close();
			if (getKeybindings().matches(data, "tui.input.tab")) return host.search();
			const isTyping = performance.now() - openedAt < limits.typedOnMs && data >= " ";
			if (data === "?" || isTyping) host.editor.insertTextAtCursor("?");
			if (data !== "?") host.editor.handleInput(data);
		}),
	);
}

function beside(group: readonly Section[], cells: number, theme: Theme): string[] {
	const columns = group.map((section) => column(section, cells, theme));
	const height = Math.max(...columns.map(({ length }) => length));
	return Array.from({ length: height }, (_, at) =>
		columns
			.map((rows) => ` ${padded(rows[at] ?? "", cells - 1)}`)
			.join("")
			.trimEnd(),
	);
}

/** Narrower columns would cut what they say; users may have bound longer keys. */
function leastColumn(): number {
	const widths = sections.flatMap(({ rows }) => {
		const { widest } = keysOf(rows);
		return rows.map(([, what]) => widest + visibleWidth(what));
	});
	return Math.max(...widths) + 4;
}

function keysOf(rows: Section["rows"]): { keys: string[]; widest: number } {
	const keys = rows.map(([key]) => (typeof key === "string" ? (keyText(key).split("/")[0] ?? "") : key.text));
	return { keys, widest: Math.max(...keys.map(visibleWidth)) };
}

function column({ title, rows }: Section, cells: number, theme: Theme): string[] {
	const { keys, widest } = keysOf(rows);
	return [
		theme.bold(title),
		...rows.flatMap(([, what], at) => {
			const key = keys[at] ?? "";
			if (key === "") return [];
			return [
				truncateToWidth(`${theme.fg("accent", padded(key, widest))}  ${theme.fg("muted", what)}`, cells - 2),
			];
		}),
	];
}

function padded(shown: string, cells: number): string {
	return shown + " ".repeat(Math.max(0, cells - visibleWidth(shown)));
}
