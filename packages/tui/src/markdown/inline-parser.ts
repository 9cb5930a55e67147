/** Parses the text of a block: emphasis, code, links, references, breaks. */
import { bareLink, enclosedLink, mayHoldLinks } from "./autolinks.ts";
import { Runs, makeRun, type Run } from "./emphasis.ts";
import { punctuation, referenceAt } from "./entities.ts";
import { tagSource } from "./html-blocks.ts";
import { settled, type PendingNode, type Inline } from "./inline-nodes.ts";
import type { Definition } from "./leaf.ts";
import { destinationAt, labelAt, labelKey, skipSpace, titleAt } from "./link-syntax.ts";

export interface InlineOptions {
	definitions: ReadonlyMap<string, Definition>;
	/** The text is incomplete: an unfinished construct at its end is parsed as what it will most likely become. */
	isOpen: boolean;
}

interface Bracket {
	/** Its index among the nodes, and the position after it in the text. */
	piece: number;
	end: number;
	isImage: boolean;
	/** A link cannot contain another link. */
	isActive: boolean;
	/** The last run of emphasis before it. */
	run: Run | undefined;
	/** True if another bracket follows, so that it is not a label. */
	hasInner: boolean;
}

const signs = /[\n`*_~[\]!<&\\]/g;
const signsAndLinks = /[\n`*_~[\]!<&\\hHwW]/g;
const html = new RegExp(
	`${tagSource}|<!-->|<!--->|<!--[^]*?-->|<\\?[^]*?\\?>|<![A-Za-z][^>]*>|<!\\[CDATA\\[[^]*?\\]\\]>`,
	"y",
);

const htmlEnds = [
	["<!--", "-->"],
	["<?", "?>"],
	["<![CDATA[", "]]>"],
] as const;

