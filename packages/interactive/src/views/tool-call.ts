/** A tool call in the transcript: its current state, drawn by the tool's renderer. */
import type { AgentToolResult } from "@tau/agent";
import { getCapabilities, Image, Markdown, markdownTheme, type Component, type Theme } from "@tau/tui";
import { runOwned, stripControls } from "@tau/utils";
import {
	isQuietCall,
	shownByCall,
	showsImages,
	type BoundRenderer,
	type ToolCallState,
	type ToolRenderContext,
} from "@tau/extensions/api";

import { expectCode } from "./code.ts";
import { fullCall, fullResult, usualBounds } from "./full-tool.ts";
import { isSettled, renderHelpers, ViewBlock, type Above, type ViewContext } from "./view-context.ts";

export interface ToolCallFacts {
	id: string;
	name: string;
	args: Record<string, unknown>;
}

type Phase = "streaming" | "waiting" | "running" | "done" | "dropped";

export class ToolCallView extends ViewBlock {
	readonly #id: string;
	readonly #name: string;
	readonly #renderer: BoundRenderer | undefined;
	readonly #state: Record<string, unknown> = {};
	#args: Record<string, unknown>;
	#phase: Phase = "streaming";
	#result: AgentToolResult | undefined;
	#isError = false;
	#startedAt: number | undefined;
	#tookMs = 0;
	/** Since when the user is asked about it. */
	#waitsSince: number | undefined;
	#beat: Disposable | undefined;
	#lastCall: Component | undefined;
	#lastResult: Component | undefined;
	#images: { result: AgentToolResult; columns: number; components: readonly Image[] } | undefined;

	/** Called when the call changes, for a component that draws it as a part of itself. */
	onChanged: (() => void) | undefined;

	constructor(view: ViewContext, { id, name, args }: ToolCallFacts, above: Above) {
		super(view, above);
		this.#id = id;
		this.#name = name;
		this.#args = args;
		this.#renderer = view.findRenderer(name);
	}

