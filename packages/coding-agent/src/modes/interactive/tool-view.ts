/** What the screen asks for to draw tools and messages: what extensions bring along for it. */
import type { Theme } from "@tau/tui";
import type {
	MarkdownTransformer,
	ThinkingRenderContext,
	BoundRenderer,
	MessageRenderer,
} from "@tau/extensions/api";

/** Finds what extensions draw a tool with; nothing where Tau draws it. */
export type FindRenderer = (toolName: string) => BoundRenderer | undefined;

/** What extensions make of words before they are drawn. */
export interface TextTransforms {
	/** Nothing where they are drawn as they are. */
	transform(): MarkdownTransformer | undefined;
	/** Rows that stand below thinking. */
	belowThinking(context: ThinkingRenderContext, theme: Theme, width: number): string[];
}

/** Finds what draws messages of this kind; nothing where they are drawn as text. */
export type FindMessageRenderer = (customType: string) => MessageRenderer | undefined;