/** Without any of these, a text is one node: most items of lists, cells of tables and headings. */
const anySign = /[\n`*_~[\]!<&\\]|:\/\/|www\./i;

export function parseInlines(text: string, options: InlineOptions): Inline[] {
	if (!anySign.test(text)) return text === "" ? [] : [{ kind: "text", text }];
	return new InlineParser(options.isOpen ? withoutLooseEnd(text) : text, options).parse();
}

/** Whether no text that may follow after a space can change how this text is parsed. */
export function isComplete(text: string, definitions: InlineOptions["definitions"]): boolean {
	const parser = new InlineParser(text, { definitions, isOpen: false });
	parser.parse();
	return parser.isComplete;
}

/** A special character at the very end may be the start of a construct, or part of its end. */
function withoutLooseEnd(text: string): string {
	const [run] = /(?:\\|[*_~]+|!?\[)$/.exec(text) ?? [];
	if (run === undefined) return text;
	const before = text.slice(0, -run.length);
	const isPart = run === "\\" || run.endsWith("[") || before.includes(run.charAt(0));
	return isPart || /(?:^|[\s\p{P}])$/u.test(before) ? before : text;
}

class InlineParser {
	readonly #text: string;
	readonly #definitions: ReadonlyMap<string, Definition>;
	readonly #isOpen: boolean;
	readonly #next: RegExp;
	readonly #pieces: PendingNode[] = [];
	readonly #runs = new Runs();
	readonly #brackets: Bracket[] = [];
	/** The last position of each length of backtick runs: only before it is a search for a partner worthwhile. */
	#lastTicks: Map<number, number> | undefined;
	readonly #lastEnds = new Map<string, number>();
	/** True if a backtick or an angle bracket is unpaired. */
	#hasLooseSign = false;
	#at = 0;

	constructor(text: string, { definitions, isOpen }: InlineOptions) {
		this.#text = text;
		this.#definitions = definitions;
		this.#isOpen = isOpen;
		this.#next = mayHoldLinks(text) ? signsAndLinks : signs;
	}

	get isComplete(): boolean {
		return !this.#hasLooseSign && this.#brackets.length === 0 && this.#runs.unpaired().length === 0;
	}

	parse(): Inline[] {
		while (this.#at < this.#text.length) {
			this.#next.lastIndex = this.#at;
			const index = this.#next.exec(this.#text)?.index ?? this.#text.length;
			this.#add(this.#text.slice(this.#at, index));
			this.#at = index;
			if (index < this.#text.length) this.#sign(this.#text.charAt(index));
		}
		if (this.#isOpen) this.#openLink();
		this.#runs.pair(undefined);
		if (this.#isOpen) this.#openRuns();
		return settled(this.#pieces);
	}

	#add(text: string): void {
		if (text !== "") this.#pieces.push({ kind: "text", text });
	}

	/** Adds the next characters as text. */
	#literal(length = 1): void {
		this.#add(this.#text.slice(this.#at, this.#at + length));
		this.#at += length;
	}

	#sign(sign: string): void {
		switch (sign) {
			case "\n":
				return this.#break();
			case "\\":
				return this.#backslash();
			case "`":
				return this.#code();
			case "*":
			case "_":
			case "~":
				return this.#run(sign);
			case "[":
				return this.#bracket(false);
			case "!":
				return this.#text[this.#at + 1] === "[" ? this.#bracket(true) : this.#literal();
			case "]":
				return this.#closeBracket();
			case "<":
				return this.#angle();
			case "&":
				return this.#reference();
			default:
				return this.#bareLink();
		}
	}

	/** Two spaces before it make it a hard break; spaces around it are removed. */
	#break(): void {
		const last = this.#pieces.at(-1);
		let isHard = false;
		if (last?.kind === "text") {
			isHard = last.text.endsWith("  ");
			last.text = last.text.replace(/ +$/, "");
		}
		this.#addBreak(isHard, 1);
	}

	#addBreak(isHard: boolean, length: number): void {
		this.#pieces.push({ kind: "break", isHard });
		this.#at += length;
		while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
	}

	#backslash(): void {
		const following = this.#text.charAt(this.#at + 1);
		if (following === "\n") this.#addBreak(true, 2);
		else if (following !== "" && punctuation.test(following)) {
			this.#add(following);
			this.#at += 2;
		} else this.#literal();
	}

	#code(): void {
		const length = runLength(this.#text, this.#at);
		const start = this.#at + length;
		const end = this.#ticksFrom(start, length);
		this.#hasLooseSign ||= end === undefined;
		if (end === undefined && !this.#isOpen) return this.#literal(length);
		const source = this.#text.slice(start, end ?? this.#text.length).replaceAll("\n", " ");
		// Its last backticks may be the first part of its end.
		const code = end === undefined ? source.replace(/`+$/, "") : source;
		const isPadded = /^ .*[^ ].* $/.test(code);
		if (code !== "") this.#pieces.push({ kind: "code", text: isPadded ? code.slice(1, -1) : code });
		this.#at = end === undefined ? this.#text.length : end + length;
	}

	/** The next run of exactly this many backticks. */
	#ticksFrom(from: number, length: number): number | undefined {
		this.#lastTicks ??= lastTicks(this.#text);
		if ((this.#lastTicks.get(length) ?? -1) < from) return undefined;
		let at = this.#text.indexOf("`", from);
		while (at >= 0) {
			const index = runLength(this.#text, at);
			if (index === length) return at;
			at = this.#text.indexOf("`", at + index);
		}
		return undefined;
	}

	#run(sign: string): void {
		let end = this.#at;
		while (this.#text[end] === sign) end++;
		const run = makeRun(this.#text, this.#at, end);
		this.#pieces.push(run);
		if (run.canOpen || run.canClose) this.#runs.push(run);
		this.#at = end;
	}

	#bracket(isImage: boolean): void {
		const last = this.#brackets.at(-1);
		if (last) last.hasInner = true;
		const length = isImage ? 2 : 1;
		this.#brackets.push({
			piece: this.#pieces.length,
			end: this.#at + length,
			isImage,
			isActive: true,
			run: this.#runs.last,
			hasInner: false,
		});
		this.#literal(length);
	}

	#closeBracket(): void {
		const bracket = this.#brackets.at(-1);
		const target = bracket?.isActive ? this.#target(bracket) : undefined;
		// At the very end, the address may still follow.
		const isCut = this.#isOpen && target === undefined && this.#at === this.#text.length - 1;
		if (isCut && bracket !== undefined && this.#isLikelyLink(bracket)) {
			this.#at++;
			return;
		}
		this.#brackets.pop();
		if (bracket === undefined || target === undefined) return this.#literal();
		this.#link(bracket, target);
		this.#at = target.end;
	}

	/** The target of the link whose text begins after the bracket. */
	#link(bracket: Bracket, { href, title }: Definition): void {
		this.#runs.pair(bracket.run);
		this.#runs.forget(bracket.run);
		this.#pieces[bracket.piece] = { kind: bracket.isImage ? "image" : "link", href, title };
		this.#pieces.push({ kind: bracket.isImage ? "unimage" : "unlink" });
		if (bracket.isImage) return;
		for (let at = this.#brackets.length - 1; at >= 0; at--) {
			const outer = this.#brackets[at];
			if (outer === undefined || (!outer.isImage && !outer.isActive)) break;
			if (!outer.isImage) outer.isActive = false;
		}
	}

	#target(bracket: Bracket): (Definition & { end: number }) | undefined {
		const behind = this.#at + 1;
		if (this.#text[behind] === "(") {
			const inline = this.#inlineTarget(behind + 1);
			if (inline) return inline;
		}
		const label = labelAt(this.#text, behind);
		const isOwn = label === undefined || label.text === "";
		if (isOwn && bracket.hasInner) return undefined;
		const key = labelKey(isOwn ? this.#text.slice(bracket.end, this.#at) : label.text);
		const definition = key === "" ? undefined : this.#definitions.get(key);
		return definition && { ...definition, end: label?.end ?? behind };
	}

	/** `address "title")`. */
	#inlineTarget(start: number): (Definition & { end: number }) | undefined {
		const text = this.#text;
		const from = skipSpace(text, start);
		const address = destinationAt(text, from);
		if (address === undefined) return this.#unfinished(from, text[from] === "<" ? /[>\n]/ : /[\s)]/);
		const behind = skipSpace(text, address.end);
		const title = behind > address.end ? titleAt(text, behind) : undefined;
		const end = skipSpace(text, title?.end ?? address.end);
		if (text[end] === ")") return { href: address.text, title: title?.text ?? "", end: end + 1 };
		if (end >= text.length) return this.#unfinished(end, /./);
		const startsTitle = title === undefined && /["']/.test(text.charAt(behind));
		return startsTitle && behind > address.end ? this.#unfinished(behind, /\n/) : undefined;
	}

	/** A link whose address is still incomplete: nothing of the address is shown. */
	#unfinished(from: number, stop: RegExp): (Definition & { end: number }) | undefined {
		if (!this.#isOpen || stop.test(this.#text.slice(from))) return undefined;
		return { href: "", title: "", end: this.#text.length };
	}

	#angle(): void {
		const link = enclosedLink(this.#text, this.#at);
		if (link) {
			this.#addLink(link.text, link.href);
			this.#at = link.end;
			return;
		}
		html.lastIndex = this.#at;
		const tag = this.#mayEnd() ? html.exec(this.#text)?.[0] : undefined;
		this.#hasLooseSign ||= tag === undefined;
		if (tag === undefined) return this.#literal();
		this.#pieces.push({ kind: "html", text: tag });
		this.#at += tag.length;
	}

	/** Whether the terminator occurs anywhere later: searched once, not from each start. */
	#mayEnd(): boolean {
		const end = htmlEnds.find(([start]) => this.#text.startsWith(start, this.#at))?.[1] ?? ">";
		const last = this.#lastEnds.get(end) ?? this.#text.lastIndexOf(end);
		this.#lastEnds.set(end, last);
		return last > this.#at;
	}

	#addLink(text: string, href: string): void {
		this.#pieces.push({ kind: "link", href, title: "" }, { kind: "text", text }, { kind: "unlink" });
	}

	#reference(): void {
		const found = referenceAt(this.#text, this.#at);
		if (found === undefined) return this.#literal();
		this.#add(found.text);
		this.#at += found.length;
	}

	#bareLink(): void {
		const link = bareLink(this.#text, this.#at);
		// In the text of a link, an address is its text.
		const isInLink = link && this.#brackets.some(({ isImage, isActive }) => !isImage && isActive);
		if (link === undefined || isInLink) return this.#literal();
		this.#addLink(link.text, link.href);
		this.#at = link.end;
	}

	/** An unclosed bracket: if a link is likely, its text is shown as one immediately. */
	#openLink(): void {
		const bracket = this.#brackets.at(-1);
		if (bracket && this.#isLikelyLink(bracket)) this.#link(bracket, { href: "", title: "" });
	}

	#isLikelyLink({ end, isImage, isActive }: Bracket): boolean {
		const before = this.#text.charAt(end - (isImage ? 3 : 2));
		return isActive && /^[\s(*_]?$/.test(before) && /^[\p{L}\p{N}`*_"]/u.test(this.#text.slice(end, end + 2));
	}

	/** Unclosed emphasis extends to the end. */
	#openRuns(): void {
		for (const run of this.#runs.unpaired()) {
			// Inside a word it is more likely a multiplication or a name.
			if (run.isInWord) continue;
			if (run.sign === "~") run.opens.push("del");
			else {
				if (run.count % 2 === 1) run.opens.push("em");
				if (run.count > 1) run.opens.push("strong");
			}
			run.count = 0;
		}
	}
}

function runLength(text: string, start: number): number {
	let end = start;
	while (text[end] === "`") end++;
	return end - start;
}

function lastTicks(text: string): Map<number, number> {
	const last = new Map<number, number>();
	for (let at = text.indexOf("`"); at >= 0;) {
		const length = runLength(text, at);
		last.set(length, at);
		at = text.indexOf("`", at + length);
	}
	return last;
}
