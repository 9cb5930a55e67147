/** A change of files, in one column or with the old beside the new. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { sideBySide } from "../store/preferences.ts";
import {
	changedWords,
	diffPairs,
	diffRows,
	type DiffPair,
	type DiffRow,
	type WordPart,
} from "./diff-rows.ts";
import { languageOf } from "../markdown/languages.ts";

/** `isWhole`: nothing is folded, because the reader decides by it. */
export function DiffView({ text, isWhole = false }: { text: string; isWhole?: boolean }): JSX.Element {
	const all = useMemo(() => diffRows(text), [text]);
	const [isOpen, setOpen] = useState(isWhole);
	const rows = isOpen ? all : all.slice(0, limits.diffRows);
	const colors = useColors(rows);
	return (
		<div class="diff">
			<div class="diff-tools">
				<button
					type="button"
					class="link"
					aria-pressed={sideBySide.value}
					onClick={() => (sideBySide.value = !sideBySide.value)}
				>
					{sideBySide.value ? "Inline" : "Side by side"}
				</button>
			</div>
			<div class="diff-scroll" tabIndex={0} role="region" aria-label="Changes">
				{sideBySide.value ? <Pairs rows={rows} colors={colors} /> : <Lines rows={rows} colors={colors} />}
			</div>
			{rows.length < all.length && (
				<button type="button" class="link" onClick={() => setOpen(true)}>
					Show {all.length - rows.length} more lines
				</button>
			)}
		</div>
	);
}

/** Colors come when the language is loaded. */
function useColors(rows: readonly DiffRow[]): ColoredLines {
	const [colors, setColors] = useState<ColoredLines>(new Map());
	useEffect(() => {
		let isGone = false;
		void coloredLines(rows).then((made) => {
			if (!isGone && made.size > 0) setColors(made);
		});
		return () => {
			isGone = true;
		};
	}, [rows.length, rows[0]]);
	return colors;
}

interface RowsProps {
	rows: readonly DiffRow[];
	colors: ColoredLines;
}

function Lines({ rows, colors }: RowsProps): JSX.Element {
	const words = useMemo(() => wordsOf(diffPairs(rows)), [rows]);
	return (
		<table class="diff-lines">
			<tbody>
				{rows.map((row, at) =>
					row.kind === "file" || row.kind === "gap" ? (
						<tr key={at} class={`diff-${row.kind}`}>
							<td colSpan={3}>{row.text || "⋯"}</td>
						</tr>
					) : (
						<tr key={at} class={`diff-${row.kind}`}>
							<td class="diff-number">{row.now ?? row.old ?? ""}</td>
							<td class="diff-sign">{signs[row.kind]}</td>
							<td class="diff-text">
								<LineText row={row} colors={colors} words={words} />
							</td>
						</tr>
					),
				)}
			</tbody>
		</table>
	);
}

const signs = { same: "", added: "+", removed: "−" } as const;

function Pairs({ rows, colors }: RowsProps): JSX.Element {
	const pairs = useMemo(() => diffPairs(rows), [rows]);
	const words = useMemo(() => wordsOf(pairs), [pairs]);
	return (
		<table class="diff-lines diff-pairs">
			<tbody>
				{pairs.map(({ left, right }, at) => {
					const wide = left?.kind === "file" || left?.kind === "gap" ? left : undefined;
					return wide ? (
						<tr key={at} class={`diff-${wide.kind}`}>
							<td colSpan={4}>{wide.text || "⋯"}</td>
						</tr>
					) : (
						<tr key={at}>
							<Side row={left} colors={colors} words={words} isOld />
							<Side row={right} colors={colors} words={words} />
						</tr>
					);
				})}
			</tbody>
		</table>
	);
}

type Words = ReadonlyMap<DiffRow, readonly WordPart[]>;

function Side({
	row,
	colors,
	words,
	isOld = false,
}: {
	row: DiffRow | undefined;
	colors: ColoredLines;
	words: Words;
	isOld?: boolean;
}): JSX.Element {
	if (!row || row.kind === "file" || row.kind === "gap") return <td class="diff-none" colSpan={2} />;
	return (
		<>
			<td class={`diff-number diff-${row.kind}`}>{(isOld ? row.old : row.now) ?? ""}</td>
			<td class={`diff-text diff-${row.kind}`}>
				<LineText row={row} colors={colors} words={words} />
			</td>
		</>
	);
}

function LineText({ row, colors, words }: { row: DiffRow; colors: ColoredLines; words: Words }): JSX.Element {
	const parts = words.get(row);
	if (parts)
		return <>{parts.map(({ text, isChanged }, at) => (isChanged ? <mark key={at}>{text}</mark> : text))}</>;
	const pieces = colors.get(row);
	if (!pieces) return <>{row.text}</>;
	return (
		<>
			{pieces.map(({ text, scope }, at) =>
				scope === undefined ? (
					text
				) : (
					<span key={at} class={scope}>
						{text}
					</span>
				),
			)}
		</>
	);
}

function wordsOf(pairs: readonly DiffPair[]): Words {
	const words = new Map<DiffRow, readonly WordPart[]>();
	for (const { left, right } of pairs) {
		if (left?.kind !== "removed" || right?.kind !== "added") continue;
		const changed = changedWords(left.text, right.text);
		if (changed) words.set(left, changed.left).set(right, changed.right);
	}
	return words;
}

interface ColoredPiece {
	readonly text: string;
	readonly scope: string | undefined;
}

type ColoredLines = ReadonlyMap<DiffRow, readonly ColoredPiece[]>;

const mostLines = 400;

/** Each line by itself: what a diff leaves out may have opened a comment, and a wrong color is worse than none. */
async function coloredLines(rows: readonly DiffRow[]): Promise<ColoredLines> {
	const lines = new Map<DiffRow, readonly ColoredPiece[]>();
	let language: string | undefined;
	for (const row of rows.slice(0, mostLines)) {
		if (row.kind === "file") language = languageOf(row.text.split(".").at(-1) ?? "");
		else if (row.kind !== "gap" && language !== undefined && row.text.trim() !== "") {
			const { highlighted } = await import("../markdown/highlight.ts");
			const nodes = await highlighted(row.text, language);
			if (nodes) lines.set(row, piecesOf(nodes));
		}
	}
	return lines;
}

function piecesOf(nodes: Node): ColoredPiece[] {
	return [...nodes.childNodes].map((node) => ({
		text: node.textContent ?? "",
		scope: node instanceof HTMLElement ? node.className : undefined,
	}));
}
