/** Formats the output of `tau config`, as tables for a user and as JSON lines for a program. */
import { cutGraphemes, shortenHome, stripControls } from "@tau/utils";
import type { Origin } from "@tau/config/settings";

import type { FileRow, SettingRow } from "./rows.ts";
import { limits } from "../../limits.ts";

export function jsonLines(rows: readonly unknown[]): string {
	return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

export function settingTable(rows: readonly SettingRow[]): string {
	return table(
		["SETTING", "VALUE", "FROM"],
		rows.map(({ key, value, from }) => [
			key,
			cutGraphemes(plainValue(value), limits.valueChars) || "–",
			shownOrigin(from),
		]),
	);
}

export function fileTable(rows: readonly FileRow[]): string {
	return table(
		["LAYER", "FILE", "STATE"],
		rows.map(({ layer, file, exists, written }) => [
			layer,
			shortenHome(file),
			[exists ? "exists" : "not found", ...(written ? ["written by tau config set"] : [])].join(", "),
		]),
	);
}

/** Formats text unchanged, lists and tables as JSON, and unset values as empty. */
export function plainValue(value: unknown): string {
	if (value === undefined || value === null) return "";
	return stripControls(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** Returns `~/.tau/agent/config.yml:3`, or the layer when the value has no file. */
export function shownOrigin({ layer, file, line }: Origin): string {
	if (file === undefined) return layer;
	return `${shortenHome(file)}${line === undefined ? "" : `:${line}`}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head, ...rows].map((cells) =>
		cells.map((cell) => stripControls(cell, { newline: false, tab: false })),
	);
	const widths = head.map((_, index) =>
		Math.max(...lines.map((cells) => Bun.stringWidth(cells[index] ?? ""))),
	);
	return lines
		.map((cells) =>
			cells.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - Bun.stringWidth(cell))),
		)
		.map((cells) => `${cells.join("  ").trimEnd()}\n`)
		.join("");
}
