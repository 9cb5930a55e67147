/** Reads one settings file: its values and its problems, with lines. */
import { isRecord, parseFailure } from "@tau/utils";

import { judge, type Finding } from "./judge.ts";
import { limits } from "./limits.ts";
import type { FileLayer, SettingProblem } from "./problem.ts";
import { readText } from "./read-text.ts";
import type { SettingPath } from "./schema.ts";
import type { Source } from "./sources.ts";

export interface Layer {
	name: FileLayer | "session";
	file?: string;
	values: ReadonlyMap<SettingPath, unknown>;
	/** Returns the line of a path in the file. Slow: it loads the parser with positions. */
	lineOf(path: readonly string[]): Promise<number | undefined>;
}

export interface ReadLayer {
	layer: Layer;
	problems: SettingProblem[];
}

/** Returns undefined if the file does not exist and is not required. */
export async function readLayer(source: Source): Promise<ReadLayer | undefined> {
	const read = readText(source.path);
	if (!read) return source.layer === "overlay" ? absent(source) : undefined;
	if (!read.ok) return { layer: emptyLayer(source), problems: [unreadable(source, read.reason)] };
	const { text } = read;
	const parsed = parse(source.path, text);
	if (!parsed.ok)
		return { layer: emptyLayer(source), problems: [await syntaxProblem(source, text, parsed.error)] };
	if (parsed.value === null || parsed.value === undefined) return { layer: emptyLayer(source), problems: [] };
	if (!isRecord(parsed.value)) {
		const reason = "must be a group of settings, e.g. retry: { enabled: false }";
		return { layer: emptyLayer(source), problems: [unreadable(source, reason)] };
	}
	const { values, paths, findings } = judge(parsed.value, {
		mayRefuse: source.layer === "project",
		isOther: source.program !== undefined,
	});
	// An unknown setting in another program's file is not a mistake.
	const about = source.isForeign ? findings.filter(({ kind }) => kind !== "unknown") : findings;
	// Cut before the lines are looked up: each look-up walks through the file.
	const reported = about.slice(0, limits.problems);
	const twice = isJson(source.path) || !seemsRepeated(text) ? [] : await repeated(source, text);
	return {
		layer: {
			name: source.layer,
			file: source.path,
			values,
			lineOf: async (path) => (await positions(text))(paths.get(path.join(".")) ?? path),
		},
		problems: [...twice, ...(await placed(source, text, reported))].slice(0, limits.problems),
	};
}

function absent(source: Source): ReadLayer {
	return { layer: emptyLayer(source), problems: [unreadable(source, "file not found")] };
}

function isJson(path: string): boolean {
	return /\.jsonc?$/i.test(path);
}

function parse(path: string, text: string): { ok: true; value: unknown } | { ok: false; error: unknown } {
	try {
		const body = withoutMark(text);
		// Comments and trailing commas are common in files that are edited by hand.
		if (isJson(path)) return { ok: true, value: body.trim() === "" ? null : Bun.JSONC.parse(body) };
		return { ok: true, value: Bun.YAML.parse(body) };
	} catch (error) {
		return { ok: false, error };
	}
}

/** Removes the byte order mark that some editors write. */
export function withoutMark(text: string): string {
	return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function emptyLayer(source: Source): Layer {
	return { name: source.layer, file: source.path, values: new Map(), lineOf: async () => undefined };
}

function problemAt(
	{ path, layer, isForeign }: Source,
	about: Pick<SettingProblem, "kind" | "message"> & Partial<SettingProblem>,
): SettingProblem {
	return { file: path, layer, isForeign, isSlip: false, ...about };
}

function unreadable(source: Source, message: string): SettingProblem {
	return problemAt(source, { kind: "unreadable", message });
}

async function syntaxProblem(source: Source, text: string, error: unknown): Promise<SettingProblem> {
	if (isJson(source.path)) {
		return unreadable(source, `is not valid JSON: ${parseFailure(error, text)}`);
	}
	const { syntaxProblem: find } = await import("./yaml-positions.ts");
	return problemAt(source, { kind: "unreadable", ...find(source.path, withoutMark(text), error) });
}

async function repeated(source: Source, text: string): Promise<SettingProblem[]> {
	const { repeatedKeys } = await import("./yaml-positions.ts");
	return repeatedKeys(withoutMark(text)).map(({ key, line }) =>
		problemAt(source, { kind: "twice", field: key, line, message: "it appears twice; the last one is used" }),
	);
}

async function positions(text: string): Promise<(path: readonly (string | number)[]) => number | undefined> {
	const { linesOf } = await import("./yaml-positions.ts");
	return linesOf(withoutMark(text), true);
}

async function placed(source: Source, text: string, findings: readonly Finding[]): Promise<SettingProblem[]> {
	if (findings.length === 0) return [];
	const lineOf = await positions(text);
	return findings.map(({ kind, path, message, isSlip = false }) => {
		const line = lineOf(path);
		const field = path.join(".");
		return problemAt(source, { kind, message, field, isSlip, ...(line === undefined ? {} : { line }) });
	});
}

const keyLine = /^( *)(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#'"[{-][^:#\n]*?)) *:(?=\s|$)/gm;

/**
 * Guesses, without a parser, whether a YAML text repeats a key: the fast parser silently uses the last one. A text block
 * may look like keys, so true means only that a real check is needed.
 */
export function seemsRepeated(text: string): boolean {
	/** The keys seen in each open group, by its indentation. */
	const open = new Map<number, Set<string>>();
	for (const [, indent = "", ...names] of text.matchAll(keyLine)) {
		const depth = indent.length;
		for (const other of open.keys()) if (other > depth) open.delete(other);
		const key = names.find((name) => name !== undefined) ?? "";
		const seen = open.get(depth) ?? new Set<string>();
		if (seen.has(key)) return true;
		open.set(depth, seen.add(key));
	}
	return false;
}
