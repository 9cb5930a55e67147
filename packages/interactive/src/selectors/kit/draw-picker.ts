/** Draws a list: a frame of its state at a width. */
import {
	hintLine,
	Tabs,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
	type Theme,
	type ThemeColor,
} from "@tau/tui";
import { stripControls } from "@tau/utils";

import type { NoticeLevel } from "../../host.ts";
import { limits } from "../limits.ts";
import { ListState } from "./list-state.ts";
import { aligned, firstRows, plain } from "./row.ts";
import type { PickerSpec } from "./spec.ts";

export interface PickerFrame<T> {
	spec: PickerSpec<T>;
	list: ListState<T>;
	tab: string;
	search: string;
	/** The search, or the line that is asked for. */
	head: readonly string[];
	/** Replaces the list while a line is asked for that has nothing to do with its rows. */
	instead: string | undefined;
	note: { text: string; level: NoticeLevel } | undefined;
	hints: readonly string[];
	screenRows: number;
	/** How many rows the list had before: it keeps them. */
	tallest: number;
}

const colors: Record<NoticeLevel, ThemeColor> = {
	info: "muted",
	success: "success",
	warning: "warning",
	error: "error",
};

const sign = " ❯ ";
/** On a wide screen the columns of a list stay together: the eye does not follow a row across it. */
const mostCells = 100;
/** The footer, and some rows of the transcript, such as a notice that belongs to the list. */
const leastAbove = 6;
/** Fewer cells than this are few. */
const narrow = 60;

export function drawPicker<T>(
	frame: PickerFrame<T>,
	width: number,
	theme: Theme,
): { rows: string[]; listRows: number } {
	if (frame.instead !== undefined) return drawLine(frame, frame.instead, width, theme);
	const { spec, list } = frame;
	const above = [title(frame, width, theme), ...tabRows(frame, width, theme), ...frame.head];
	const note = noteRows(frame.note, width, theme);
	const about = aboutRows(frame, width, theme);
	const hints = hintRows(frame.hints, width, theme);
	const most = roomFor(frame.screenRows, above.length + about.length + hints.length);
	const listRows = Math.max(1, Math.min(most, Math.max(frame.tallest, list.items.length)));
	const { from, to } = list.window(listRows);
	const inner = Math.min(width, mostCells);
	const shown = alignedRows(frame, from, to, inner, theme).map((text, at) =>
		itemRow(text, from + at === list.at, inner, theme),
	);
	if (shown.length === 0)
		shown.push(theme.fg("muted", truncateToWidth(`   ${spec.empty(frame.search, frame.tab)}`, width)));
	while (shown.length < listRows) shown.push("");
	// A message must be visible, so it replaces the last rows below the list.
	const below = [...note, ...about.slice(0, Math.max(0, about.length - note.length))];
	const used = above.length + shown.length + below.length + hints.length;
	// A row of air sets the keys apart, where enough of what is above the list stays visible.
	const air = below.at(-1) === "" || used + leastAbove >= frame.screenRows ? [] : [""];
	const rows = [...above, ...shown, ...below, ...air, ...hints];
	return { rows: rows.map((each) => truncateToWidth(each, width)), listRows };
}

/** The line alone: rows below it would look as if Enter chose one of them. */
function drawLine<T>(
	frame: PickerFrame<T>,
	about: string,
	width: number,
	theme: Theme,
): { rows: string[]; listRows: number } {
	const text = wrapTextWithAnsi(plain(about), Math.max(1, width - 3));
	const rows = [
		title({ ...frame, list: new ListState<T>(frame.spec.idOf) }, width, theme),
		"",
		...frame.head.map((row) => ` ${row}`),
		"",
		...text.map((row) => `   ${theme.fg("muted", row)}`),
		...noteRows(frame.note, width, theme),
		"",
		...hintRows(frame.hints, width, theme),
	];
	return { rows: rows.map((row) => truncateToWidth(row, width)), listRows: frame.tallest };
}

/** Half of the screen, and never so much that the rest does not fit. */
function roomFor(screenRows: number, besides: number): number {
	const requested = Math.max(limits.usualRows, Math.floor(screenRows / 2));
	return Math.max(limits.leastRows, Math.min(requested, screenRows - besides - 1));
}

