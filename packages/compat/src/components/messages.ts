/** Messages of a conversation as pi's components, for extensions that show one themselves. */
import { Box, Container, Markdown, Spacer, Text, type Component, type MarkdownTheme } from "@tau/tui";
import type { AssistantMessage } from "@tau/ai";
import { stripControls } from "@tau/utils";
import type { MessageRenderer } from "@tau/extensions/api";
import type { BranchSummaryMessage, CompactionSummaryMessage, CustomMessage } from "@tau/log";

import type { ParsedSkillBlock } from "../sdk/skills.ts";
import { getMarkdownTheme, renderHelpers } from "./theming.ts";
import { screenTheme } from "../support/screen-theme.ts";

export class UserMessageComponent extends Container {
	constructor(text: string, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
		super();
		const ground = (row: string): string =>
			screenTheme().bg("userMessageBg", screenTheme().fg("userMessageText", row));
		const box = new Box(1, 1, ground);
		box.addChild(new Markdown(stripControls(text), 0, 0, markdownTheme));
		this.addChild(box);
	}
}

export class AssistantMessageComponent extends Container {
	readonly #theme: MarkdownTheme;
	#message: AssistantMessage | undefined;
	#hidesThinking: boolean;
	#label: string;

	constructor(
		message?: AssistantMessage,
		hideThinkingBlock: boolean = false,
		markdownTheme: MarkdownTheme = getMarkdownTheme(),
		hiddenThinkingLabel: string = "Thinking...",
	) {
		super();
		this.#theme = markdownTheme;
		this.#hidesThinking = hideThinkingBlock;
		this.#label = hiddenThinkingLabel;
		if (message) this.updateContent(message);
	}

	setHideThinkingBlock(hide: boolean): void {
		this.#hidesThinking = hide;
		this.#build();
	}

	setHiddenThinkingLabel(label: string): void {
		this.#label = label;
		this.#build();
	}

	updateContent(message: AssistantMessage): void {
		this.#message = message;
		this.#build();
	}

	override invalidate(): void {
		this.#build();
	}

	#build(): void {
		this.clear();
		const message = this.#message;
		if (!message) return;
		for (const block of message.content) {
			if (block.type === "text" && block.text.trim() !== "")
				this.#add(new Markdown(block.text.trim(), 1, 0, this.#theme));
			else if (block.type === "thinking" && block.thinking.trim() !== "")
				this.#add(this.#thinking(block.thinking));
		}
		const failure = failureOf(message);
		if (failure !== undefined) this.#add(new Text(screenTheme().fg("error", failure), 1, 0));
	}

	#add(component: Component): void {
		this.addChild(new Spacer(1));
		this.addChild(component);
	}

	#thinking(text: string): Component {
		const paint = (row: string): string => screenTheme().italic(screenTheme().fg("thinkingText", row));
		return new Text(paint(this.#hidesThinking ? this.#label : stripControls(text.trim())), 1, 0);
	}
}

/** A message with calls reports its end in their rows. */
function failureOf({ stopReason, errorMessage, content }: AssistantMessage): string | undefined {
	if (content.some(({ type }) => type === "toolCall")) return undefined;
	if (stopReason === "aborted") return "Stopped.";
	return stopReason === "error" ? `Error: ${stripControls(errorMessage ?? "no reason given")}` : undefined;
}

/** A box with a label, and with more in it while it is expanded. */
class Foldable extends Box {
	readonly #label: string;
	readonly #short: string;
	readonly #whole: string;
	readonly #theme: MarkdownTheme;
	#isExpanded = false;

	constructor(label: string, short: string, whole: string, theme: MarkdownTheme) {
		super(1, 1, (row) => screenTheme().bg("customMessageBg", row));
		this.#label = label;
		this.#short = short;
		this.#whole = stripControls(whole);
		this.#theme = theme;
		this.#build();
	}

	setExpanded(expanded: boolean): void {
		this.#isExpanded = expanded;
		this.#build();
	}

	override invalidate(): void {
		super.invalidate();
		this.#build();
	}

	#build(): void {
		this.clear();
		const colors = screenTheme();
		this.addChild(new Text(colors.fg("customMessageLabel", colors.bold(`[${this.#label}]`)), 0, 0));
		this.addChild(new Spacer(1));
		this.addChild(
			this.#isExpanded
				? new Markdown(this.#whole, 0, 0, this.#theme)
				: new Text(colors.fg("customMessageText", this.#short), 0, 0),
		);
	}
}

export class BranchSummaryMessageComponent extends Foldable {
	constructor({ summary }: BranchSummaryMessage, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
		super("branch", "Summary of the other branch.", summary, markdownTheme);
	}
}

export class CompactionSummaryMessageComponent extends Foldable {
	constructor(message: CompactionSummaryMessage, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
		const { summary, tokensBefore } = message;
		super(
			"compaction",
			`Compacted from ${tokensBefore.toLocaleString("en")} tokens.`,
			summary,
			markdownTheme,
		);
	}
}

export class SkillInvocationMessageComponent extends Foldable {
	constructor({ name, content }: ParsedSkillBlock, markdownTheme: MarkdownTheme = getMarkdownTheme()) {
		super("skill", name, content, markdownTheme);
	}
}

export class CustomMessageComponent extends Container {
	readonly #message: CustomMessage;
	readonly #render: MessageRenderer | undefined;
	readonly #theme: MarkdownTheme;
	#isExpanded = false;

	constructor(
		message: CustomMessage,
		customRenderer?: MessageRenderer,
		markdownTheme: MarkdownTheme = getMarkdownTheme(),
	) {
		super();
		this.#message = message;
		this.#render = customRenderer;
		this.#theme = markdownTheme;
		this.#build();
	}

	setExpanded(expanded: boolean): void {
		this.#isExpanded = expanded;
		this.#build();
	}

	override invalidate(): void {
		this.#build();
	}

	#build(): void {
		this.clear();
		const own = this.#render?.(
			this.#message,
			{ expanded: this.#isExpanded, ...renderHelpers },
			screenTheme(),
		);
		this.addChild(new Spacer(1));
		this.addChild(own ?? this.#plain());
	}

	#plain(): Component {
		const { customType, content } = this.#message;
		const text =
			typeof content === "string"
				? content
				: content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n");
		const colors = screenTheme();
		const box = new Box(1, 1, (row) => colors.bg("customMessageBg", row));
		box.addChild(new Text(colors.fg("customMessageLabel", colors.bold(`[${customType}]`)), 0, 0));
		box.addChild(new Spacer(1));
		box.addChild(new Markdown(stripControls(text), 0, 0, this.#theme));
		return box;
	}
}
