/** Calls and messages that extensions draw where the session is, as parts of the conversation on this screen. */
import type { BoundRenderer, MessageRenderer } from "@tau/extensions/api";
import type { Component } from "@tau/tui";
import { timer } from "@tau/utils";
import { frameLimits, type CommandFields, type ComponentView } from "@tau/wire";

import { limits } from "../limits.ts";
import { fullCall } from "../views/full-tool.ts";

type Request = CommandFields<"draw_blocks">;
type Of = Request["open"][number]["of"];

export interface RemoteBlocksHost {
	/** What is drawn there, by the names of tools and the kinds of messages. */
	readonly tools: readonly string[];
	readonly messages: readonly string[];
	draw(request: Request): void;
	/** Blocks are to be drawn with or without their details from now on. */
	setExpanded(expanded: boolean): void;
	redraw(): void;
}

export class RemoteBlocks implements Disposable {
	readonly #host: RemoteBlocksHost;
	/** Those whose rows are still to come, or may change. */
	readonly #open = new Map<string, RemoteBlock>();
	/** Of messages, which have no state of their own. */
	readonly #messages = new WeakMap<object, RemoteBlock>();
	#wanted = new Map<string, RemoteBlock>();
	#closed = new Set<string>();
	#due: Disposable | undefined;
	#made = 0;

	constructor(host: RemoteBlocksHost) {
		this.#host = host;
	}

	/** Undefined where this screen draws the tool itself. */
	renderer(toolName: string): BoundRenderer | undefined {
		if (!this.#host.tools.includes(toolName)) return undefined;
		const block = (state: Record<string, unknown>, toolCallId: string): RemoteBlock => {
			const known = state.remote;
			if (known instanceof RemoteBlock) return known;
			const made = this.#block({ toolCallId });
			state.remote = made;
			return made;
		};
		return {
			renderCall: (_args, theme, context) => {
				const own = block(context.state, context.toolCallId);
				own.expand(context.expanded);
				own.onRows = () => context.invalidate();
				return own.isMissing ? undefined : own.over(fullCall(theme, context));
			},
			// The block has both.
			renderResult: (_result, _options, _theme, context) =>
				block(context.state, context.toolCallId).hasRows ? nothing : undefined,
		};
	}

	messageRenderer(customType: string): MessageRenderer | undefined {
		if (!this.#host.messages.includes(customType)) return undefined;
		return (message, { expanded }) => {
			const { timestamp } = message;
			const own = this.#messages.get(message) ?? this.#block({ customType, timestamp });
			this.#messages.set(message, own);
			own.expand(expanded);
			return own.isMissing ? undefined : own;
		};
	}

	/** Rows have come. */
	take(views: ReadonlyMap<string, ComponentView>): void {
		for (const [id, block] of this.#open) {
			const view = views.get(id);
			if (!view || !block.take(view) || !block.isComplete) continue;
			this.#open.delete(id);
			this.#closed.add(id);
			this.#schedule();
		}
	}

	/** The connection was made anew: what was asked for has to be asked for again. */
	reset(): void {
		for (const block of this.#open.values()) this.want(block);
	}

	want(block: RemoteBlock): void {
		this.#open.set(block.id, block);
		this.#wanted.set(block.id, block);
		this.#schedule();
	}

	setExpanded(expanded: boolean): void {
		this.#host.setExpanded(expanded);
	}

	redraw(): void {
		this.#host.redraw();
	}

	[Symbol.dispose](): void {
		this.#due?.[Symbol.dispose]();
	}

	#block(of: Of): RemoteBlock {
		return new RemoteBlock(`block-${++this.#made}`, of, this);
	}

	/** With what else is laid out now. */
	#schedule(): void {
		this.#due ??= timer(frameLimits.batchMs, () => {
			this.#due = undefined;
			const wanted = [...this.#wanted.values()].slice(-limits.remoteBlocks);
			const open = wanted.map(({ id, of, width }) => ({ id, of, width }));
			const close = [...this.#closed].filter((id) => !this.#wanted.has(id)).slice(-limits.remoteBlocks);
			this.#wanted = new Map();
			this.#closed = new Set();
			this.#host.draw({ open, close });
		});
	}
}

/** One of them. Until its rows are there, it shows what this screen would draw. */
class RemoteBlock implements Component {
	readonly id: string;
	readonly of: Of;
	readonly #all: RemoteBlocks;
	width = 0;
	#expanded: boolean | undefined;
	#view: ComponentView | undefined;
	#drawn: ComponentView | undefined;
	#meanwhile: Component = nothing;
	/** What was asked for did not come in time. */
	#isLate = false;
	#late: Disposable | undefined;
	onRows: () => void;

	constructor(id: string, of: Of, all: RemoteBlocks) {
		this.id = id;
		this.of = of;
		this.#all = all;
		this.onRows = () => all.redraw();
	}

	get hasRows(): boolean {
		return (this.#view?.rows.length ?? 0) > 0;
	}

	/** The extension draws nothing here. */
	get isMissing(): boolean {
		return this.#view !== undefined && this.#view.isFinal === true && !this.hasRows;
	}

	over(meanwhile: Component): this {
		this.#meanwhile = meanwhile;
		return this;
	}

	expand(expanded: boolean): void {
		if (this.#expanded === expanded) return;
		const isFirst = this.#expanded === undefined;
		this.#expanded = expanded;
		this.#all.setExpanded(expanded);
		if (!isFirst) this.#ask();
	}

	/** Returns whether it is another view. */
	take(view: ComponentView): boolean {
		if (view === this.#view) return false;
		this.#view = view;
		this.#late?.[Symbol.dispose]();
		this.onRows();
		return true;
	}

	/** When its last rows have been drawn, or did not come in time: nothing waits for them. */
	isFinal(): boolean {
		return this.#isLate || (this.isComplete && this.#drawn === this.#view);
	}

	/** Its last rows are there. */
	get isComplete(): boolean {
		return this.#view?.isFinal === true && this.#view.width === this.width;
	}

	invalidate(): void {
		// The next frame asks again, with the current colors.
	}

	render(width: number): string[] {
		if (this.width !== width) {
			this.width = width;
			this.#ask();
		}
		this.#drawn = this.#view;
		return this.hasRows ? [...(this.#view?.rows ?? [])] : this.#meanwhile.render(width);
	}

	#ask(): void {
		this.#isLate = false;
		this.#late?.[Symbol.dispose]();
		this.#late = timer(limits.remoteRowsMs, () => {
			this.#isLate = true;
			this.onRows();
		});
		this.#all.want(this);
	}
}

const nothing: Component = { render: () => [], invalidate: () => {} };
