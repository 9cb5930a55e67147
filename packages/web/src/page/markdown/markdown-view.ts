/** Draws Markdown that grows: a finished block is made once and never touched again, only the open one is made anew. */
import { limits } from "../limits.ts";
import { artifactTypeOf } from "../store/artifacts.ts";
import { BlockCutter, type Block } from "./blocks.ts";
import type { RenderOptions } from "./pictures.ts";
import { markdownNodes } from "./sanitize.ts";
import { whenSeen } from "./when-seen.ts";

export class MarkdownView {
	readonly #root: HTMLElement;
	readonly #options: RenderOptions;
	#cutter = new BlockCutter();
	#text = "";
	#made = 0;
	/** The finished blocks at the end, as long as there is room in it. */
	#section: { element: HTMLElement; blocks: number } | undefined;
	#open: { element: HTMLElement; text: string; at: number; grown?: Text } | undefined;

	constructor(root: HTMLElement, options: RenderOptions) {
		this.#root = root;
		this.#options = options;
	}

	/** `text` is the whole so far. */
	update(text: string, isDone: boolean): void {
		if (!text.startsWith(this.#text)) this.#reset();
		this.#text = text;
		this.#cutter.take(text, isDone);
		const { finished } = this.#cutter;
		if (this.#made < finished.length) {
			this.#dropOpen();
			for (const block of finished.slice(this.#made)) this.#sectionFor().append(this.#blockOf(block, true));
			this.#made = finished.length;
		}
		this.#drawOpen(this.#cutter.open);
	}

	/** What is out of sight is left out section by section: to ask each of thousands of blocks costs more than to draw them. */
	#sectionFor(): HTMLElement {
		if (!this.#section || this.#section.blocks >= limits.sectionBlocks) {
			if (this.#section) this.#root.classList.add("is-long");
			const element = document.createElement("div");
			element.className = "passage";
			this.#root.append(element);
			this.#section = { element, blocks: 0 };
		}
		this.#section.blocks++;
		return this.#section.element;
	}

	#reset(): void {
		this.#root.replaceChildren();
		this.#root.classList.remove("is-long");
		this.#section = undefined;
		this.#cutter = new BlockCutter();
		this.#made = 0;
		this.#open = undefined;
	}

	#dropOpen(): void {
		this.#open?.element.remove();
		this.#open = undefined;
	}

	#drawOpen(block: Block): void {
		if (block.text.trim() === "") return this.#dropOpen();
		const before = this.#open;
		if (before?.text === block.text) return;
		if (before?.grown && block.code && this.#grow(before.grown, block.code.text)) {
			before.text = block.text;
			return;
		}
		const now = performance.now();
		if (before && block.text.length > limits.openBlockChars && now - before.at < limits.longBlockMs) return;
		const element = this.#blockOf(block, false);
		if (before) before.element.replaceWith(element);
		else this.#root.append(element);
		const grown = block.code ? element.querySelector("code")?.firstChild : undefined;
		this.#open = { element, text: block.text, at: now, ...(grown instanceof Text ? { grown } : {}) };
	}

	/** Code that is written only gets longer: the new part is added to the same text. */
	#grow(node: Text, text: string): boolean {
		if (!text.startsWith(node.data)) return false;
		node.appendData(text.slice(node.data.length));
		return true;
	}

	#blockOf({ text, code }: Block, isFinished: boolean): HTMLElement {
		const element = document.createElement("div");
		element.className = `block${isFinished ? "" : " open"}${/^(?:[-*+]|\d{1,9}[.)])[ \t]/.test(text) ? " item" : ""}`;
		element.append(
			code
				? codeBlock(code.text, code.language, isFinished)
				: markdownNodes(text, isFinished ? this.#options : { ...this.#options, picture: undefined }),
		);
		return element;
	}
}

function codeBlock(text: string, language: string, isFinished: boolean): HTMLElement {
	const figure = document.createElement("figure");
	figure.className = "code";
	const head = document.createElement("figcaption");
	const name = document.createElement("span");
	name.className = "language";
	name.textContent = language || "text";
	head.append(name);
	if (isFinished && artifactTypeOf(language) !== undefined) head.append(headButton("open-artifact", "Open"));
	if (isFinished) head.append(headButton("copy-code", "Copy"));
	const pre = document.createElement("pre");
	// Whoever moves by keyboard can scroll it.
	pre.tabIndex = 0;
	const code = document.createElement("code");
	code.append(document.createTextNode(text));
	pre.append(code);
	figure.append(head, pre);
	if (isFinished && language !== "" && text.length <= limits.highlightChars) {
		whenSeen(code, () => void colored(code, text, language));
	}
	return figure;
}

/** The page listens to clicks on it in one place (`markdown.tsx`). */
function headButton(action: string, label: string): HTMLElement {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "copy";
	button.dataset.action = action;
	button.textContent = label;
	return button;
}

/** When it comes into view. */
async function colored(code: Element, text: string, language: string): Promise<void> {
	// Most answers have no code: the highlighter comes with the first that has.
	const { highlighted } = await import("./highlight.ts");
	const nodes = await highlighted(text, language);
	if (nodes) code.replaceChildren(nodes);
}
