/** Tau's own rendering of a tool: the call in a line, and below it the result, up to a limit. */
import type { AgentToolResult } from "@tau/agent";
import {
	Container,
	diffIn,
	expandTabs,
	truncateToWidth,
	visibleWidth,
	wrapHanging,
	type Component,
	type Theme,
} from "@tau/tui";
import { oneLine, stripControls, textsAt } from "@tau/utils";
import {
	describeToolCall,
	type ResultBounds,
	type ToolCallState,
	type ToolRenderContext,
} from "@tau/extensions/api";

import { limits } from "../limits.ts";
import { cellOf, codeRows, diffRows } from "./code.ts";
import { duration, elapsed, plural } from "./format.ts";

/** Rows that are made for a width, once. */
class Rows implements Component {
	readonly #make: (width: number) => string[];

	constructor(make: (width: number) => string[]) {
		this.#make = make;
	}

	render(width: number): string[] {
		return this.#make(width);
	}

	invalidate(): void {
		// There is no cache to clear.
	}
}

export function fullCall(theme: Theme, context: ToolRenderContext): Component {
	return new Rows((width) => [callRow(theme, context, width)]);
}

function callRow(theme: Theme, context: ToolRenderContext, width: number): string {
	const described = describeToolCall(context.toolName, context.args);
	const [verb = described] = described.split(/\s/, 1);
	const { isPartial, isError, elapsedMs } = context;
	const time = elapsedMs < limits.shownDurationMs ? "" : ` ${(isPartial ? elapsed : duration)(elapsedMs)}`;
	const title = isError ? theme.fg("error", verb) : theme.fg("toolTitle", theme.bold(verb));
	const rest = theme.fg("muted", described.slice(verb.length));
	const denied = isPartial ? [] : textsAt(context.result?.details, "sandboxSubjects");
	const end = denied.length === 0 ? "" : ` · sandbox: ${oneLine(denied.join(", "), limits.deniedChars)}`;
	const room = Math.max(4, width - 3 - time.length - visibleWidth(end));
	const sign = denied.length > 0 && !isError ? theme.fg("warning", "!") : signOf(theme, context);
	const what = truncateToWidth(title + rest, room);
	return truncateToWidth(` ${sign} ${what}${theme.fg("warning", end)}${theme.fg("dim", time)}`, width);
}

function signOf(theme: Theme, context: ToolRenderContext): string {
	if (context.isDropped) return theme.fg("dim", "·");
	if (!context.isPartial) return context.isError ? theme.fg("error", "✗") : theme.fg("success", "✓");
	return context.executionStarted ? theme.fg("accent", context.spinner) : theme.fg("dim", "·");
}

/** The result of a tool. Without limits, it shows as much as the user has chosen to see. */
export function fullResult(
	{ args, isPartial, isError }: ToolCallState,
	result: AgentToolResult,
	bounds: ResultBounds,
	theme: Theme,
): Component {
	const changed = isPartial || isError ? undefined : changedFiles(args, result, bounds, theme);
	if (changed) return changed;
	const cell = cellOf(args);
	if (cell) {
		const all = new Container();
		all.addChild(code(cell.code, cell.path, bounds.most, theme));
		all.addChild(output({ isPartial, isError }, result, bounds, theme));
		return all;
	}
	return output({ isPartial, isError }, result, bounds, theme);
}

function output(
	{ isPartial, isError }: Pick<ToolCallState, "isPartial" | "isError">,
	result: AgentToolResult,
	bounds: ResultBounds,
	theme: Theme,
): Component {
	const text = stripControls(textOf(result)).trimEnd();
	if (text === "") return new Container();
	const cut = isPartial ? "" : cutNote(result);
	const isReason = isError && !isPartial ? reasonRow(text, result) : () => false;
	const color = isPartial ? "dim" : "toolOutput";
	return lines(text, bounds, theme, { color: (row) => (isReason(row) ? "error" : color), cut });
}

