/** Reads text: small files completely, so that they can be edited afterwards, large ones only as requested. */
import type { AgentToolResult } from "@tau/agent";
import { conflictsOf } from "../files/conflicts.ts";
import { editMode } from "../files/edit-mode.ts";
import { hashlineHeader } from "../files/hashline.ts";
import { unify } from "../files/line-ends.ts";
import { recordRead } from "../files/snapshots.ts";
import { shownName } from "../find/shown-path.ts";
import type { ToolEnv } from "../tool/env.ts";
import { errorResult } from "../tool/result.ts";
import { rangeOf, type ReadRequest } from "./read-request.ts";
import { decodeText, isBinary, utf16Of, type Decoded } from "./decode.ts";
import { humanSize } from "./human-size.ts";
import { limits } from "./limits.ts";
import { Page } from "./page.ts";
import { empty, linesOf, showPage, showText, type Lines, type TextFacts } from "./show-text.ts";
import type { Source } from "./source.ts";
import { streamLines } from "./stream-lines.ts";

export async function readText(source: Source, request: ReadRequest, env: ToolEnv): Promise<AgentToolResult> {
	const { shown, head } = source;
	if (isBinary(head)) return errorResult(aboutBinary(source));
	const asRange = rangeOf(shown, request, "lines");
	if (!asRange.ok) return errorResult(asRange.reason);
	const lines = linesOf(request, asRange.range);
	const bytes = await source.bytes(limits.wholeBytes);
	if (bytes) return await showWhole(source, decodeText(bytes), lines, env);
	if (utf16Of(head)) {
		return errorResult(
			`${shown} is UTF-16 text of ${humanSize(source.size)}. Convert it with iconv, then read the result.`,
		);
	}
	return showPart(source, lines, styleOf(env));
}

function styleOf({ readsPlainText }: ToolEnv): "numbered" | "raw" {
	return readsPlainText === true ? "raw" : "numbered";
}

async function showWhole(
	source: Source,
	{ text, note }: Decoded,
	lines: Lines,
	env: ToolEnv,
): Promise<AgentToolResult> {
	const { shown, editable } = source;
	const notes = note === undefined ? [] : [note];
	// A source that differs from the text on disk cannot be edited through it.
	const isExact = editable !== undefined && note === undefined;
	const style = styleOf(env);
	if (!isExact) return showText(text, lines, { shown, style, notes, ...kindOf(source) });
	const tag = await recordRead(env, editable, text);
	const conflicts = aboutConflicts(shown, editable, text, env);
	const facts: TextFacts = { shown, style, notes: conflicts, details: { path: editable, tag } };
	if (style === "raw" || editMode(env) !== "hashline") return showText(text, lines, facts);
	const header = hashlineHeader(shownName(shown), tag);
	return showText(text, lines, { ...facts, style: "hashline", header });
}

/** A file of the session itself, such as an artifact, holds what a command wrote. */
function kindOf({ path, editable }: Source): Pick<TextFacts, "isOutput"> {
	return path !== undefined && editable === undefined ? { isOutput: true } : {};
}

/** Each gets a number that `write` takes. */
function aboutConflicts(shown: string, absolute: string, text: string, env: ToolEnv): string[] {
	const conflicts = conflictsOf(env).record(shown, absolute, unify(text).text);
	if (conflicts.length === 0) return [];
	const named = conflicts
		.slice(0, limits.suggestions)
		.map(({ id, line }) => `conflict://${id} (line ${line})`);
	const more = conflicts.length > named.length ? ` and ${conflicts.length - named.length} more` : "";
	return [`merge conflicts: ${named.join(", ")}${more}; write to one to resolve it`];
}

async function showPart(
	source: Source,
	{ first, limit }: Lines,
	style: "numbered" | "raw",
): Promise<AgentToolResult> {
	const { shown, size } = source;
	const page = new Page(style, first, limit, kindOf(source).isOutput);
	const countAll = size <= limits.countedBytes;
	const before = await source.countLines?.(first - 1, countAll);
	const streamed = before
		? await streamLines(source.chunks(before.bytes), page, false, before.lines + 1)
		: await streamLines(source.chunks(), page, countAll);
	const total = before?.total ?? streamed.total;
	const facts: TextFacts = { shown, style, details: { path: source.name, bytes: size } };
	if (total === 0) return empty(facts);
	return showPage(page, total === undefined ? { size: humanSize(size) } : { total }, facts);
}

/** Hints for opening files that are not text. */
const openers: readonly [magic: readonly number[], hint: (path: string) => string][] = [
	[[0x1f, 0x8b], (path) => `gzip -dc ${path} | head`],
	[[0xfd, 0x37, 0x7a, 0x58], (path) => `xz -dc ${path} | head`],
	[[0x42, 0x5a, 0x68], (path) => `bzip2 -dc ${path} | head`],
	[[0x28, 0xb5, 0x2f, 0xfd], (path) => `zstd -dc ${path} | head`],
	[[0x37, 0x7a, 0xbc, 0xaf], (path) => `7z l ${path}`],
];

function aboutBinary({ shown, head, size }: Source): string {
	const hint = openers.find(([magic]) => magic.every((byte, at) => head[at] === byte))?.[1];
	const way = hint?.(shown) ?? `file ${shown}, or xxd ${shown} | head`;
	return `Cannot read binary file ${shown} (${humanSize(size)}). Inspect it with bash: ${way}`;
}
