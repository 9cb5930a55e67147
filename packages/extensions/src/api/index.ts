/** The entry point `@tau/extensions/api`. */
export { createApi } from "./api.ts";
export { type BashOperations, createLocalBashOperations } from "./bash-operations.ts";
export { createCommandContext } from "./context.ts";
export { describeToolCall, isQuietCall, shownByCall, showsImages } from "./describe-call.ts";
export {
	type MarkdownTransformContext,
	type MarkdownTransformer,
	type ThinkingRenderContext,
	type ThinkingRenderer,
	markdownTransform,
	thinkingRows,
} from "./text-transforms.ts";
export { createEventBus } from "./event-bus.ts";
export { eventNames, isKnownEvent } from "./event-names.ts";
export type { EventOf, ExtensionEventName, OwnMessage, ResultOf, ToolResultEvent } from "./event-types.ts";
export { type AnyHandler, Extension } from "./extension.ts";
export {
	isBashToolResult,
	isEditToolResult,
	isFindToolResult,
	isGrepToolResult,
	isLsToolResult,
	isReadToolResult,
	isToolCallEventType,
	isWriteToolResult,
} from "./guards.ts";
export type { ExtensionMode, SessionControl } from "./mode.ts";
export { keepPaid, navigateTree, summaryOptionsOf } from "./navigate-tree.ts";
export { type BoundRenderer, rendererFor } from "./renderer-chain.ts";
export type {
	FoldedCalls,
	ResultBounds,
	ToolCallState,
	ToolRenderContext,
	RenderHelpers,
	ToolRenderer,
} from "./tool-renderer.ts";
export type {
	CommandOptions,
	EntryRenderer,
	EventBus,
	ExtensionAPI,
	ExtensionContext,
	ExtensionFactory,
	ExtensionToolResult,
	FlagOptions,
	MessageRenderer,
	ReadonlySessionManager,
	SendOptions,
	ShortcutOptions,
	SourceInfo,
	ToolDefinition,
	ToolInfo,
	ToolUpdateCallback,
} from "./types.ts";
export type { ExtensionProvider, OAuthCredentials, ProviderOAuth } from "./provider-types.ts";
export * as toolGuards from "./guards.ts";
export type * from "./event-types.ts";
export type * from "./tool-renderer.ts";
export type * from "./types.ts";
export type * from "./web-renderer.ts";
