/** Draws a row of the tree: its branches, whether it is on the current path, its label, its role and its text. */
import { truncateToWidth, type Theme, type ThemeColor } from "@tau/tui";

import { limits } from "../limits.ts";
import type { Speaker } from "@tau/session-commands/work";
import type { TreeRow } from "./tree-rows.ts";

const colors: Record<Speaker, ThemeColor> = {
	user: "accent",
	assistant: "success",
	tool: "muted",
	userCommand: "bashMode",
	summary: "warning",
	custom: "customMessageLabel",
	bookkeeping: "dim",
};

const levelCells = 3;

export function drawTreeRow(row: TreeRow, width: number, theme: Theme, hasTimes: boolean): string {
	const { entry, isActive, isLeaf, isFolded, label } = row;
	const guides = theme.fg("borderMuted", guidesOf(row, width));
	const fold = isFolded ? theme.fg("accent", "▸ ") : "";
	const bullet = isActive ? theme.fg("accent", "• ") : "";
	const time = label && hasTimes ? ` ${label.timestamp.slice(0, 16).replace("T", " ")}` : "";
	const name = label ? theme.fg("warning", `[${label.label}${time}] `) : "";
	const here = isLeaf ? theme.fg("accent", " ← here") : "";
	const color = entry.hasFailed ? "error" : colors[entry.speaker];
	const isNote = entry.head.startsWith("[");
	const head = theme.fg(color, `${entry.head}${entry.text === "" || isNote ? "" : ":"}`);
	const text =
		entry.speaker === "user" || entry.speaker === "assistant" ? entry.text : theme.fg("muted", entry.text);
	const words = truncateToWidth(
		`${guides}${fold}${bullet}${name}${head} ${text}`,
		Math.max(1, width - (isLeaf ? 7 : 0)),
	);
	return words + here;
}

/** `│  ├─ `; of a tree that is deeper than fits, the innermost branches. */
export function guidesOf({ levels, isStart }: Pick<TreeRow, "levels" | "isStart">, width: number): string {
	const most = Math.max(1, Math.floor((width * limits.guideShare) / levelCells));
	const shown = levels.slice(-most);
	const signs = shown.map((more, at) => {
		const isOwn = at === shown.length - 1 && isStart;
		if (isOwn) return more ? "├─ " : "└─ ";
		return more ? "│  " : "   ";
	});
	return (levels.length > shown.length ? "… " : "") + signs.join("");
}
