/** The engine: decides what is drawn and when, and which rows become history. */
export type { TranscriptBlock } from "./block.ts";
export type { OverlayHandle } from "./focus.ts";
export { OffscreenTerminal, OffscreenTUI } from "./offscreen.ts";
export type { OverlayAnchor, OverlayMargin, OverlayOptions, SizeValue } from "./overlay.ts";
export type { Clock } from "./pacing.ts";
export { Transcript, type TranscriptOptions } from "./transcript.ts";
export { TUI, type InputListener, type InputListenerResult, type RenderOptions } from "./tui.ts";
