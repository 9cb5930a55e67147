/** A notebook as a value: its cells, and the three ways to change them. */
import { shortId, isRecord } from "@tau/utils";

export type CellType = "code" | "markdown" | "raw";

export interface Notebook {
	cells: Record<string, unknown>[];
	[key: string]: unknown;
}

export interface CellChange {
	action: "edit" | "insert" | "delete";
	index: number;
	content?: string | undefined;
	type?: CellType | undefined;
}

export interface CellFacts {
	cellType: string;
	cellSource: string;
	/** The text of the cell before and after the change; a new or deleted cell has none on one side. */
	before: string;
	after: string;
	totalCells: number;
}

export type Outcome<T> = { ok: true; value: T } | { ok: false; reason: string };

export function parseNotebook(text: string): Outcome<Notebook> {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		return wrong(`it is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (!isRecord(value)) return wrong("it is not an object");
	const { cells } = value;
	if (!Array.isArray(cells)) return wrong('it has no "cells"');
	return cells.every(isRecord) ? { ok: true, value: { ...value, cells } } : wrong("a cell is not an object");
}

/** The indentation of the file is preserved, so that a diff shows the change alone. */
export function printNotebook(notebook: Notebook, before: string): string {
	const indent = /^\{\r?\n([ \t]+)/.exec(before)?.[1] ?? " ";
	return JSON.stringify(notebook, null, indent) + (before.endsWith("\n") ? "\n" : "");
}

/** Changes the notebook in place. */
export function changeCell(notebook: Notebook, change: CellChange): Outcome<CellFacts> {
	const { cells } = notebook;
	const last = change.action === "insert" ? cells.length : cells.length - 1;
	if (change.index > last) {
		return wrong(
			last < 0
				? "it has no cells yet; insert one"
				: `cell_index ${change.index} is out of range: 0 to ${last}`,
		);
	}
	if (change.action !== "delete" && change.content === undefined)
		return wrong(`${change.action} needs content`);
	const source = sourceLines(change.content ?? "");
	if (change.action === "insert") {
		const made = newCell(notebook, change.type ?? "code", source);
		cells.splice(change.index, 0, made);
		return facts(made, cells.length, { before: "", after: sourceText(source) });
	}
	const cell = cells[change.index] ?? {};
	const before = sourceText(cell.source);
	if (change.action === "delete") cells.splice(change.index, 1);
	else {
		cell.source = source;
		if (change.type !== undefined && change.type !== cell.cell_type) retype(cell, change.type);
	}
	return facts(cell, cells.length, {
		before,
		after: change.action === "delete" ? "" : sourceText(source),
	});
}

/** Every line but the last keeps its break, as notebooks have it. */
export function sourceLines(content: string): string[] {
	return content === "" ? [] : content.split(/(?<=\n)/);
}

function sourceText(source: unknown): string {
	return Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "";
}

function newCell(notebook: Notebook, type: CellType, source: string[]): Record<string, unknown> {
	const cell: Record<string, unknown> = { cell_type: type };
	if (type === "code") cell.execution_count = null;
	if (hasIds(notebook)) cell.id = shortId();
	cell.metadata = {};
	if (type === "code") cell.outputs = [];
	cell.source = source;
	return cell;
}

/** Only code cells have outputs; a notebook with outputs on other cells is not valid. */
function retype(cell: Record<string, unknown>, type: CellType): void {
	cell.cell_type = type;
	if (type === "code") {
		cell.execution_count ??= null;
		cell.outputs ??= [];
	} else {
		delete cell.execution_count;
		delete cell.outputs;
	}
}

/** Since 4.5 every cell has one. */
function hasIds({ nbformat, nbformat_minor: minor }: Notebook): boolean {
	const version = typeof nbformat === "number" ? nbformat : 4;
	return version > 4 || (version === 4 && typeof minor === "number" && minor >= 5);
}

function facts(
	cell: Record<string, unknown>,
	totalCells: number,
	change: Pick<CellFacts, "before" | "after">,
): Outcome<CellFacts> {
	const cellType = typeof cell.cell_type === "string" ? cell.cell_type : "unknown";
	return { ok: true, value: { cellType, cellSource: sourceText(cell.source), totalCells, ...change } };
}

function wrong(reason: string): { ok: false; reason: string } {
	return { ok: false, reason };
}
