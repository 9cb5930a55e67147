/** Consecutive calls that are drawn as one if the tool's renderer supports it. */
import type { Component, Theme } from "@tau/tui";
import type { BoundRenderer, FoldedCalls } from "@tau/extensions/api";

import { ViewBlock, type Above, type ViewContext } from "./view-context.ts";
import { ToolCallView, type ToolCallFacts } from "./tool-call.ts";

/** The open group at the end of the transcript; adding any other block closes it. */
export class CallGroup extends ViewBlock {
	readonly #renderer: BoundRenderer;
	readonly #calls: ToolCallView[] = [];
	/** The answer that contains the last call. */
	#answer: unknown;
	#isOpen = true;

	/** Undefined if calls of this tool are not grouped. */
	static begin(view: ViewContext, { name }: ToolCallFacts, above: Above): CallGroup | undefined {
		const renderer = view.findRenderer(name);
		return renderer?.joins && renderer.fold ? new CallGroup(view, renderer, above) : undefined;
	}

	private constructor(view: ViewContext, renderer: BoundRenderer, above: Above) {
		super(view, above);
		this.#renderer = renderer;
	}

	get children(): Component[] {
		return this.#calls;
	}

	/** `answer` is the answer that contains the call: two calls of one answer may run in parallel. */
	takes(facts: ToolCallFacts, answer: unknown): boolean {
		const last = this.#calls.at(-1);
		if (!last || !this.#isOpen) return false;
		const { call } = new ToolCallView(this.view, facts, "flush");
		return this.#renderer.joins?.(call, last.call, { isSameAnswer: answer === this.#answer }) ?? false;
	}

	add(facts: ToolCallFacts, answer: unknown): ToolCallView {
		const call = new ToolCallView(this.view, facts, "flush");
		call.onChanged = () => this.changed();
		this.#calls.push(call);
		this.#answer = answer;
		this.changed();
		return call;
	}

	/** Called at the end of an answer: closes the group unless calls of the next answer may join it. */
	endAnswer(): void {
		const last = this.#calls.at(-1)?.call;
		if (last && !this.#renderer.joins?.(last, last, { isSameAnswer: false })) this.close();
	}

	close(): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		this.changed();
	}

	protected override isDone(): boolean {
		return !this.#isOpen && this.#calls.every((call) => call.isFinal());
	}

	override invalidate(): void {
		super.invalidate();
		for (const call of this.#calls) call.invalidate();
	}

	/** The folded calls are drawn at the position of the first call. */
	protected draw(width: number, theme: Theme): string[] {
		const folded = new Map<string, FoldedCalls>();
		for (const fold of this.#fold(theme)) for (const id of fold.toolCallIds) folded.set(id, fold);
		const drawn = new Set<FoldedCalls>();
		const parts = this.#calls.map((view) => {
			const fold = folded.get(view.call.toolCallId);
			if (!fold) return view.render(width);
			if (drawn.has(fold)) return [];
			drawn.add(fold);
			return fold.component.render(width);
		});
		return apart(parts.filter((rows) => rows.length > 0));
	}

	/** Nothing is folded while everything is expanded. */
	#fold(theme: Theme): readonly FoldedCalls[] {
		if (this.view.expandTools || this.#calls.length < 2) return [];
		const calls = this.#calls.map(({ call }) => call);
		return this.#renderer.fold?.(calls, theme, { hasMotion: !this.view.animation.isStill }) ?? [];
	}
}

/** Lines touch; what has a body has a blank row before and after it. */
function apart(parts: readonly (readonly string[])[]): string[] {
	return parts.flatMap((rows, at) => {
		const before = parts[at - 1];
		const hasGap = before !== undefined && (before.length > 1 || rows.length > 1);
		return hasGap ? ["", ...rows] : rows;
	});
}