	/** Sets the arguments received so far, while the model still streams them. */
	setArguments(args: Record<string, unknown>, isComplete: boolean): void {
		this.#args = args;
		if (isComplete && this.#phase === "streaming") this.#phase = "waiting";
		this.changed();
	}

	start(args: Record<string, unknown>): void {
		const { animation, theme } = this.view;
		this.#args = args;
		this.#phase = "running";
		this.#startedAt = animation.now();
		this.#beat ??= animation.animate(this, this.#renderer?.frameMs?.(theme.current));
		expectCode(args);
		this.changed();
	}

	update(partial: AgentToolResult): void {
		if (this.isDone()) return;
		this.#result = partial;
		this.changed();
	}

	/** `durationMs`: the time of the tool alone, without what its user took to answer. */
	finish(result: AgentToolResult | undefined, isError: boolean, durationMs?: number): void {
		if (this.isDone()) return;
		this.#tookMs = durationMs ?? this.#runningMs;
		this.#phase = "done";
		this.#result = result;
		this.#isError = isError;
		this.#rest();
	}

	/** It will never run, or its result is unknown. */
	drop(): void {
		if (this.isDone()) return;
		this.#phase = "dropped";
		this.#rest();
	}

	/** The user is asked about the call: this time is not the tool's. */
	wait(isWaiting: boolean): void {
		if (this.isDone()) return;
		const now = this.view.animation.now();
		if (isWaiting) this.#waitsSince ??= now;
		else if (this.#waitsSince !== undefined && this.#startedAt !== undefined) {
			this.#startedAt += now - this.#waitsSince;
			this.#waitsSince = undefined;
		}
		this.changed();
	}

	/** The user has answered; `args` are what the call runs with, where the user has changed that. */
	resume(args: Readonly<Record<string, unknown>> | undefined): void {
		if (args) this.setArguments({ ...args }, true);
		this.wait(false);
	}

	get #runningMs(): number {
		if (this.#startedAt === undefined) return 0;
		return (this.#waitsSince ?? this.view.animation.now()) - this.#startedAt;
	}

	/** The current state of the call. */
	get call(): ToolCallState {
		return {
			toolName: this.#name,
			toolCallId: this.#id,
			args: this.#args,
			executionStarted: this.#startedAt !== undefined,
			argsComplete: this.#phase !== "streaming",
			isPartial: !this.isDone(),
			isError: this.#isError,
			isDropped: this.#phase === "dropped",
			elapsedMs: this.isDone() ? this.#tookMs : this.#runningMs,
			...(this.#phase === "done" ? { durationMs: this.#tookMs } : {}),
			result: this.#result,
		};
	}

	protected override isDone(): boolean {
		return this.#phase === "done" || this.#phase === "dropped";
	}

	/** Images that are converted for the terminal appear a moment after the result. */
	override isFinal(): boolean {
		const images = this.#images?.components ?? [];
		return super.isFinal() && images.every((image) => image.isFinal()) && isSettled(this.#lastCall);
	}

	override invalidate(): void {
		super.invalidate();
		for (const image of this.#images?.components ?? []) image.invalidate();
		this.#lastCall = refreshed(this.#lastCall);
		this.#lastResult = refreshed(this.#lastResult);
	}

	protected override changed(): void {
		super.changed();
		this.onChanged?.();
	}

	protected draw(width: number, theme: Theme): string[] {
		const call = this.#context(theme, this.#lastCall);
		this.#lastCall = this.#renderer?.renderCall?.(this.#args, theme, call) ?? fullCall(theme, call);
		if (this.#result === undefined) return this.#rowsOf(this.#lastCall, width);
		const context = this.#context(theme, this.#lastResult);
		const { expanded, isPartial } = context;
		this.#lastResult =
			this.#renderer?.renderResult?.(this.#result, { expanded, isPartial }, theme, context) ??
			context.renderDefault(this.#result);
		// The result's renderer may have changed the component of the call.
		return [
			...this.#rowsOf(this.#lastCall, width),
			...this.#rowsOf(this.#lastResult, width),
			...this.#imageRows(this.#result, width),
			...this.#shownRows(this.#result, width, theme),
		];
	}

	/** What the call leaves for the user to read, such as a plan that was approved. */
	#shownRows({ details }: AgentToolResult, width: number, theme: Theme): string[] {
		if (this.#phase !== "done" || this.#isError) return [];
		const text = shownByCall(this.#name, this.#args, details);
		if (text === undefined) return [];
		const { hyperlinks } = this.view;
		const rows = new Markdown(stripControls(text), 3, 0, markdownTheme(theme), {}, { hyperlinks }).render(
			width,
		);
		return ["", ...rows];
	}

	/** Where the terminal shows images: those that were made for the user, and with the details all others. */
	#imageRows(result: AgentToolResult, width: number): string[] {
		const { columns, rows } = this.view.imageSize;
		const isShown = showsImages(this.#name) || this.view.expandTools;
		if (!isShown || getCapabilities().images === null || columns === 0) return [];
		if (this.#images?.result !== result || this.#images.columns !== columns) {
			for (const old of this.#images?.components ?? []) old[Symbol.dispose]();
			const fallbackColor = (text: string): string => this.view.theme.current.fg("dim", text);
			const options = {
				maxWidthCells: columns,
				maxHeightCells: rows,
				onReady: () => this.changed(),
			};
			const components = result.content.flatMap((part) =>
				part.type === "image" ? [new Image(part.data, part.mimeType, { fallbackColor }, options)] : [],
			);
			this.#images = { result, columns, components };
		}
		return this.#images.components
			.flatMap((image) => image.render(Math.max(1, width - 3)))
			.map((row) => `   ${row}`);
	}

	#rowsOf(component: Component, width: number): string[] {
		const render = (columns: number): readonly string[] =>
			runOwned(component, "render", () => component.render(columns));
		if (!this.#renderer?.isBare?.(component) || width < 2) return [...render(width)];
		return render(width - 1).map((row) => (row === "" ? row : ` ${row}`));
	}

	#rest(): void {
		this.#beat?.[Symbol.dispose]();
		this.#beat = undefined;
		this.changed();
	}

	#context(theme: Theme, lastComponent: Component | undefined): ToolRenderContext {
		const { cwd, expandTools: expanded, animation } = this.view;
		const { call } = this;
		return {
			...call,
			...renderHelpers(theme),
			invalidate: () => this.changed(),
			lastComponent,
			state: this.#state,
			cwd,
			expanded,
			showImages: false,
			hasMotion: !animation.isStill,
			isQuiet: isQuietCall(this.#name, this.isDone() ? this.#result?.details : undefined),
			spinner: animation.spinner,
			renderDefault: (result, bounds = usualBounds({ ...call, expanded })) =>
				fullResult(call, result, bounds, theme),
		};
	}
}

/** Those of extensions may not know how, or fail at it: then they are made anew, and nothing is lost. */
function refreshed(component: Component | undefined): Component | undefined {
	try {
		component?.invalidate();
		return component;
	} catch {
		return undefined;
	}
}