function title<T>({ spec, list }: PickerFrame<T>, width: number, theme: Theme): string {
	const name = typeof spec.title === "string" ? spec.title : spec.title();
	const place = list.items.length > 1 ? ` ${list.at + 1}/${list.items.length} ` : "";
	const shown = truncateToWidth(` ${plain(name)} `, Math.max(1, width - visibleWidth(place) - 4));
	const line = Math.max(0, width - visibleWidth(shown) - visibleWidth(place) - 4);
	const rule = (cells: number): string => theme.fg("borderMuted", "─".repeat(cells));
	return truncateToWidth(
		rule(2) + theme.fg("accent", theme.bold(shown)) + rule(line) + theme.fg("dim", place) + rule(2),
		width,
	);
}

function tabRows<T>({ spec, tab }: PickerFrame<T>, width: number, theme: Theme): string[] {
	const tabs = spec.tabs?.() ?? [];
	if (tabs.length < 2) return [];
	// The open one first: the component opens its first tab, and keeps it open when it gets the others.
	const shown = new Tabs(
		tabs.filter(({ id }) => id === tab),
		theme,
	);
	shown.setTabs(tabs);
	return shown.render(width);
}

/** In a short list all rows count, so that scrolling moves no column. */
function alignedRows<T>(
	{ spec, list }: PickerFrame<T>,
	from: number,
	to: number,
	width: number,
	theme: Theme,
): string[] {
	const draw = (item: T): string => spec.row(item, Math.max(1, width - sign.length), theme);
	const isShort = list.items.length <= limits.alignedRows;
	const rows = (isShort ? list.items : list.items.slice(from, to)).map(draw);
	return aligned(isShort ? rows.slice(from, to) : rows, isShort ? rows : []);
}

function itemRow(row: string, isSelected: boolean, width: number, theme: Theme): string {
	const inner = Math.max(1, width - sign.length);
	const text = truncateToWidth(row, inner);
	if (!isSelected) return `   ${text}`;
	const full = text + " ".repeat(Math.max(0, inner - visibleWidth(text)));
	return theme.selected(theme.fg("accent", sign) + full);
}

function noteRows(note: PickerFrame<unknown>["note"], width: number, theme: Theme): string[] {
	if (!note) return [];
	const text = stripControls(note.text).trim();
	const inner = Math.max(1, width - 3);
	const rows = firstRows(wrapTextWithAnsi(text, inner), limits.noteRows, inner);
	return rows.map(
		(line) => `   ${theme.fg(colors[note.level], truncateToWidth(line, Math.max(1, width - 3)))}`,
	);
}

function aboutRows<T>({ spec, list }: PickerFrame<T>, width: number, theme: Theme): string[] {
	const count = spec.aboutRows ?? 0;
	const inner = Math.max(1, Math.min(width, mostCells) - 3);
	const all = list.selected === undefined ? [] : (spec.about?.(list.selected, inner, theme) ?? []);
	const lines = firstRows(all, count, inner);
	return Array.from({ length: count }, (_, at) => {
		const text = lines[at];
		return text === undefined ? "" : `   ${truncateToWidth(text, inner)}`;
	});
}

/** In as many rows as it takes, within reason: on a narrow screen half of the keys would be unknown otherwise. */
function hintRows(hints: readonly string[], width: number, theme: Theme): string[] {
	const most = width < narrow ? 4 : 2;
	const rows: string[][] = [[]];
	const fits = (row: readonly string[]): boolean => visibleWidth(hintLine(theme, row)) <= width - 3;
	const known = hints.filter((each) => each !== "");
	for (const hint of known) {
		const current = rows.at(-1) ?? [];
		if (fits([...current, hint]) || current.length === 0) current.push(hint);
		else rows.push([hint]);
	}
	const last = known.at(-1);
	if (rows.length > most && last !== undefined) {
		rows.length = most;
		// The last key is the one that leaves.
		const end = rows.at(-1) ?? [];
		while (end.length > 0 && !fits([...end, last])) end.pop();
		end.push(last);
	}
	return rows
		.filter((row) => row.length > 0)
		.map((row) => truncateToWidth(`   ${hintLine(theme, row)}`, width));
}
