/** The renderers that extensions provide for tools and messages. */
import type { Theme } from "@tau/tui";
import type {
	MarkdownTransformer,
	ThinkingRenderContext,
	BoundRenderer,
	MessageRenderer,
} from "@tau/extensions/api";

/** Finds the extensions' renderer for a tool; undefined if Tau renders it. */
export type FindRenderer = (toolName: string) => BoundRenderer | undefined;

/** The text transforms of extensions. */
export interface TextTransforms {
	/** Undefined if the Markdown is rendered unchanged. */
	transform(): MarkdownTransformer | undefined;
	/** Rows that are drawn below thinking blocks. */
	belowThinking(context: ThinkingRenderContext, theme: Theme, width: number): string[];
}

/** Finds the renderer for messages of this kind; undefined if they are rendered as text. */
export type FindMessageRenderer = (customType: string) => MessageRenderer | undefined;