/** The tool's own note about omissions is in the middle of its text, where it may not be visible. */
function cutNote({ details }: AgentToolResult): string {
	if (!isRecord(details) || details.truncated !== true) return "";
	const { artifactId } = details;
	return ` · truncated${typeof artifactId === "string" ? `, all of it is in artifact://${artifactId}` : ""}`;
}

/** Which rows of a failed result say that it failed: of a command only the end, because the rest is its output. */
function reasonRow(text: string, { details }: AgentToolResult): (row: number) => boolean {
	if (!isRecord(details) || !("exitCode" in details)) return () => true;
	const from = text.slice(0, text.lastIndexOf("\n\n") + 2).split("\n").length - 1;
	return (row) => row >= from;
}

/** The default limits: a failed or partial result shows its end, which holds the cause or the newest output. */
export function usualBounds({
	isPartial,
	isError,
	expanded,
}: Pick<ToolRenderContext, "isPartial" | "isError" | "expanded">): ResultBounds {
	if (expanded) return { most: limits.resultLines, from: "start" };
	return { most: limits.fullLines, from: isPartial || isError ? "end" : "start" };
}

/** What was done to files is worth seeing: a new file as code, a change as a diff. */
function changedFiles(
	args: Record<string, unknown>,
	{ details }: AgentToolResult,
	{ most }: ResultBounds,
	theme: Theme,
): Component | undefined {
	if (!isRecord(details)) return undefined;
	// A call that created a file and has its whole text.
	if (details.created === true && typeof args.content === "string") return written(args, most, theme);
	const diff = diffIn(details);
	return diff === undefined ? undefined : changes(diff, args.path, most, theme);
}

function changes(diff: string, path: unknown, most: number, theme: Theme): Component {
	return new Rows((width) => {
		const rows = diffRows(diff, path, theme, Math.max(1, width - 3)).map((row) => `   ${row}`);
		if (rows.length <= most + 1) return rows;
		return [...rows.slice(0, most), theme.fg("dim", `   … ${plural(rows.length - most, "more row")}`)];
	});
}

function written(args: Record<string, unknown>, most: number, theme: Theme): Component {
	const { path, content } = args;
	if (typeof path !== "string" || typeof content !== "string") return new Container();
	return code(content, path, most, theme);
}

function code(content: string, path: string, most: number, theme: Theme): Component {
	return new Rows((width) => {
		const all = content.replace(/\n$/, "").split("\n");
		const shown = codeRows(all.slice(0, most), path, theme);
		const rows = shown.map((row) => `   ${truncateToWidth(row, Math.max(1, width - 3))}`);
		const left = all.length - shown.length;
		return left > 0 ? [...rows, theme.fg("dim", `   … ${plural(left, "more line")}`)] : rows;
	});
}

/** The end of a text shows its progress: each line in a row. */
function lines(
	text: string,
	{ most, from }: ResultBounds,
	theme: Theme,
	{ color, cut }: { color: (row: number) => "dim" | "error" | "toolOutput"; cut: string },
): Component {
	return new Rows((width) => {
		const inner = Math.max(1, width - 3);
		const all = text.split("\n");
		const kept = from === "end" ? all.slice(-most) : all.slice(0, most);
		const more = all.length - kept.length;
		const label = plural(more, from === "end" ? "earlier line" : "more line");
		const note = more > 0 ? [truncateToWidth(theme.fg("dim", `   … ${label}${cut}`), width)] : [];
		const first = from === "end" ? more : 0;
		const rows = kept.flatMap((line, at) => {
			const wrapped = from === "end" ? [truncateToWidth(line, inner)] : hangingRows(line, inner);
			return wrapped.map((row) => `   ${theme.fg(color(first + at), row)}`);
		});
		return from === "end" ? [...note, ...rows] : [...rows, ...note];
	});
}

/** What continues a line is below its text, not below its number or its indentation. */
function hangingRows(line: string, width: number): string[] {
	const expanded = expandTabs(line);
	const [head = ""] = /^ *(?:\d+ {2})? */.exec(expanded) ?? [];
	return wrapHanging(head, expanded.slice(head.length), width);
}

function textOf({ content }: AgentToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
