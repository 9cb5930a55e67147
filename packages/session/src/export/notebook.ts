/** Writes a branch of a session as a Jupyter notebook: the conversation as text, cells of Python as cells. */
import { fenced, isRecord } from "@tau/utils";

import type { SessionEntry } from "@tau/log";
import type { ExportSource } from "./source.ts";

interface NotebookCell {
	cell_type: "code" | "markdown";
	id: string;
	metadata: Record<string, never>;
	source: string[];
	execution_count?: number;
	outputs?: object[];
}

type Message = Extract<SessionEntry, { type: "message" }>["message"];

export function toNotebook({ header, name, branch }: ExportSource): string {
	const cells: NotebookCell[] = [];
	let count = 0;
	const text = (source: string): void => {
		if (source.trim() !== "") cells.push({ ...cellOf(cells.length, "markdown", source) });
	};
	const code = (source: string, outputs: object[]): void => {
		count++;
		cells.push({ ...cellOf(cells.length, "code", source), execution_count: count, outputs });
	};
	text(`# ${name ?? `Session ${header.id}`}`);
	for (const entry of branch) {
		if (entry.type !== "message" || !isRecord(entry.message)) continue;
		const { message } = entry;
		if (message.role === "user") text(`**You:** ${textOf(message.content)}`);
		else if (message.role === "assistant") text(textOf(message.content));
		else if (message.role === "pythonExecution") addUserCell(message, text, code);
		else if (message.role === "toolResult") addResult(message, text, code);
	}
	const metadata = {
		kernelspec: { name: "python3", display_name: "Python 3", language: "python" },
		language_info: { name: "python" },
	};
	return `${JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
}

function addUserCell(
	{ code: source, output, language }: Record<string, unknown>,
	text: (source: string) => void,
	code: (source: string, outputs: object[]) => void,
): void {
	if (language === "js") text(`${fenced(String(source), "js")}\n\n${fenced(String(output).trimEnd())}`);
	else code(String(source), streams(String(output)));
}

/** A result that names the language and the code is that of a cell. Jupyter runs the Python; the rest is shown. */
function addResult(
	{ details, content, isError }: Extract<Message, { role: "toolResult" }>,
	text: (source: string) => void,
	code: (source: string, outputs: object[]) => void,
): void {
	if (!isRecord(details) || typeof details.code !== "string" || typeof details.language !== "string") return;
	if (details.language !== "python") {
		text(`${fenced(details.code, "js")}\n\n${fenced(textOf(content).trimEnd())}`);
		return;
	}
	const images = (Array.isArray(content) ? content : []).flatMap((part) =>
		part?.type === "image"
			? [{ output_type: "display_data", data: { [part.mimeType]: part.data }, metadata: {} }]
			: [],
	);
	code(details.code, [...streams(textOf(content), isError ? "stderr" : "stdout"), ...images]);
}

function cellOf(at: number, kind: NotebookCell["cell_type"], source: string): NotebookCell {
	return { cell_type: kind, id: `cell-${at + 1}`, metadata: {}, source: linesOf(source) };
}

function streams(output: string, name: "stdout" | "stderr" = "stdout"): object[] {
	return output === "" ? [] : [{ output_type: "stream", name, text: linesOf(output) }];
}

/** Each line with its end, as the format has it. */
function linesOf(text: string): string[] {
	return text.split(/(?<=\n)/);
}

/** A file of another program may hold anything. */
function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	const parts: unknown[] = Array.isArray(content) ? content : [];
	return parts
		.flatMap((part) =>
			isRecord(part) && part.type === "text" && typeof part.text === "string" ? [part.text] : [],
		)
		.join("\n");
}
