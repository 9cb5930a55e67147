/** What the model has made, beside the conversation: pages and drawings in a frame of their own, tables and text here. */
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { limits } from "../limits.ts";
import { languageOf } from "../markdown/languages.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { bytesOf } from "../parts/base64.ts";
import { csvRows } from "../parts/csv.ts";
import { saveFile } from "../parts/save-file.ts";
import { Table } from "../parts/table.tsx";
import { artifact, type Artifact } from "../store/artifacts.ts";
import { attempt, toast } from "../store/toasts.ts";
import { ArtifactFrame } from "./artifact-frame.tsx";

const endings = { html: "html", svg: "svg", csv: "csv", markdown: "md", image: "png", text: "txt" } as const;

export function ArtifactPanel(): JSX.Element {
	const shown = artifact.value;
	const [isSource, setSource] = useState(false);
	if (!shown)
		return (
			<p class="muted">
				Open a document from the conversation: HTML, SVG, Markdown and CSV have a button, files a link.
			</p>
		);
	const text = shown.versions[shown.at] ?? "";
	const hasSource = shown.type !== "image" && shown.type !== "text";
	const copy = async (): Promise<void> => {
		const copied = (shown.type === "image" ? copyPicture(text) : navigator.clipboard.writeText(text)).then(
			() => true,
		);
		if (await attempt(copied)) toast("Copied.", "success");
	};
	return (
		<div class="artifact">
			<div class="actions">
				<strong class="artifact-title">{shown.title}</strong>
				{shown.versions.length > 1 && <Versions shown={shown} />}
				{hasSource && (
					<button type="button" class="chip" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
						{isSource ? "View" : "Source"}
					</button>
				)}
				<button type="button" class="chip" onClick={() => void copy()}>
					Copy
				</button>
				<button type="button" class="chip" onClick={() => download(shown, text)}>
					Download
				</button>
			</div>
			{isSource && hasSource ? (
				<Source text={text} title={shown.title} />
			) : (
				<View key={`${shown.title} ${shown.at}`} shown={shown} text={text} />
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

function View({ shown: { type, title, line }, text }: { shown: Artifact; text: string }): JSX.Element {
	if (type === "image") return <img class="artifact-picture" src={text} alt={title} />;
	if (text.length > limits.artifactBytes)
		return (
			<p class="notice">{`This document is larger than ${limits.artifactBytes >> 20} MB: download it to see it.`}</p>
		);
	if (type === "markdown") return <Markdown text={text} />;
	if (type === "csv") return <CsvTable text={text} isTabbed={title.endsWith(".tsv")} />;
	if (type === "text") return <Source text={text} title={title} line={line} />;
	return <ArtifactFrame text={text} title={title} />;
}

interface SourceProps {
	text: string;
	title: string;
	line?: number | undefined;
}

/** A file as it is, with its colors, at the line that was meant. */
function Source({ text, title, line }: SourceProps): JSX.Element {
	const element = useRef<HTMLPreElement>(null);
	const mark = useRef<HTMLSpanElement>(null);
	useLayoutEffect(() => {
		const isLeft = new AbortController();
		// The highlighter puts other nodes there.
		element.current?.replaceChildren(text);
		mark.current?.scrollIntoView({ block: "center" });
		void colorCode(element.current, text, title, isLeft.signal);
		return () => isLeft.abort();
	}, [text, title, line]);
	return (
		<div class="artifact-source">
			{line !== undefined && (
				<span class="line-mark" ref={mark} style={{ "--line-number": line }} aria-hidden="true" />
			)}
			<pre tabIndex={0} ref={element} />
		</div>
	);
}

async function colorCode(
	element: HTMLElement | null,
	text: string,
	title: string,
	isLeft: AbortSignal,
): Promise<void> {
	const language = languageOf(title.split(".").at(-1) ?? "");
	if (!element || language === undefined || text.length > limits.highlightChars) return;
	const { highlighted } = await import("../markdown/highlight.ts");
	const nodes = await highlighted(text, language);
	if (nodes && !isLeft.aborted) element.replaceChildren(nodes);
}

/** Browsers take pictures into the clipboard as PNG. */
async function copyPicture(address: string): Promise<void> {
	await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(address) })]);
}

async function pngOf(address: string): Promise<Blob> {
	const image = new Image();
	image.src = address;
	await image.decode();
	const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
	canvas.getContext("2d")?.drawImage(image, 0, 0);
	return canvas.convertToBlob({ type: "image/png" });
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
	const [, data = ""] = type === "image" ? text.split(",", 2) : [];
	const content = new Blob([type === "image" ? bytesOf(data) : text], { type: "application/octet-stream" });
	saveFile(name.includes(".") ? name : `${name}.${endings[type]}`, content);
}
