/** Sorts the content of a file into valid settings and findings about the rest. */
import { cutGraphemes, fits, parseShape, stripControls, isRecord } from "@tau/utils";

import { limits } from "./limits.ts";
import { isBeside, isOldGroup, oldNames } from "./old-names.ts";
import { isTakenOver } from "./other-programs.ts";
import type { SettingProblem } from "./problem.ts";
import { findSetting, isGroup, isSettingPath, nearGroups, nearSettings, pathOf, schema } from "./schema.ts";
import type { Named, SettingPath } from "./schema.ts";

/** A problem at a path in the file. */
export interface Finding {
	kind: SettingProblem["kind"];
	path: readonly (string | number)[];
	message: string;
	isSlip?: true;
}

export interface Judged {
	values: Map<SettingPath, unknown>;
	/** The position of a value in the file, if it is not at its own path. */
	paths: Map<string, readonly string[]>;
	findings: Finding[];
}

/** `mayRefuse` is for a project's file, `isOther` for the user's file of another program: they may not set everything. */
export function judge(
	whole: Readonly<Record<string, unknown>>,
	{ mayRefuse, isOther = false }: { mayRefuse: boolean; isOther?: boolean },
): Judged {
	const judged: Judged = { values: new Map(), paths: new Map(), findings: [] };
	const take = (named: Named, value: unknown, path: readonly string[]): void => {
		const { notForProjects, hasOwnReader } = named.setting;
		if (mayRefuse && notForProjects !== undefined) {
			if (hasOwnReader) return;
			const message = `a project may not set it, because ${notForProjects}`;
			judged.findings.push({ kind: "refused", path, message });
			return;
		}
		if (isOther && !isTakenOver(named.path)) {
			const message = "it is not taken over from another program; set it in Tau's own config.yml";
			judged.findings.push({ kind: "refused", path, message });
			return;
		}
		const { value: kept, wrong } = check(named, value, path);
		judged.findings.push(...wrong);
		if (kept !== undefined) judged.values.set(named.path, merged(judged.values.get(named.path), kept));
	};
	const old: { path: readonly string[]; value: unknown }[] = [];
	let unknownNames = 0;
	walk(whole, [], (at, value) => {
		const path = at.join(".");
		const isDotted = at.some((key) => key.includes("."));
		if (isSettingPath(path) && !isDotted) take({ path, setting: schema[path] }, value, at);
		else if (oldNames.some((name) => name.old === path) && !isDotted) old.push({ path: at, value });
		// A suggestion compares a name with all settings: names that nobody will see get none.
		else if (!isBeside(path) && ++unknownNames <= limits.problems) {
			judged.findings.push(strange(path, at, value));
		}
	});
	// Old names come last: a setting under its present name wins over an old one.
	for (const { path, value } of old) takeOld(whole, { path, value }, judged, take);
	return judged;
}

/** Calls `found` for every setting, old name and unknown name; only groups are descended into. */
function walk(
	group: Readonly<Record<string, unknown>>,
	above: readonly string[],
	found: (path: readonly string[], value: unknown) => void,
): void {
	for (const [key, value] of Object.entries(group)) {
		// `key:` without a value sets nothing.
		if (value === null || value === undefined) continue;
		const at = [...above, key];
		const path = at.join(".");
		const isDotted = key.includes(".");
		if (!isDotted && isRecord(value) && (isGroup(path) || isOldGroup(path))) walk(value, at, found);
		else found(at, value);
	}
}

function takeOld(
	whole: Readonly<Record<string, unknown>>,
	{ path, value }: { path: readonly string[]; value: unknown },
	judged: Judged,
	take: (named: Named, value: unknown, at: readonly string[]) => void,
): void {
	const name = oldNames.find(({ old }) => old === path.join("."));
	const named = name && findSetting(name.now);
	if (!name || !named) return;
	const converted = name.convert ? name.convert(value, whole) : value;
	const present = judged.values.get(named.path);
	const isSet =
		named.entry === undefined ? present !== undefined : isRecord(present) && named.entry in present;
	// Two old names may make up one value.
	const isOther = isSet && !(named.entry === undefined && Bun.deepEquals(present, converted));
	judged.findings.push({
		kind: "renamed",
		path,
		message: isOther ? `${name.now} is also set and takes precedence` : `it was renamed to ${name.now}`,
	});
	if (isSet) return;
	judged.paths.set(name.now, path);
	take(named, converted, path);
}

function merged(before: unknown, value: unknown): unknown {
	return isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
}

/** An invalid item of a list or entry of a table disables only itself. */
function check(
	{ setting, entry }: Named,
	value: unknown,
	path: readonly string[],
): { value: unknown; wrong: Finding[] } {
	const given = entry === undefined ? value : { [entry]: value };
	const { type } = setting;
	const parsed = parseShape(type, given);
	if (parsed.ok) return { value: parsed.value, wrong: [] };
	const kind = "wrong";
	if (setting.hint.kind === "list" && Array.isArray(given)) {
		const bad = (item: unknown): boolean => !fits(type, [item]);
		const wrong = given.flatMap((item, index): Finding[] =>
			bad(item)
				? [{ kind, path: [...path, index], message: mustBe(setting.expectedItem ?? "text", item) }]
				: [],
		);
		return {
			value: type(
				given.filter((item) => !bad(item)),
				() => {},
			),
			wrong,
		};
	}
	if (setting.hint.kind === "table" && isRecord(given)) {
		const bad = Object.entries(given).filter(([name, item]) => !fits(type, { [name]: item }));
		const inside = (name: string): readonly string[] => (entry === undefined ? [...path, name] : path);
		const wrong = bad
			.filter(([, item]) => item !== null)
			.map(([name, item]): Finding => ({ kind, path: inside(name), message: mustBe("text", item) }));
		const names = new Set(bad.map(([name]) => name));
		return { value: Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name))), wrong };
	}
	return { value: undefined, wrong: [{ kind, path, message: mustBe(setting.expected, value) }] };
}

/** Checks a single value that a user sets; returns the reason if it is invalid. */
export function refusal(
	{ setting, entry }: Pick<Named, "setting" | "entry">,
	value: unknown,
): string | undefined {
	const given = entry === undefined ? value : { [entry]: value };
	if (fits(setting.type, given)) return undefined;
	return mustBe(entry === undefined ? setting.expected : "text", value);
}

function mustBe(expected: string, value: unknown): string {
	return `must be ${expected}, not ${shown(value)}`;
}

function shown(value: unknown): string {
	if (Array.isArray(value)) return "a list";
	if (typeof value === "object" && value !== null) return "a group";
	if (value === "") return "nothing";
	const quoted = typeof value === "string" ? JSON.stringify(value) : String(value);
	return cutGraphemes(stripControls(quoted, { newline: false, tab: false }), limits.shownChars);
}

function strange(path: string, at: readonly string[], value: unknown): Finding {
	if (isGroup(path)) {
		return { kind: "wrong", path: at, message: mustBe("a group of settings", value) };
	}
	const named = findSetting(path);
	if (named && at.length < pathOf(named).length) {
		const [first = "", ...rest] = pathOf(named);
		const message = `write it as two levels: "${first}:" and below it "${rest.join(".")}:"`;
		return { kind: "unknown", path: at, message, isSlip: true };
	}
	const near = isRecord(value) && at.length === 1 ? nearGroups(path) : nearSettings(path);
	const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
	return {
		kind: "unknown",
		path: at,
		message: `unknown setting.${hint}`,
		...(near.length > 0 ? { isSlip: true } : {}),
	};
}
