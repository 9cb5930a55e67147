/** All settings as a list: the effective value, its source, the matches of a search, and the effect of a key. */
import { fuzzyFilter } from "@tau/sys";
import {
	formatValue,
	isSettingPath,
	type Origin,
	groups,
	type Scope,
	type Setting,
} from "@tau/config/settings";
import { labels } from "./labels.ts";

export interface SettingRow {
	path: string;
	/** What a list calls it; the path is what a file calls it. */
	label: string;
	group: string;
	setting: Setting;
	value: unknown;
	/** Absent until it was looked up. */
	from?: Origin;
}

export const scopes: readonly { id: Scope; label: string; where: string }[] = [
	{ id: "session", label: "This session", where: "for this session" },
	{ id: "global", label: "User", where: "in your settings" },
	{ id: "project", label: "Project", where: "in the project's settings" },
];

export function settingRows(value: (path: string) => unknown): SettingRow[] {
	return groups.flatMap(({ title, settings }) =>
		Object.entries<Setting>(settings).map(([path, setting]) => ({
			path,
			label: labelOf(path, title),
			group: title,
			setting,
			value: value(path),
		})),
	);
}

const units: readonly (readonly [word: RegExp, unit: string])[] = [
	[/ percent$/, " (%)"],
	[/ seconds$/, " (seconds)"],
	[/ ms$/, " (ms)"],
];

/** The name where no group is beside it: "Tools: enabled" instead of "Enabled". */
export function fullLabel({ path, label, group }: Pick<SettingRow, "path" | "label" | "group">): string {
	const [first = "", second] = path.split(".");
	if (ownLabel(path) !== undefined) return label;
	const isShort = second !== undefined && !/^t?ui$/.test(first) && !label.toLowerCase().startsWith(first);
	return isShort ? `${group}: ${label.charAt(0).toLowerCase()}${label.slice(1)}` : label;
}

/** A name of its own, or the words of the path: `collab.relay` is "Relay" among those of the group Collab. */
export function labelOf(path: string, group: string): string {
	const own = ownLabel(path);
	if (own !== undefined) return own;
	const parts = path.split(".");
	const isRepeated = parts.length > 1 && [group.toLowerCase(), "ui", "tui", "ttsr"].includes(parts[0] ?? "");
	const words = (isRepeated ? parts.slice(1) : parts)
		.join(" ")
		.replace(/([a-z\d])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
		.replace(/\bfollow up\b/, "follow-up");
	const [word, unit] = units.find(([each]) => each.test(words)) ?? [/$/, ""];
	const text = words.replace(word, unit);
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function ownLabel(path: string): string | undefined {
	return isSettingPath(path) ? labels[path] : undefined;
}

/** The rows that begin a group in a list. */
export function groupStarts(rows: readonly SettingRow[]): ReadonlySet<SettingRow> {
	return new Set(rows.filter(({ group }, at) => rows[at - 1]?.group !== group));
}

/** The name counts most; a description that happens to contain the letters is no match. */
export function fitting(rows: readonly SettingRow[], search: string): readonly SettingRow[] {
	if (search.trim() === "") return rows;
	const byName = fuzzyFilter(rows, search, ({ path, label, group }) => `${path} ${label} ${group}`);
	const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
	const described = rows.filter(
		(row) =>
			!byName.includes(row) && terms.every((word) => row.setting.description.toLowerCase().includes(word)),
	);
	return [...byName, ...described];
}

/** What Enter does with a setting. */
export type Change =
	| { kind: "set"; value: unknown }
	| { kind: "choose"; choices: readonly string[] }
	| { kind: "write"; initial: string };

export function changeOf({ setting, value }: SettingRow, known: readonly string[] = []): Change {
	if (known.length > 0) return { kind: "choose", choices: known };
	switch (setting.hint.kind) {
		case "toggle":
			return { kind: "set", value: value !== true };
		case "choice":
			return { kind: "choose", choices: setting.hint.choices };
		case "number":
		case "text":
		case "list":
		case "table":
		case "json":
			return { kind: "write", initial: setting.isSecret ? "" : formatValue(value) };
	}
}

export function shownValue(value: unknown): string {
	const text = formatValue(value);
	return text === "" ? "not set" : text;
}

export function shownLayer(from: Origin | undefined): string {
	const names: Record<Origin["layer"], string> = {
		default: "",
		global: "user",
		project: "project",
		overlay: "--config",
		session: "session",
	};
	return from ? names[from.layer] : "";
}
