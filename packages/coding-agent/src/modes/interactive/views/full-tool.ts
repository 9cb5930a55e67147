/** The condensed way to show a tool: what is called in a line, and of the result only what one must see. */
import type { AgentToolResult } from "@tau/agent";
import { Container, truncateToWidth, wrapTextWithAnsi, type Component, type Theme } from "@tau/tui";
import { oneLine, stripControls } from "@tau/utils";

import { builtinTools } from "../../../tools/index.ts";
import { limits } from "../limits.ts";
import type { ToolRenderContext, ToolRenderer } from "../tool-view.ts";
import { codeRows, diffRows } from "./code.ts";
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
		// Nothing is kept.
	}
}

export function condensed(name: string, phase: string): Required<ToolRenderer> {
	return {
		renderCall: (args, theme, context) =>
			new Rows((width) => [callRow(name, args, theme, context, phase, width)]),
		renderResult: (result, { expanded }, theme, context) =>
			resultView(name, result, expanded, theme, context),
	};
}

function callRow(
	name: string,
	args: Record<string, unknown>,
	theme: Theme,
	context: ToolRenderContext,
	phase: string,
	width: number,
): string {
	const described = describe(name, args);
	const space = described.search(/\s/);
	const verb = space < 0 ? described : described.slice(0, space);
	const rest = space < 0 ? "" : described.slice(space);
	const { isPartial, isError, elapsedMs } = context;
	const time = isPartial
		? elapsedMs >= limits.shownDurationMs
			? theme.fg("muted", ` ${elapsed(elapsedMs)}`)
			: ""
		: elapsedMs >= limits.shownDurationMs
			? theme.fg("dim", ` ${duration(elapsedMs)}`)
			: "";
	const sign = signOf(theme, context, phase);
	const title = isError ? theme.fg("error", verb) : theme.fg("toolTitle", theme.bold(verb));
	const room = Math.max(4, width - 3 - (time === "" ? 0 : 8));
	return ` ${sign} ${truncateToWidth(title + theme.fg("muted", rest), room)}${time}`;
}

function signOf(theme: Theme, { isPartial, isError, spinner }: ToolRenderContext, phase: string): string {
	if (phase === "dropped") return theme.fg("dim", "·");
	if (!isPartial) return isError ? theme.fg("error", "✗") : theme.fg("success", "✓");
	return phase === "running" ? theme.fg("accent", spinner) : theme.fg("dim", "·");
}

/** One clean line, also for a tool that is not built in. */
export function describe(name: string, args: Record<string, unknown>): string {
	const known = builtinTools.find((tool) => tool.name === name);
	if (known) return known.describeCall(args);
	const words = Object.entries(args).map(([key, value]) => `${key}: ${shortValue(value)}`);
	return oneLine(`${name} ${words.join(", ")}`.trim(), limits.lineChars);
}

function shortValue(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function resultView(
	name: string,
	result: AgentToolResult,
	expanded: boolean,
	theme: Theme,
	context: ToolRenderContext,
): Component {
	const changed =
		context.isPartial || context.isError ? undefined : changedFiles(name, result, expanded, theme, context);
	if (changed) return changed;
	const text = stripControls(textOf(result)).trimEnd();
	if (text === "") return new Container();
	if (expanded) return lines(text, limits.resultLines, "first", theme, "toolOutput");
	if (context.isPartial) return lines(text, limits.liveLines, "last", theme, "dim");
	return context.isError ? lines(text, limits.failedLines, "last", theme, "error") : new Container();
}

/** What was done to files is worth seeing: a new file as code, a change as a diff. */
function changedFiles(
	name: string,
	{ details }: AgentToolResult,
	expanded: boolean,
	theme: Theme,
	{ args }: ToolRenderContext,
): Component | undefined {
	if (!isRecord(details)) return undefined;
	if (name === "write" && details.created === true) return written(args, expanded, theme);
	return typeof details.diff === "string" && details.diff !== ""
		? changes(details.diff, args.path, expanded, theme)
		: undefined;
}

function changes(diff: string, path: unknown, expanded: boolean, theme: Theme): Component {
	return new Rows((width) => {
		const rows = diffRows(diff, path, theme, Math.max(1, width - 3)).map((row) => `   ${row}`);
		return expanded ? rows : cut(rows, limits.diffRows, theme);
	});
}

function written(args: Record<string, unknown>, expanded: boolean, theme: Theme): Component {
	const { path, content } = args;
	if (typeof path !== "string" || typeof content !== "string") return new Container();
	return new Rows((width) => {
		const most = expanded ? limits.resultLines : limits.writtenLines;
		const all = content.replace(/\n$/, "").split("\n");
		const shown = codeRows(all.slice(0, most), path, theme);
		const rows = shown.map((row) => `   ${truncateToWidth(row, Math.max(1, width - 3))}`);
		const left = all.length - shown.length;
		return left > 0 ? [...rows, theme.fg("dim", `   … ${plural(left, "more line")}`)] : rows;
	});
}

function cut(rows: string[], most: number, theme: Theme): string[] {
	if (rows.length <= most + 1) return rows;
	return [...rows.slice(0, most), theme.fg("dim", `   … ${plural(rows.length - most, "more row")}`)];
}

function lines(
	text: string,
	most: number,
	which: "first" | "last",
	theme: Theme,
	color: "dim" | "error" | "toolOutput",
): Component {
	return new Rows((width) => {
		const inner = Math.max(1, width - 3);
		const all = text.split("\n");
		const kept = which === "last" ? all.slice(-most) : all.slice(0, most);
		const more = all.length - kept.length;
		const note =
			more > 0
				? [theme.fg("dim", `   … ${plural(more, which === "last" ? "earlier line" : "more line")}`)]
				: [];
		const wrapped = kept.flatMap((line) =>
			which === "last" ? [truncateToWidth(line, inner)] : wrapTextWithAnsi(line, inner),
		);
		const rows = wrapped.map((row) => `   ${theme.fg(color, row)}`);
		return which === "last" ? [...note, ...rows] : [...rows, ...note];
	});
}

function textOf({ content }: AgentToolResult): string {
	return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
