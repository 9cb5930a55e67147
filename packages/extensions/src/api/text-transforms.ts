/** Applies the extensions' changes to displayed text: Markdown before rendering, and rows below thinking blocks. */
import type { Component, Theme } from "@tau/tui";
import { log, runAs } from "@tau/utils";

import type { Extension } from "./extension.ts";

export interface MarkdownTransformContext {
	messageType: "user" | "assistant" | "assistant-thinking";
	/** More of it is coming. */
	isStreaming: boolean;
	/** Columns that there are for it. */
	availableWidth: number;
}

/** What is drawn instead; the message itself stays unchanged. */
export type MarkdownTransformer = (markdown: string, context: MarkdownTransformContext) => string;

export interface ThinkingRenderContext {
	/** The position in the answer, and the index among its thinking blocks. */
	contentIndex: number;
	thinkingIndex: number;
	text: string;
	requestRender(): void;
}

export type ThinkingRenderer = (context: ThinkingRenderContext, theme: Theme) => Component | undefined;

/** Transforms run in loading order and failing ones are skipped. Undefined if there are none. */
export function markdownTransform(extensions: readonly Extension[]): MarkdownTransformer | undefined {
	const all = extensions.flatMap((extension) =>
		extension.markdownTransformers.map((transform) => ({ transform, extension })),
	);
	if (all.length === 0) return undefined;
	return (markdown, context) =>
		all.reduce((text, { transform, extension }) => {
			try {
				const changed: unknown = runAs(extension.label, "Markdown transformer", () =>
					transform(text, context),
				);
				return typeof changed === "string" ? changed : text;
			} catch (error) {
				log.warn("a Markdown transformer failed", { extension: extension.path, reason: String(error) });
				return text;
			}
		}, markdown);
}

/** What each of them draws below the thinking, in rows; one that fails draws nothing. */
export function thinkingRows(
	extensions: readonly Extension[],
	context: ThinkingRenderContext,
	theme: Theme,
	width: number,
): string[] {
	return extensions.flatMap(({ thinkingRenderers, path, label }) =>
		thinkingRenderers.flatMap((render) => {
			try {
				return runAs(label, "render", () => render(context, theme)?.render(width) ?? []);
			} catch (error) {
				log.warn("a renderer of thinking failed", { extension: path, reason: String(error) });
				return [];
			}
		}),
	);
}
