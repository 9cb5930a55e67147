/** Calls of tools and messages that extensions draw, as blocks of the conversation of one terminal elsewhere. */
import type { AgentToolResult } from "@tau/agent";
import { guarded, type Component, type Theme } from "@tau/tui";
import { componentLimits, type CommandFields, type ComponentView, type EventFrame } from "@tau/wire";

import type { FindMessageRenderer, FindRenderer } from "../tool-view.ts";
import { AnimationClock } from "../views/animation-clock.ts";
import type { CustomMessage } from "../views/custom-message.ts";
import { ToolCallView } from "../views/tool-call.ts";
import { renderHelpers, type ViewContext } from "../views/view-context.ts";

type BlockRequest = CommandFields<"draw_blocks">["open"][number];
type Shown = Pick<CommandFields<"show_components">, "expandTools" | "hyperlinks">;

/** A call as far as the session knows it. */
export interface KnownCall {
	readonly name: string;
	readonly args: Record<string, unknown>;
	readonly isRunning: boolean;
	/** What it has given so far, or in the end. */
	readonly result?: AgentToolResult | undefined;
	/** It is over: with a result, or without one that is known. */
	readonly isOver: boolean;
	readonly isError: boolean;
}

/** Where blocks come from. */
export interface BlockSource {
	readonly cwd: string;
	findRenderer: FindRenderer;
	findMessageRenderer: FindMessageRenderer;
	call(toolCallId: string): KnownCall | undefined;
	message(customType: string, timestamp: number): CustomMessage | undefined;
}

interface Block {
	width: number;
	readonly view: Component;
	readonly call?: ToolCallView;
	isFinal(): boolean;
}

export class Blocks implements Disposable {
	readonly #source: BlockSource;
	readonly #changed: () => void;
	readonly #theme: Theme;
	readonly #animation: AnimationClock;
	readonly #blocks = new Map<string, Block>();
	#shown: Shown;

	constructor(source: BlockSource, changed: () => void, theme: Theme, shown: Shown) {
		this.#source = source;
		this.#changed = changed;
		this.#theme = theme;
		this.#shown = shown;
		this.#animation = new AnimationClock({ requestComponentRender: changed });
	}

	resize(shown: Shown): void {
		this.#shown = shown;
		for (const { view } of this.#blocks.values()) view.invalidate();
	}

	/** What cannot be drawn is final and has no rows: the client draws it itself. */
	draw({ open, close }: CommandFields<"draw_blocks">): void {
		for (const id of close) this.#close(id);
		for (const request of open) {
			if (this.#blocks.size >= componentLimits.components) return;
			const known = this.#blocks.get(request.id);
			if (known) known.width = request.width;
			else this.#blocks.set(request.id, this.#made(request));
		}
		this.#changed();
	}

	clear(): void {
		for (const id of this.#blocks.keys()) this.#close(id);
	}

	get isEmpty(): boolean {
		return this.#blocks.size === 0;
	}

	/** Something has happened to a call. */
	follow(event: EventFrame): void {
		if (!("toolCallId" in event)) return;
		for (const { call } of this.#blocks.values())
			if (call?.call.toolCallId === event.toolCallId) advance(call, event);
	}

	views(): ComponentView[] {
		return [...this.#blocks].map(([id, { width, view, isFinal }]) => {
			const rows = view.render(width);
			return { id, slot: "block", width, rows, ...(isFinal() ? { isFinal: true } : {}) };
		});
	}

	[Symbol.dispose](): void {
		this.#animation[Symbol.dispose]();
		this.#blocks.clear();
	}

	/** A call that still runs is animated no longer. */
	#close(id: string): void {
		this.#blocks.get(id)?.call?.drop();
		this.#blocks.delete(id);
	}

	#made({ width, of }: BlockRequest): Block {
		const view = "toolCallId" in of ? this.#call(of.toolCallId) : undefined;
		if (view) return { width, view, call: view, isFinal: () => view.isFinal() };
		const message = "customType" in of ? this.#message(of.customType, of.timestamp) : undefined;
		return { width, view: message ?? nothing, isFinal: () => true };
	}

	#call(id: string): ToolCallView | undefined {
		const known = this.#source.call(id);
		if (!known) return undefined;
		const { name, args, isRunning, isOver, result, isError } = known;
		const view = new ToolCallView(this.#context(), { id, name, args }, "flush");
		view.setArguments(args, true);
		if (isRunning) view.start(args);
		if (isOver && result) view.finish(result, isError);
		else if (isOver) view.drop();
		else if (result) view.update(result);
		return view;
	}

	#message(customType: string, timestamp: number): Component | undefined {
		const message = this.#source.message(customType, timestamp);
		const render = message && this.#source.findMessageRenderer(customType);
		if (!render) return undefined;
		const expanded = (): boolean => this.#shown.expandTools;
		const theme = this.#theme;
		return guarded(
			{
				render: (width) =>
					render(message, { expanded: expanded(), ...renderHelpers(theme) }, theme)?.render(width) ?? [],
				invalidate: () => {},
			},
			{ name: customType, theme },
		);
	}

	#context(): ViewContext {
		const shown = (): Shown => this.#shown;
		const { cwd, findRenderer, findMessageRenderer } = this.#source;
		return {
			theme: { current: this.#theme },
			animation: this.#animation,
			cwd,
			get expandTools() {
				return shown().expandTools;
			},
			showThinking: true,
			findRenderer,
			findMessageRenderer,
			transforms: { transform: () => undefined, belowThinking: () => [] },
			thinkingLabel: undefined,
			get hyperlinks() {
				return shown().hyperlinks;
			},
			// The pictures of a result are drawn by who has the terminal.
			imageSize: { columns: 0, rows: 1 },
			redraw: () => this.#changed(),
		};
	}
}

const nothing: Component = { render: () => [], invalidate: () => {} };

function advance(call: ToolCallView, event: EventFrame): void {
	switch (event.type) {
		case "tool_execution_start":
			return call.start({ ...event.args });
		case "tool_execution_update":
			return call.update(event.partialResult as AgentToolResult);
		case "tool_execution_end":
			return call.finish(event.result as AgentToolResult, event.isError, event.durationMs);
		case "tool_approval_requested":
			return call.wait(true);
		case "tool_approval_resolved":
			return call.resume(event.args);
	}
}
