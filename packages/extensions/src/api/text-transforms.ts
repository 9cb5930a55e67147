/** What extensions make of the words on the screen: Markdown before it is drawn, and what stands below thinking. */
import type { Component, Theme } from "@tau/tui";
import { log } from "@tau/utils";

import type { Extension } from "./extension.ts";

export interface MarkdownTransformContext {
	messageType: "user" | "assistant" | "assistant-thinking";
	/** More of it is coming. */
	isStreaming: boolean;
	/** Columns that there are for it. */
	availableWidth: number;
}

/** What is drawn instead; the message itself stays as it is. */
export type MarkdownTransformer = (markdown: string, context: MarkdownTransformContext) => string;

export interface ThinkingRenderContext {
	/** Where it stands in the answer, and the how-manieth thinking of it it is. */
	contentIndex: number;
	thinkingIndex: number;
	text: string;
	requestRender(): void;
}

export type ThinkingRenderer = (context: ThinkingRenderContext, theme: Theme) => Component | undefined;

/** One after the other, in the order of loading; one that fails is passed over. Nothing where there is none. */
export function markdownTransform(extensions: readonly Extension[]): MarkdownTransformer | undefined {
	const all = extensions.flatMap((extension) =>
		extension.markdownTransformers.map((transform) => ({ transform, extension })),
	);
	if (all.length === 0) return undefined;
	return (markdown, context) =>
		all.reduce((text, { transform, extension }) => {
			try {
				const changed: unknown = transform(text, context);
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
	return extensions.flatMap(({ thinkingRenderers, path }) =>
		thinkingRenderers.flatMap((render) => {
			try {
				return render(context, theme)?.render(width) ?? [];
			} catch (error) {
				log.warn("a renderer of thinking failed", { extension: path, reason: String(error) });
				return [];
			}
		}),
	);
}
