/** The text of an RTF file. */
import { DocumentError, type DocumentText } from "./document.ts";
import { finished } from "./parts.ts";

/** Groups that contain no text of the document. */
const asides = new Set(
	"fonttbl colortbl stylesheet info pict object header footer headerl headerr footerl footerr listtable listoverridetable rsidtbl generator themedata datastore xmlnstbl fldinst".split(
		" ",
	),
);
const characters: Readonly<Record<string, string>> = {
	par: "\n\n",
	sect: "\n\n",
	page: "\n\n",
	line: "\n",
	row: "\n",
	tab: "\t",
	cell: "\t",
	emdash: "—",
	endash: "–",
	lquote: "‘",
	rquote: "’",
	ldblquote: "“",
	rdblquote: "”",
	bullet: "•",
};

/** A control word with its number, a control symbol, a brace, or text. */
const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

/** The number of substitute characters after a Unicode character, and whether the group is hidden. */
type Group = { skip: number; hidden: boolean };

export function readRtf(bytes: Uint8Array): DocumentText {
	const source = Buffer.from(bytes).toString("latin1");
	if (!source.startsWith("{\\rtf")) throw new DocumentError("damaged", "This is not an RTF file.");
	const page = /\\ansicpg(\d+)/.exec(source)?.[1] ?? "1252";
	const reader = new RtfReader(decoderOf(page));
	for (const match of source.matchAll(token)) reader.take(match);
	return finished(
		reader
			.text()
			.replace(/\t\n/g, "\n")
			.replace(/\n{3,}/g, "\n\n")
			.trim(),
	);
}

class RtfReader {
	#text = "";
	#group: Group = { skip: 1, hidden: false };
	readonly #outer: Group[] = [];
	/** Substitute characters of the last Unicode character that are still to come. */
	#replacements = 0;
	/** Bytes of the document's own encoding; a character may take several. */
	readonly #bytes: number[] = [];
	readonly #decoder: TextDecoder;

	constructor(decoder: TextDecoder) {
		this.#decoder = decoder;
	}

	text(): string {
		this.#flush();
		return this.#text;
	}

	take([, word, number, hex, symbol, brace, text]: RegExpExecArray): void {
		if (hex !== undefined) this.#byte(parseInt(hex, 16));
		else if (text !== undefined) this.#plain(text);
		else if (brace === "{") this.#open();
		else if (brace === "}") this.#close();
		else if (symbol !== undefined) this.#symbol(symbol);
		else if (word !== undefined) this.#word(word, number === undefined ? undefined : Number(number));
	}

	#open(): void {
		this.#flush();
		this.#outer.push(this.#group);
		this.#group = { ...this.#group };
	}

	#close(): void {
		this.#flush();
		this.#group = this.#outer.pop() ?? this.#group;
		this.#replacements = 0;
	}

	#symbol(symbol: string): void {
		// `\*` begins a group that only newer readers know; the other symbols are special characters.
		if (symbol === "*") this.#group.hidden = true;
		else if (symbol === "~") this.#plain("\u00a0");
		else if (symbol === "_") this.#plain("-");
		else if (symbol === "\n" || symbol === "\r") this.#plain("\n\n");
		else if ("\\{}".includes(symbol)) this.#plain(symbol);
	}

	#word(word: string, number: number | undefined): void {
		if (asides.has(word)) this.#group.hidden = true;
		else if (word === "uc") this.#group.skip = Math.max(0, number ?? 1);
		else if (word === "u" && number !== undefined) {
			this.#plain(String.fromCharCode(number & 0xffff));
			this.#replacements = this.#group.skip;
		} else if (Object.hasOwn(characters, word)) this.#plain(characters[word] ?? "");
	}

	#byte(value: number): void {
		if (this.#replacements > 0) this.#replacements--;
		else if (!this.#group.hidden) this.#bytes.push(value);
	}

	#plain(text: string): void {
		const visible = text.slice(this.#replacements);
		this.#replacements = Math.max(0, this.#replacements - text.length);
		if (this.#group.hidden) return;
		this.#flush();
		this.#text += visible;
	}

	#flush(): void {
		if (this.#bytes.length > 0) this.#text += this.#decoder.decode(Uint8Array.from(this.#bytes.splice(0)));
	}
}

function decoderOf(page: string): TextDecoder {
	const names: Readonly<Record<string, string>> = {
		"932": "shift_jis",
		"936": "gbk",
		"949": "euc-kr",
		"950": "big5",
	};
	try {
		// Bun's types list three encodings; the standard has all of these.
		return new TextDecoder((names[page] ?? `windows-${page}`) as Bun.Encoding);
	} catch {
		// For an unknown code page, this one has the letters of most languages.
		return new TextDecoder("windows-1252");
	}
}
