/** A call of a tool in the transcript: one line, and below it what is worth showing of what it gave. */
import type { AgentToolResult } from "@tau/agent";
import type { Component, Theme } from "@tau/tui";

import { limits } from "../limits.ts";
import type { ToolRenderContext, ToolRenderer } from "../tool-view.ts";
import { expectCode } from "./code.ts";
import { condensed, describe } from "./condensed-tool.ts";
import { StageBlock, type Stage } from "./stage.ts";

export interface ToolCallFacts {
	id: string;
	name: string;
	args: Record<string, unknown>;
}

type Phase = "streaming" | "waiting" | "running" | "done" | "dropped";

export class ToolCallView extends StageBlock {
	readonly #id: string;
	readonly #name: string;
	readonly #renderer: ToolRenderer | undefined;
	readonly #state: Record<string, unknown> = {};
	#args: Record<string, unknown>;
	#phase: Phase = "streaming";
	#result: AgentToolResult | undefined;
	#isError = false;
	#startedAt: number | undefined;
	#tookMs = 0;
	#beat: Disposable | undefined;
	#lastCall: Component | undefined;
	#lastResult: Component | undefined;

	/** For whoever draws it as a part of something larger. */
	onChanged: (() => void) | undefined;

	constructor(stage: Stage, { id, name, args }: ToolCallFacts, hasGap: boolean) {
		super(stage, hasGap);
		this.#id = id;
		this.#name = name;
		this.#args = args;
		this.#renderer = stage.findRenderer(name);
	}

	/** The arguments so far, while the model still says them. */
	setArguments(args: Record<string, unknown>, isComplete: boolean): void {
		this.#args = args;
		if (isComplete && this.#phase === "streaming") this.#phase = "waiting";
		this.changed();
	}

	start(args: Record<string, unknown>): void {
		this.#args = args;
		this.#phase = "running";
		this.#startedAt = this.stage.pulse.now();
		this.#beat ??= this.stage.pulse.animate(this);
		expectCode(args.path);
		this.changed();
	}

	update(partial: AgentToolResult): void {
		if (this.isFinal()) return;
		this.#result = partial;
		this.changed();
	}

	finish(result: AgentToolResult | undefined, isError: boolean): void {
		if (this.isFinal()) return;
		this.#tookMs = this.#startedAt === undefined ? 0 : this.stage.pulse.now() - this.#startedAt;
		this.#phase = "done";
		this.#result = result;
		this.#isError = isError;
		this.#beat?.[Symbol.dispose]();
		this.#beat = undefined;
		this.changed();
	}

	/** It will never run, or nobody knows what it gave. */
	drop(): void {
		if (this.isFinal()) return;
		this.#phase = "dropped";
		this.#beat?.[Symbol.dispose]();
		this.#beat = undefined;
		this.changed();
	}

	/** What there is to say of it beside its name; undefined while it runs, and where more than that is worth a look. */
	get foldedWords(): string | undefined {
		const isQuiet = this.#phase === "done" && !this.#isError && this.#tookMs < limits.shownDurationMs;
		return isQuiet ? describe(this.#name, this.#args).replace(/^\S+\s*/, "") : undefined;
	}

	override isFinal(): boolean {
		return this.#phase === "done" || this.#phase === "dropped";
	}

	override invalidate(): void {
		super.invalidate();
		this.#lastCall?.invalidate();
		this.#lastResult?.invalidate();
	}

	protected override changed(): void {
		super.changed();
		this.onChanged?.();
	}

	protected draw(width: number, theme: Theme): string[] {
		const shown = condensed(this.#name, this.#phase);
		const call = this.#context(this.#lastCall);
		this.#lastCall = (this.#renderer?.renderCall ?? shown.renderCall)(this.#args, theme, call);
		const rows = this.#lastCall.render(width);
		if (this.#result === undefined) return rows;
		const context = this.#context(this.#lastResult);
		const { expanded, isPartial } = context;
		const render = this.#renderer?.renderResult ?? shown.renderResult;
		this.#lastResult = render(this.#result, { expanded, isPartial }, theme, context);
		return [...rows, ...this.#lastResult.render(width)];
	}

	#context(lastComponent: Component | undefined): ToolRenderContext {
		const { stage } = this;
		const running = this.#startedAt === undefined ? 0 : stage.pulse.now() - this.#startedAt;
		return {
			args: this.#args,
			toolCallId: this.#id,
			invalidate: () => this.changed(),
			lastComponent,
			state: this.#state,
			cwd: stage.cwd,
			executionStarted: this.#startedAt !== undefined,
			argsComplete: this.#phase !== "streaming",
			isPartial: !this.isFinal(),
			expanded: stage.expandTools,
			showImages: false,
			isError: this.#isError,
			elapsedMs: this.isFinal() ? this.#tookMs : running,
			spinner: stage.pulse.spinner,
		};
	}
}
