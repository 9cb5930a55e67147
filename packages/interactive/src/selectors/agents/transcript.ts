/** The conversation of an agent, live, drawn as the session's own is. */
import {
	ScrollView,
	truncateToWidth,
	type Component,
	type Focusable,
	type Theme,
	type TranscriptBlock,
} from "@tau/tui";
import { Live, type EventFrame, type WireAnswer, type WireMessage } from "@tau/wire";

import { ConversationView, type BlockSink } from "../../conversation-view.ts";
import { pastView } from "../../views/message-views.ts";
import type { ViewContext } from "../../views/view-context.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { limits } from "../limits.ts";

export interface TranscriptParts {
	/** What the session's own transcript is drawn with. */
	view: ViewContext;
	/** The messages so far. */
	past: readonly WireMessage[];
	/** The answer as far as it has come. */
	answer: WireAnswer | undefined;
	isRunning: boolean;
	/** One line above it: the name, the state, what it cost. */
	title(theme: Theme): string;
	hints(theme: Theme): readonly string[];
	/** Its own keys. Returns whether it was one. */
	onKey(data: string): boolean;
	close(): void;
}

export class AgentTranscript implements Component, Focusable {
	readonly #screen: PickerScreen;
	readonly #parts: TranscriptParts;
	readonly #blocks = new Blocks();
	readonly #live = new Live();
	readonly #conversation: ConversationView;
	readonly #scroll: ScrollView;
	focused = false;

	constructor(screen: PickerScreen, parts: TranscriptParts) {
		this.#screen = screen;
		this.#parts = parts;
		const view = viewOf(parts.view, screen);
		this.#live.answer = parts.answer ?? null;
		this.#conversation = new ConversationView(view, this.#blocks, () => this.#live);
		this.#conversation.join(pastView(view, parts.past), parts.isRunning);
		const height = (): number => Math.max(limits.leastRows, screen.rows - limits.aroundTranscript);
		this.#scroll = new ScrollView(this.#blocks, screen.theme.current, { height, follow: true });
	}

	/** An event of the agent. */
	onEvent(event: EventFrame): void {
		this.#live.apply(event);
		this.#conversation.onEvent(event);
		this.#screen.requestRender();
	}

	wantsEscape(): boolean {
		return false;
	}

	invalidate(): void {
		this.#blocks.invalidate();
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const line = theme.fg("border", "─".repeat(Math.max(0, width)));
		const hints = this.#parts.hints(theme).filter((hint) => hint !== "");
		return [
			line,
			truncateToWidth(this.#parts.title(theme), width),
			...this.#scroll.render(width),
			"",
			truncateToWidth(` ${hints.join(theme.fg("dim", " · "))}`, width),
		];
	}

	handleInput(data: string): void {
		if (!this.#parts.onKey(data)) this.#scroll.handleKey(data);
		this.#screen.requestRender();
	}
}

/** The blocks of a conversation, one below the other. */
class Blocks implements Component, BlockSink {
	readonly #blocks: TranscriptBlock[] = [];

	addChild(block: TranscriptBlock): void {
		this.#blocks.push(block);
	}

	removeChild(block: TranscriptBlock): void {
		const at = this.#blocks.indexOf(block);
		if (at >= 0) this.#blocks.splice(at, 1);
	}

	invalidate(): void {
		for (const block of this.#blocks) block.invalidate();
	}

	render(width: number): string[] {
		return this.#blocks.flatMap((block) => block.render(width));
	}
}

/** Blocks that are in no transcript of the screen ask for a frame. */
function viewOf(view: ViewContext, screen: PickerScreen): ViewContext {
	return {
		get theme() {
			return view.theme;
		},
		get animation() {
			return view.animation;
		},
		get cwd() {
			return view.cwd;
		},
		get self() {
			return view.self;
		},
		get expandTools() {
			return view.expandTools;
		},
		get showThinking() {
			return view.showThinking;
		},
		get thinkingLabel() {
			return view.thinkingLabel;
		},
		get hyperlinks() {
			return view.hyperlinks;
		},
		get imageSize() {
			return view.imageSize;
		},
		findRenderer: view.findRenderer,
		findMessageRenderer: view.findMessageRenderer,
		transforms: view.transforms,
		redraw: () => screen.requestRender(),
	};
}
