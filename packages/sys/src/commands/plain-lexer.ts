/**
 * Splits a script into commands a second time, by quotes, blanks and operators alone, so that a mistake of the parser shows:
 * both must come to the same words. What is beyond plain commands is not read at all.
 */
import { words as wordSet } from "./args.ts";
import type { Node, Simple } from "./syntax/tree.ts";

/** A command as its words in any order, behind the one that names its program. */
type Flat = string;

const leading = wordSet("if then elif else fi do done { } ! time");
const operator = /&>|&&|\|\||>>|>&|<<(?![<-])|[;&|()<>\n]/y;
const redirects = wordSet("&> >> >& << < >");

/** Whether this reading finds the commands of the tree. */
export function readsAlike(text: string, script: Node): boolean {
	const read = new Lexer(text).commands();
	const parsed = commandsOf(script);
	return read !== undefined && parsed !== undefined && read.join("\0\0") === parsed.join("\0\0");
}

function flat(words: readonly string[], targets: readonly string[]): Flat {
	const program = words.find((word) => !/^[A-Za-z_]\w*=/u.test(word)) ?? "";
	return [program, ...[...words, ...targets].toSorted()].join("\0");
}

function commandsOf(node: Node): Flat[] | undefined {
	switch (node.kind) {
		case "list":
			return joined(node.items.map((item) => item.node));
		case "pipeline":
			return joined(node.commands);
		case "subshell":
			return commandsOf(node.body);
		case "simple":
			return [flatSimple(node)];
		case "compound": {
			const loop =
				node.variable === undefined
					? []
					: [flat(["for", node.variable, "in", ...node.words.map(({ text }) => text)], [])];
			const bodies = joined(node.bodies);
			return bodies && [...loop, ...bodies];
		}
		default:
			return undefined;
	}
}

function joined(nodes: readonly Node[]): Flat[] | undefined {
	const all = nodes.map(commandsOf);
	return all.every((each) => each !== undefined) ? all.flat() : undefined;
}

function flatSimple({ assignments, words, redirects: files }: Simple): Flat {
	const set = assignments.map(({ name, words: [word] }) => `${name}=${word?.text ?? ""}`);
	const named = words.map(({ text }) => text);
	// The keyword may be a word of the tree, or not.
	const own = named[0] === "time" ? named.slice(1) : named;
	return flat(
		[...set, ...own],
		files.map(({ target }) => target.text),
	);
}

class Lexer {
	readonly #text: string;
	#at = 0;
	readonly #ends: string[] = [];

	constructor(text: string) {
		this.#text = text;
	}

	/** Undefined for what is not plain. */
	commands(): Flat[] | undefined {
		const all: Flat[] = [];
		let words: string[] = [];
		let targets: string[] = [];
		const end = (): void => {
			while (leading.has(words[0] ?? "")) words.shift();
			if (words.length + targets.length > 0) all.push(flat(words, targets));
			[words, targets] = [[], []];
		};
		for (;;) {
			this.#skip(/(?:[ \t]+(?:\\\n)?)*(?:#[^\n]*)?/y);
			if (this.#at >= this.#text.length) break;
			// The number of a descriptor belongs to the operator behind it.
			this.#skip(/[012](?=[<>])/y);
			const found = this.#match(operator);
			if (found === undefined || redirects.has(found)) {
				if (found !== undefined) this.#skip(/[ \t]*/y);
				const word = this.#word();
				if (word === undefined) return undefined;
				(found === undefined ? words : targets).push(word);
				if (found === "<<") this.#ends.push(word);
			} else {
				end();
				if (found === "\n" && !this.#texts()) return undefined;
			}
		}
		end();
		return this.#ends.length === 0 ? all : undefined;
	}

	#match(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.#at;
		const found = pattern.exec(this.#text)?.[0];
		this.#at += found?.length ?? 0;
		return found;
	}

	#skip(pattern: RegExp): void {
		this.#match(pattern);
	}

	/** Quotes, escapes and variables; nothing else that bash expands inside of a word. */
	#word(): string | undefined {
		const part =
			/(?:[^\s;&|()<>'"\\$`]|\\[^\n]|'[^']*'|\$(?:[A-Za-z_]\w*|[?#!$]|\{[A-Za-z_]\w*\}|(?=[\s/"|;)]|$))|"(?:[^"\\$`]|\\[^\n]|\$(?:[A-Za-z_]\w*|[?#!$]|\{[A-Za-z_]\w*\}|(?=[\s/"|)])))*")+/y;
		return this.#match(part);
	}

	/** The texts of heredocs, up to the lines that end them. */
	#texts(): boolean {
		for (const word of this.#ends.splice(0)) {
			const [, quote = "", name = ""] = /^(['"]?)([A-Za-z_]\w*)\1$/u.exec(word) ?? [];
			const lines = this.#text.slice(this.#at).split("\n");
			const last = lines.indexOf(name);
			if (name === "" || last < 0) return false;
			// Without quotes, a backslash joins lines, also that of the end.
			if (quote === "" && lines.slice(0, last).some((line) => /[\\$`]/u.test(line))) return false;
			this.#at += lines.slice(0, last + 1).join("\n").length;
		}
		return true;
	}
}
