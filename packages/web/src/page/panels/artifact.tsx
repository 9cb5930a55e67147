/** What the model has made, beside the conversation: pages and drawings in a frame of their own, tables and text here. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";

import { Markdown } from "../markdown/markdown.tsx";
import { saveFile } from "../parts/save-file.ts";
import { artifact, type Artifact } from "../store/artifacts.ts";
import { attempt, toast } from "../store/toasts.ts";
import { ArtifactFrame } from "./artifact-frame.tsx";

const endings = { html: "html", svg: "svg", csv: "csv", markdown: "md" } as const;

export function ArtifactPanel(): JSX.Element {
	const shown = artifact.value;
	const [isSource, setSource] = useState(false);
	if (!shown)
		return (
			<p class="muted">Open a document from the conversation: HTML, SVG, Markdown and CSV have a button.</p>
		);
	const text = shown.versions[shown.at] ?? "";
	const copy = async (): Promise<void> => {
		const copied = navigator.clipboard.writeText(text).then(() => true);
		if (await attempt(copied)) toast("Copied.", "success");
	};
	return (
		<div class="artifact">
			<div class="actions">
				<strong class="artifact-title">{shown.title}</strong>
				{shown.versions.length > 1 && <Versions shown={shown} />}
				<button type="button" class="chip" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
					{isSource ? "View" : "Source"}
				</button>
				<button type="button" class="chip" onClick={() => void copy()}>
					Copy
				</button>
				<button type="button" class="chip" onClick={() => download(shown, text)}>
					Download
				</button>
			</div>
			{isSource ? (
				<pre class="artifact-source" tabIndex={0}>
					{text}
				</pre>
			) : (
				<View key={`${shown.title} ${shown.at}`} type={shown.type} text={text} title={shown.title} />
			)}
		</div>
	);
}

function Versions({ shown }: { shown: Artifact }): JSX.Element {
	return (
		<select
			class="versions"
			aria-label="Version"
			value={shown.at}
			onChange={(event) => (artifact.value = { ...shown, at: Number(event.currentTarget.value) })}
		>
			{shown.versions.map((_, at) => (
				<option key={at} value={at}>{`Version ${at + 1}`}</option>
			))}
		</select>
	);
}

function View({ type, text, title }: { type: Artifact["type"]; text: string; title: string }): JSX.Element {
	if (type === "markdown") return <Markdown text={text} />;
	if (type === "csv") return <Table text={text} isTabbed={title.endsWith(".tsv")} />;
	return <ArtifactFrame text={text} title={title} />;
}

function Table({ text, isTabbed }: { text: string; isTabbed: boolean }): JSX.Element {
	const { head, rows, left } = useMemo(() => csvRows(text, isTabbed ? "\t" : ","), [text, isTabbed]);
	return (
		<div class="table-scroll block" tabIndex={0} role="region" aria-label="Table">
			<table>
				<thead>
					<tr>
						{head.map((cell, at) => (
							<th key={at}>{cell}</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, at) => (
						<tr key={at}>
							{row.map((cell, column) => (
								<td key={column}>{cell}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
			{left > 0 && <p class="muted">{left} more rows: download the file to see them.</p>}
		</div>
	);
}

function download({ title, type }: Artifact, text: string): void {
	const name = title.split("/").at(-1) || "document";
	const content = new Blob([text], { type: "application/octet-stream" });
	saveFile(name.includes(".") ? name : `${name}.${endings[type]}`, content);
}

const mostRows = 500;
const mostColumns = 60;

/** Reads a table of comma-separated values: quoted cells may hold commas, quotes and lines. */
function csvRows(text: string, separator: string): { head: string[]; rows: string[][]; left: number } {
	const all: string[][] = [];
	let [row, cell, isQuoted, left] = [[] as string[], "", false, 0];
	const endCell = (): void => {
		if (row.length < mostColumns) row.push(cell);
		cell = "";
	};
	const endRow = (): void => {
		endCell();
		if (row.length === 1 && row[0] === "") row = [];
		else if (all.length <= mostRows) all.push(row);
		else left++;
		row = [];
	};
	for (let at = 0; at < text.length; at++) {
		const char = text.charAt(at);
		if (isQuoted) {
			if (char !== '"') cell += char;
			else if (text.charAt(at + 1) === '"') {
				cell += char;
				at++;
			} else isQuoted = false;
		} else if (char === '"' && cell === "") isQuoted = true;
		else if (char === separator) endCell();
		else if (char === "\n") endRow();
		else if (char !== "\r") cell += char;
	}
	if (cell !== "" || row.length > 0) endRow();
	const [head = [], ...rows] = all;
	return { head, rows, left };
}
