/** What the model has made, beside the conversation: pages and drawings in a frame of their own, tables and text here. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { csvRows } from "../parts/csv.ts";
import { saveFile } from "../parts/save-file.ts";
import { Table } from "../parts/table.tsx";
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
				<option key={at} value={at}>{`Version ${shown.left + at + 1}`}</option>
			))}
		</select>
	);
}

function View({ type, text, title }: { type: Artifact["type"]; text: string; title: string }): JSX.Element {
	if (text.length > limits.artifactBytes)
		return (
			<p class="notice">{`This document is larger than ${limits.artifactBytes >> 20} MB: download it to see it.`}</p>
		);
	if (type === "markdown") return <Markdown text={text} />;
	if (type === "csv") return <CsvTable text={text} isTabbed={title.endsWith(".tsv")} />;
	return <ArtifactFrame text={text} title={title} />;
}

function CsvTable({ text, isTabbed }: { text: string; isTabbed: boolean }): JSX.Element {
	const { head, rows, left } = useMemo(() => csvRows(text, isTabbed ? "\t" : ","), [text, isTabbed]);
	return (
		<>
			<Table head={head} rows={rows} />
			{left > 0 && <p class="muted">{left} more rows: download the file to see them.</p>}
		</>
	);
}

function download({ title, type }: Artifact, text: string): void {
	const name = title.split("/").at(-1) || "document";
	const content = new Blob([text], { type: "application/octet-stream" });
	saveFile(name.includes(".") ? name : `${name}.${endings[type]}`, content);
}
