/** Changes settings in a YAML text and leaves every other byte unchanged, including comments and layout. */
import { isMap, isScalar, isSeq, parseDocument, stringify } from "yaml";
import type { Document, Pair, ParsedNode, YAMLMap } from "yaml";
import { isRecord } from "@tau/utils";

import { syntaxProblem } from "./yaml-positions.ts";
import { withoutMark } from "./read-layer.ts";
import type { Edited } from "./write-file.ts";

/** A value of undefined removes the setting. */
export interface Change {
	path: readonly string[];
	value: unknown;
}

/** Applies all changes in order, or none. */
export function editYaml(text: string, changes: readonly Change[]): Edited {
	let edited: Edited = { ok: true, text };
	for (const change of changes) if (edited.ok) edited = editOne(edited.text, change);
	return edited;
}

function editOne(text: string, { path, value }: Change): Edited {
	const body = withoutMark(text);
	const mark = text.slice(0, text.length - body.length);
	let current: unknown;
	try {
		current = Bun.YAML.parse(body);
	} catch (error) {
		const { message, line } = syntaxProblem("", body, error);
		const reason = `is not valid YAML, so nothing was written: ${message}`;
		return { ok: false, reason, ...(line === undefined ? {} : { line }) };
	}
	const whole = current ?? {};
	if (!isRecord(whole)) return { ok: false, reason: "is not a group of settings, so nothing was written" };
	const expected = changed(whole, path, value);
	if (Bun.deepEquals(expected, whole)) return { ok: true, text };
	// The result is parsed again: a repeated key, an anchor that is used elsewhere or a merge could change
	// the meaning of the edit.
	for (const edit of [spliced, rewritten]) {
		const after = edit(body, path, value);
		if (after !== undefined && means(after, expected)) return { ok: true, text: mark + after };
	}
	const reason = `has a layout that Tau cannot change safely. Change ${path.join(".")} by hand`;
	return { ok: false, reason };
}

function means(text: string, expected: Readonly<Record<string, unknown>>): boolean {
	try {
		return Bun.deepEquals(Bun.YAML.parse(text) ?? {}, expected);
	} catch {
		// An edit that broke the text is not used.
		return false;
	}
}

/** Returns the expected value after the change; a group that becomes empty is removed too. */
function changed(
	group: Readonly<Record<string, unknown>>,
	[key = "", ...rest]: readonly string[],
	value: unknown,
): Record<string, unknown> {
	const inside = group[key];
	const after = rest.length === 0 ? value : changed(isRecord(inside) ? inside : {}, rest, value);
	const isGone =
		after === undefined || (value === undefined && isRecord(after) && Object.keys(after).length === 0);
	const kept = Object.entries(group).filter(([name]) => !isGone || name !== key);
	return isGone ? Object.fromEntries(kept) : { ...group, [key]: after };
}

type Item = Pair<ParsedNode, ParsedNode | null>;

interface Way {
	/** The existing groups, from the outermost to the innermost. */
	groups: YAMLMap.Parsed[];
	/** The items from one group to the next; there is one more if the setting exists. */
	items: Item[];
	/** The part of the path that does not exist yet. */
	rest: readonly string[];
}

/** Edits by cutting the text; returns undefined if that is not simple. */
function spliced(body: string, path: readonly string[], value: unknown): string | undefined {
	const document = parseDocument(body);
	if (document.errors.length > 0) return undefined;
	const { contents } = document;
	if (contents === null)
		return value === undefined ? undefined : appended(body, body.length, "", path, value);
	const way = isMap(contents) ? wayTo(contents as YAMLMap.Parsed, path) : undefined;
	if (!way) return undefined;
	if (value === undefined) return removed(body, way);
	if (way.rest.length === 0) return replaced(body, way, value);
	return inserted(body, way, value);
}

function wayTo(root: YAMLMap.Parsed, path: readonly string[]): Way | undefined {
	const way: Way = { groups: [root], items: [], rest: path };
	for (let group = root; way.rest.length > 0;) {
		const [key] = way.rest;
		const item = (group.items as Item[]).findLast(({ key: name }) => isScalar(name) && name.value === key);
		if (!item) return way;
		way.items.push(item);
		way.rest = way.rest.slice(1);
		if (way.rest.length === 0) return way;
		const next = item.value;
		if (!isMap(next)) return isEmpty(next) ? way : undefined;
		group = next as YAMLMap.Parsed;
		way.groups.push(group);
	}
	return way;
}

function isEmpty(node: ParsedNode | null): boolean {
	return node === null || (isScalar(node) && node.value === null);
}

function replaced(body: string, { items }: Way, value: unknown): string | undefined {
	const node = items.at(-1)?.value;
	if (!node?.range || node.anchor !== undefined) return undefined;
	if (isScalar(node) && node.type?.startsWith("BLOCK_")) return undefined;
	const [start, end] = node.range;
	if ((isMap(node) || isSeq(node)) && node.flow !== true) {
		const eol = eolOf(body);
		const indent = " ".repeat(start - lineStart(body, start));
		return body.slice(0, start) + blockLines(value).join(eol + indent) + eol + body.slice(end);
	}
	const space = body[start - 1] === ":" ? " " : "";
	return body.slice(0, start) + space + rendered(value) + body.slice(end);
}

