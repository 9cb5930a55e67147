/** The beginning of a file that goes with the next prompt: its pages, its rows, its picture, or its text. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { AddedFile } from "../composer/attachments.ts";
import { limits } from "../limits.ts";
import { csvRows } from "../parts/csv.ts";
import { Dialog } from "../parts/dialog.tsx";
import { IconButton } from "../parts/icon.tsx";
import { Table } from "../parts/table.tsx";
import { isPdf, pdfPages } from "./pdf-pages.ts";

interface PreviewProps {
	attachment: AddedFile;
	onClose(): void;
}

export function AttachmentPreview({ attachment, onClose }: PreviewProps): JSX.Element {
	const { name } = attachment;
	return (
		<Dialog label={`Preview of ${name}`} class="preview-dialog" onClose={onClose}>
			<header class="panel-head">
				<h2>{name}</h2>
				<IconButton icon="close" label="Close the preview" onClick={onClose} />
			</header>
			<div class="preview-body" tabIndex={0} role="region" aria-label="Preview">
				<Body attachment={attachment} />
			</div>
		</Dialog>
	);
}

function Body({ attachment }: { attachment: AddedFile }): JSX.Element {
	const { file, source, name, reason, preview } = attachment;
	if (file?.type === "image") return <img class="preview-image" src={preview} alt={name} />;
	if (isPdf(source)) return <Pages attachment={attachment} />;
	if (/\.(?:csv|tsv)$/i.test(name)) return <Rows source={source} isTabbed={/\.tsv$/i.test(name)} />;
	const text = file?.extractedText;
	if (text !== undefined) return <Text text={text} />;
	return <p class="muted">{reason ?? file?.problem ?? "The file is being uploaded…"}</p>;
}

/** The text is what the model gets: shown where there are no pages to see. */
function Pages({ attachment: { source, name, file } }: { attachment: AddedFile }): JSX.Element {
	const [shown, setShown] = useState<{ addresses: readonly string[]; total: number }>();
	const [problem, setProblem] = useState<string>();
	useEffect(() => {
		const closed = new AbortController();
		const order = { file: source, pages: limits.previewPages, width: limits.previewPixels };
		let addresses: readonly string[] = [];
		pdfPages(order, closed.signal).then(
			({ pages, total }) => {
				if (closed.signal.aborted) return;
				addresses = pages.map((page) => URL.createObjectURL(page));
				setShown({ addresses, total });
			},
			(error: unknown) => {
				if (!closed.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
			},
		);
		return () => {
			closed.abort();
			for (const address of addresses) URL.revokeObjectURL(address);
		};
	}, [source]);
	if (problem !== undefined)
		return (
			<>
				<p class="muted">{`The pages cannot be drawn: ${problem}`}</p>
				{file?.extractedText !== undefined && <Text text={file.extractedText} />}
			</>
		);
	if (!shown) return <p class="muted pulse">Drawing the pages…</p>;
	const left = shown.total - shown.addresses.length;
	return (
		<>
			<ol class="preview-pages">
				{shown.addresses.map((address, at) => (
					<li key={address}>
						<img src={address} alt={`Page ${at + 1} of ${name}`} />
						<span class="muted">{at + 1}</span>
					</li>
				))}
			</ol>
			{left > 0 && <p class="muted">{`${left} more pages`}</p>}
		</>
	);
}

function Rows({ source, isTabbed }: { source: File; isTabbed: boolean }): JSX.Element {
	const [text, setText] = useState<string>();
	useEffect(() => {
		let isOpen = true;
		void source
			.slice(0, limits.previewBytes)
			.text()
			.then((read) => {
				if (isOpen) setText(read);
			});
		return () => {
			isOpen = false;
		};
	}, [source]);
	if (text === undefined) return <p class="muted pulse">Reading…</p>;
	const { head, rows } = csvRows(text, isTabbed ? "\t" : ",", limits.previewRows);
	return <Table head={head} rows={rows} />;
}

/** Sheets of a workbook come as tab-separated rows with their numbers; everything else is text. */
function Text({ text }: { text: string }): JSX.Element {
	const start = text.slice(0, limits.previewChars);
	return (
		<>
			<pre class="preview-text">{start}</pre>
			{text.length > start.length && <p class="muted">{`${text.length - start.length} more characters`}</p>}
		</>
	);
}
