/** What the screen asks for to draw tools and messages: what extensions bring along for it. */
import type { BoundRenderer } from "../../extensibility/extensions/renderer-chain.ts";
import type { MessageRenderer } from "../../extensibility/extensions/types.ts";

/** Finds what extensions draw a tool with; nothing where Tau draws it. */
export type FindRenderer = (toolName: string) => BoundRenderer | undefined;

/** Finds what draws messages of this kind; nothing where they are drawn as text. */
export type FindMessageRenderer = (customType: string) => MessageRenderer | undefined;
