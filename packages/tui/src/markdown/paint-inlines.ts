/** Renders inline nodes with a theme; a line break is a line feed. */
import type { Paint } from "../elements/text.ts";
import type { Inline, Style } from "./inline-nodes.ts";
import type { Look } from "./theme.ts";

interface OpenLink {
	href: string;
	isImage: boolean;
	/** The visible text, without styles. */
	text: string;
}

export function paintInlines(pieces: readonly Inline[], look: Look, base: Paint): string {
	return new InlinePainter(look, base).paint(pieces);
}

class InlinePainter {
	readonly #look: Look;
	readonly #base: Paint;
	readonly #styles: Record<Style, number> = { em: 0, strong: 0, del: 0 };
	/** Links may contain images, and the text of images may contain links. */
	readonly #links: OpenLink[] = [];
	/** How many of them are images, whose text is shown when it is complete. */
	#images = 0;
	#painted = "";

	constructor(look: Look, base: Paint) {
		this.#look = look;
		this.#base = base;
	}

	paint(pieces: readonly Inline[]): string {
		for (const piece of pieces) this.#piece(piece);
		return this.#painted;
	}

	#piece(piece: Inline): void {
		switch (piece.kind) {
			case "text":
				return this.#text(piece.text, (text) => text);
			case "code":
				return this.#text(piece.text, this.#look.theme.code);
			case "html":
				if (/^<br *\/?>$/i.test(piece.text)) return this.#break();
				return this.#text(piece.text, (text) => text);
			case "break":
				// Models write lines that are meant as lines, and a terminal has no paragraphs to fill.
				return this.#break();
			case "open":
				this.#styles[piece.style]++;
				return;
			case "close":
				this.#styles[piece.style]--;
				return;
			case "link":
			case "image":
				this.#links.push({ href: piece.href, isImage: piece.kind === "image", text: "" });
				if (piece.kind === "image") this.#images++;
				return;
			default:
				this.#closeLink();
		}
	}

	#break(): void {
		for (const link of this.#links) link.text += " ";
		if (this.#images === 0) this.#painted += "\n";
	}

	#text(source: string, paint: Paint): void {
		// A reference may decode to a tab or a line feed.
		const text = source.replaceAll(/[\n\t]/g, " ");
		for (const link of this.#links) link.text += text;
		if (this.#images > 0) return;
		this.#painted += this.#linked(this.#styled(paint(text), text), this.#links.at(-1)?.href);
	}

	#styled(painted: string, text: string): string {
		const { theme } = this.#look;
		const isLink = this.#links.length > 0;
		// Spaces are not styled, which keeps rows that wrap there shorter.
		if (text.trim() === "" && !isLink) return this.#base(text);
		const linked = isLink ? theme.link(theme.underline(painted)) : painted;
		const struck = this.#styles.del > 0 ? theme.strikethrough(linked) : linked;
		const slanted = this.#styles.em > 0 ? theme.italic(struck) : struck;
		return this.#base(this.#styles.strong > 0 ? theme.bold(slanted) : slanted);
	}

	#linked(painted: string, href: string | undefined): string {
		const target = href !== undefined && this.#look.hasLinks ? safeTarget(href) : undefined;
		return target === undefined ? painted : `\u001B]8;;${target}\u001B\\${painted}\u001B]8;;\u001B\\`;
	}

	#closeLink(): void {
		const link = this.#links.pop();
		if (link?.isImage) this.#images--;
		if (link === undefined || this.#images > 0) return;
		if (link.isImage) {
			this.#links.push({ ...link, isImage: false });
			const text = `[image: ${link.text.trim() || link.href}]`;
			this.#painted += this.#linked(this.#styled(text, text), link.href);
			this.#links.pop();
		}
		const address = this.#shownAddress(link);
		if (address !== "")
			this.#painted += this.#base(" ") + this.#base(this.#look.theme.linkUrl(`(${address})`));
	}

	/** The address, if neither the text nor a terminal link shows it. */
	#shownAddress({ href, text, isImage }: OpenLink): string {
		const address = href.replaceAll(/\s/g, "%20");
		if (address === "" || address.startsWith("#") || (isImage && text.trim() === "")) return "";
		const isInText = [text, `mailto:${text}`, `http://${text}`, `${text}/`].includes(href);
		if (isInText) return "";
		// Text that looks like another address must not hide where the link goes.
		const isDisguised = /^\s*(?:[a-z]+:\/\/|www\.)/i.test(text);
		return this.#look.hasLinks && safeTarget(href) !== undefined && !isDisguised ? "" : address;
	}
}

const schemes = /^(?:https?|mailto|file):/i;

/** An address for a terminal: of a kind that is safe to open, in printable ASCII. */
function safeTarget(href: string): string | undefined {
	if (!schemes.test(href)) return undefined;
	return href.replaceAll(/[^!-~]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}
