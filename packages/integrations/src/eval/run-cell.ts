/** Runs one cell for the model, and turns what it printed, showed and raised into a result. */
import type { AgentToolResult } from "@tau/agent";
import { fitImage } from "@tau/sys";

import { deniedReport } from "@tau/tools/bash/denied";
import { liveUpdates, OutputSink } from "@tau/tools/output";
import { type ToolContext, errorResult, textResult } from "@tau/tools/tool";
import { callsOf } from "./call-tools.ts";
import { cellsService, type CellOutcome } from "./cells.ts";
import { languageNames, type Language } from "./language-names.ts";
import { disabledReason } from "./languages.ts";
import { limits } from "./limits.ts";

export interface CellParams {
	language: Language;
	code: string;
	reset?: boolean | undefined;
	timeout?: number | undefined;
}

export async function runCell(params: CellParams, context: ToolContext): Promise<AgentToolResult> {
	const { language, code, reset = false } = params;
	const disabled = disabledReason(language, context);
	if (disabled !== undefined) return errorResult(disabled);
	const startedAt = performance.now();
	const seconds = Math.min(Math.max(params.timeout ?? limits.seconds, 1), limits.maxSeconds);
	using sink = new OutputSink({ tool: "eval", artifacts: context.artifacts });
	using live = liveUpdates(() => context.update(textResult(sink.live())));
	const images: string[] = [];
	const data: unknown[] = [];
	const events = {
		onText(text: Uint8Array) {
			sink.push(text);
			live.changed();
		},
		onImage: (image: string) => void images.push(image),
		onJson: (value: unknown) => void data.push(value),
		onCall: callsOf(context),
	};
	const options = { seconds, signal: context.signal, events, reset };
	const outcome = await context.services.get(cellsService, context).run(language, code, options);
	// The cell may have written anywhere.
	context.machine.files.noteChange({ toolCallId: context.toolCallId });
	const { text, outputLines: _, ...facts } = sink.summary();
	const denied = outcome.ok
		? undefined
		: await deniedReport({ output: text, code, since: startedAt }, context);
	const parts = [text, ...outcome.notes, ...endOf(outcome, language, seconds), denied?.note ?? ""].filter(
		Boolean,
	);
	const shown = parts.length === 0 && images.length === 0 ? "(no output)" : parts.join("\n\n");
	const more = { ...(data.length > 0 ? { data } : {}), ...denied?.details };
	const details = { language, code, ...outcome, ...facts, ...more };
	const result = outcome.ok ? textResult(shown, details) : errorResult(shown, details);
	return withImages(result, images, context);
}

function endOf({ stopped, ok, died }: CellOutcome, language: Language, seconds: number): string[] {
	const kept = died === undefined ? ` ${languageNames[language]} keeps its variables.` : "";
	if (stopped === "abort") return [`The cell was interrupted by the user.${kept}`];
	if (stopped === "timeout") return [`The cell timed out after ${seconds} s.${kept}`];
	return ok || died !== undefined ? [] : ["The cell failed."];
}

async function withImages(
	result: AgentToolResult,
	images: readonly string[],
	{ session, signal }: ToolContext,
): Promise<AgentToolResult> {
	if (images.length === 0) return result;
	const notes: string[] = [];
	const content = [...result.content];
	if (!session.model.input.includes("image") && !session.describesImages)
		notes.push(`[${images.length} ${images.length === 1 ? "image" : "images"}, which this model cannot see]`);
	else {
		for (const image of images.slice(0, limits.images)) {
			const fitted = await fitImage(Buffer.from(image, "base64"), undefined, signal);
			if (fitted.ok)
				content.push({
					type: "image",
					data: Buffer.from(fitted.bytes).toString("base64"),
					mimeType: fitted.mimeType,
				});
			else notes.push(`[an image cannot be shown: ${fitted.message}]`);
		}
		if (images.length > limits.images) notes.push(`[${images.length - limits.images} more images]`);
	}
	const [first, ...rest] = content;
	const text = [first?.type === "text" ? first.text : "", ...notes].filter(Boolean).join("\n\n");
	return { ...result, content: [{ type: "text", text: text || "(an image)" }, ...rest] };
}