function blockLines(value: unknown): string[] {
	const lines = Array.isArray(value)
		? value.map((item) => `- ${rendered(item)}`)
		: isRecord(value)
			? Object.entries(value).map(([key, item]) => `${rendered(key)}: ${rendered(item)}`)
			: [];
	return lines.length > 0 ? lines : [rendered(value)];
}

function inserted(body: string, { groups, items, rest }: Way, value: unknown): string | undefined {
	// `retry:` without a value is an empty group.
	if (items.length === groups.length) return replaced(body, { groups, items, rest: [] }, nested(rest, value));
	const group = groups.at(-1);
	const last = group?.items.at(-1);
	if (!group?.range || !last?.key.range) return undefined;
	if (group.flow === true) {
		const end = last.value?.range?.[1];
		const [key = "", ...deeper] = rest;
		if (end === undefined) return undefined;
		return `${body.slice(0, end)}, ${rendered(key)}: ${rendered(nested(deeper, value))}${body.slice(end)}`;
	}
	const start = last.key.range[0];
	const indent = body.slice(lineStart(body, start), start);
	return /^ *$/.test(indent) ? appended(body, group.range[1], indent, rest, value) : undefined;
}

/** Inserts the setting as its own lines at an offset of the text. */
function appended(body: string, at: number, indent: string, path: readonly string[], value: unknown): string {
	const eol = eolOf(body);
	const lines = path.map((key, depth) => {
		const isLast = depth === path.length - 1;
		return `${indent}${"  ".repeat(depth)}${rendered(key)}:${isLast ? ` ${rendered(value)}` : ""}${eol}`;
	});
	const before = body.slice(0, at);
	const gap = before === "" || before.endsWith("\n") ? "" : eol;
	return before + gap + lines.join("") + body.slice(at);
}

/** Removes whole lines, including those of groups that would become empty. */
function removed(body: string, { groups, items, rest }: Way): string | undefined {
	if (rest.length > 0) return undefined;
	let depth = groups.length - 1;
	while (depth > 0 && groups[depth]?.items.length === 1) depth--;
	const item = items[depth];
	const group = groups[depth];
	if (!group || !item?.key.range) return undefined;
	if (group.flow === true) return removedFromFlow(body, group, item);
	const start = lineStart(body, item.key.range[0]);
	if (!/^ *$/.test(body.slice(start, item.key.range[0]))) return undefined;
	const end = item.value?.range?.[2] ?? item.key.range[2];
	if (body[end - 1] === "\n") return body.slice(0, start) + body.slice(end);
	const newline = body.indexOf("\n", end);
	return body.slice(0, start) + (newline < 0 ? "" : body.slice(newline + 1));
}

function removedFromFlow(body: string, group: YAMLMap.Parsed, item: Item): string | undefined {
	const all = group.items as Item[];
	const index = all.indexOf(item);
	const [start, next] = [item.key.range[0], all[index + 1]?.key.range[0]];
	if (next !== undefined) return body.slice(0, start) + body.slice(next);
	const before = all[index - 1]?.value?.range?.[1];
	const end = item.value?.range?.[1];
	return before === undefined || end === undefined ? undefined : body.slice(0, before) + body.slice(end);
}

/** Edits through the parser's document: comments are preserved, the layout may change. */
function rewritten(body: string, path: readonly string[], value: unknown): string | undefined {
	try {
		const document = parseDocument(body);
		if (document.errors.length > 0) return undefined;
		ownGroups(document, path);
		if (value === undefined) removeFrom(document, path);
		else document.setIn(path, value);
		const written = document.toString({ lineWidth: 0 });
		return eolOf(body) === "\n" ? written : written.replaceAll("\n", "\r\n");
	} catch {
		// The document throws if the edit is impossible.
		return undefined;
	}
}

/** A group that is only a reference, or is empty, becomes a separate group. */
function ownGroups(document: Document.Parsed, path: readonly string[]): void {
	for (let depth = 1; depth < path.length; depth++) {
		const above = path.slice(0, depth);
		const node = document.getIn(above, true);
		if (node === undefined || isMap(node)) continue;
		const meant = Bun.YAML.parse(String(document));
		const value = above.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), meant);
		document.setIn(above, document.createNode(isRecord(value) ? value : {}));
	}
}

function removeFrom(document: Document.Parsed, path: readonly string[]): void {
	document.deleteIn(path);
	for (let depth = path.length - 1; depth > 0; depth--) {
		const group = document.getIn(path.slice(0, depth));
		if (isMap(group) && group.items.length === 0) document.deleteIn(path.slice(0, depth));
	}
}

function nested(path: readonly string[], value: unknown): unknown {
	return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** Renders on one line: plain if YAML reads it back unchanged, otherwise as JSON. */
function rendered(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(rendered).join(", ")}]`;
	if (isRecord(value)) {
		const entries = Object.entries(value).map(([key, item]) => `${rendered(key)}: ${rendered(item)}`);
		return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
	}
	if (typeof value !== "string") return stringify(value).trim();
	const isPlain =
		/^[\w./~][\w./~:@+*-]*$/.test(value) && !value.endsWith(":") && Bun.YAML.parse(value) === value;
	return isPlain ? value : JSON.stringify(value);
}

function lineStart(body: string, at: number): number {
	return body.lastIndexOf("\n", at - 1) + 1;
}

function eolOf(body: string): string {
	return /\r\n/.test(body) ? "\r\n" : "\n";
}
