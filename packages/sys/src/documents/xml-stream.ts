/** Reads XML as it arrives, for parts that are too large for a tree: a sheet of 200,000 rows has 40 MB. */
import { limits } from "../limits.ts";
import { DocumentError } from "./document.ts";

export interface XmlHandler {
	/** Names are local ones; the prefixes are the writer's choice. */
	open(name: string, attribute: (name: string) => string | undefined): void;
	close(name: string): void;
	text(text: string): void;
}

/** Its alternatives never begin with the same character, so that it cannot backtrack. */
const tag = /<(\/?)([^\s<>/"']+)((?:[^"'<>]|"[^"]*"|'[^']*')*)>/y;
const sections: readonly [start: string, end: string][] = [
	["<!--", "-->"],
	["<![CDATA[", "]]>"],
	["<?", "?>"],
];

export class XmlStream {
	readonly #handler: XmlHandler;
	readonly #path: string;
	#rest = "";
	#depth = 0;

	/** `path` names the part in messages. */
	constructor(path: string, handler: XmlHandler) {
		this.#path = path;
		this.#handler = handler;
	}

	write(chunk: string): void {
		const source = this.#rest + chunk;
		let at = 0;
		for (let next = this.#step(source, at); next !== undefined; next = this.#step(source, at)) at = next;
		this.#rest = source.slice(at);
		if (this.#rest.length > limits.documentTokenChars) throw this.#malformed();
	}

	end(): void {
		if (this.#depth !== 0 || this.#rest.trim() !== "") throw this.#malformed();
	}

	/** Reads one piece; returns where the next one begins, or undefined if it is not complete yet. */
	#step(source: string, at: number): number | undefined {
		const start = source.indexOf("<", at);
		if (start < 0) return undefined;
		if (start > at) {
			if (this.#depth > 0) this.#handler.text(unescapeXml(source.slice(at, start)));
			return start;
		}
		const second = source[at + 1];
		if (second === "!" || second === "?") return this.#section(source, at);
		tag.lastIndex = at;
		const [whole, slash, name = "", rest = ""] = tag.exec(source) ?? [];
		if (whole === undefined) {
			if (source.indexOf(">", at) >= 0 && source.indexOf("<", at + 1) >= 0) throw this.#malformed();
			return undefined;
		}
		this.#element(name.slice(name.indexOf(":") + 1), slash === "/", rest);
		return at + whole.length;
	}

	#element(name: string, isEnd: boolean, rest: string): void {
		if (isEnd) {
			this.#depth--;
			this.#handler.close(name);
			return;
		}
		this.#handler.open(name, (wanted) => attributeIn(rest, wanted));
		if (rest.endsWith("/")) this.#handler.close(name);
		else this.#depth++;
	}

	#section(source: string, at: number): number | undefined {
		for (const [start, end] of sections) {
			if (!source.startsWith(start, at)) continue;
			const stop = source.indexOf(end, at + start.length);
			if (stop < 0) return undefined;
			if (end === "]]>") this.#handler.text(source.slice(at + start.length, stop));
			return stop + end.length;
		}
		if (source.length - at < "<![CDATA[".length) return undefined;
		// Only a document type is left, and Office writes none: it could define entities that expand without end.
		throw this.#malformed();
	}

	#malformed(): DocumentError {
		return new DocumentError("damaged", `The document is damaged: ${this.#path} is not well-formed.`);
	}
}

function attributeIn(source: string, wanted: string): string | undefined {
	for (const [, name = "", double, single] of source.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
		if (name.slice(name.indexOf(":") + 1) === wanted) return unescapeXml(double ?? single ?? "");
	}
	return undefined;
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescapeXml(text: string): string {
	if (!text.includes("&")) return text;
	return text.replaceAll(
		/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/gi,
		(whole, hex, decimal, name) => {
			if (name !== undefined) return named[String(name).toLowerCase()] ?? whole;
			const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
			return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
		},
	);
}
