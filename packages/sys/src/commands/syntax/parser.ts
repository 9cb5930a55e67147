/** Parses a shell script as bash does. What it does not understand it refuses: see `NotUnderstood`. */
import type {
	Assignment,
	Compound,
	Expression,
	ListOperator,
	Node,
	Part,
	Redirect,
	Script,
	Simple,
	Word,
} from "./tree.ts";
import { delimiterOf, literalText, WordReader } from "./words.ts";
import { partsOf, subscriptsOf, valueOf } from "./assignments.ts";

const closers = new Set(["then", "else", "elif", "fi", "do", "done", "esac", "}"]);
const reserved = /(?:[a-z]+|[{}!]|\[\[)(?=[ \t\n;&|()<>]|$)/uy;
const redirectOperator = /(?:\d+|\{[A-Za-z_]\w*\})?(?:<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\()|&>>|&>)/uy;
const assignmentStart = /^([A-Za-z_]\w*)(\[|\+?=)/u;
const declarations = new Set(["declare", "typeset", "local", "export", "readonly", "alias"]);
/** Binary operators of `[[ ]]` whose operands are arithmetic. */
const comparison = /^-(?:eq|ne|lt|le|gt|ge)$/u;

interface Pending {
	readonly delimiter: string;
	readonly quoted: boolean;
	readonly stripsTabs: boolean;
	setBody(body: Word): void;
}

export function parseScript(text: string, depth = 0): Script {
	return new Parser(text, depth).whole();
}

class Parser extends WordReader {
	#pending: Pending[] = [];

	whole(): Script {
		if (this.text.includes("\0")) this.fail("the command contains a NUL");
		const script = this.script("");
		if (!this.ended) this.fail(`"${this.char}" is not understood here`);
		this.#readHeredocs();
		return script;
	}

	protected inner(text: string): Script {
		return this.nested(() => parseScript(text, this.depth));
	}

	protected script(closing: ")" | ""): Script {
		const pending = this.#pending.length;
		const script = this.#list();
		if (closing === ")" && this.#pending.length > pending)
			this.fail("a heredoc ends outside of its substitution");
		return script;
	}

	#list(): Script {
		const items: { node: Node; operator: ListOperator }[] = [];
		for (;;) {
			this.#skipLines();
			if (
				this.ended ||
				this.char === ")" ||
				this.looksAt(";;") ||
				this.looksAt(";&") ||
				closers.has(this.#keyword())
			)
				break;
			const node = this.#pipeline();
			const operator = this.#operator();
			items.push({ node, operator: operator ?? ";" });
			if (operator === undefined) break;
		}
		const last = items.at(-1)?.operator;
		if (last === "&&" || last === "||") this.fail("the command is incomplete");
		return { kind: "list", items };
	}

	/** The operator after a pipeline; a new line counts as `;`. */
	#operator(): ListOperator | undefined {
		this.skipBlanks();
		this.#skipComment();
		if (this.take("&&")) return "&&";
		if (this.take("||")) return "||";
		if (this.looksAt(";;") || this.looksAt(";&")) return undefined;
		if (this.take(";")) return ";";
		if (this.take("&")) return "&";
		return this.#newline() ? ";" : undefined;
	}

	#newline(): boolean {
		if (!this.take("\n")) return false;
		this.#readHeredocs();
		return true;
	}

	#skipLines(): void {
		do {
			this.skipBlanks();
			this.#skipComment();
		} while (this.#newline());
	}

	#skipComment(): void {
		if (this.char !== "#") return;
		const end = this.text.indexOf("\n", this.at);
		this.at = end < 0 ? this.text.length : end;
	}

	#keyword(): string {
		return this.match(reserved) ?? "";
	}

	#takeKeyword(...words: string[]): string {
		this.#skipLines();
		const word = this.#keyword();
		if (!words.includes(word))
			this.fail(this.ended ? "the command is incomplete" : `expected "${words.join('" or "')}"`);
		this.at += word.length;
		return word;
	}

	#pipeline(): Node {
		const isNegated = this.#prefixes();
		const commands: Node[] = [];
		do {
			if (commands.length > 0) this.#skipLines();
			commands.push(this.nested(() => this.#command()));
			this.skipBlanks();
		} while (!this.looksAt("||") && (this.take("|&") || this.take("|")));
		const [first] = commands;
		const node: Node = commands.length === 1 && first ? first : { kind: "pipeline", commands };
		return isNegated ? { kind: "list", items: [{ node, operator: ";" }] } : node;
	}

	/** `!` and `time`, which may be repeated: whether the list says nothing of where its command left the shell (`! cd x`). */
	#prefixes(): boolean {
		for (let isNegated = false; ;) {
			this.step();
			this.skipBlanks();
			const word = this.#keyword();
			if (word !== "!" && word !== "time") return isNegated;
			isNegated ||= word === "!";
			this.at += word.length;
			this.skipBlanks();
			if (word === "time") this.at += this.match(/-p(?=[ \t\n])/uy)?.length ?? 0;
		}
	}

	#command(): Node {
		this.skipBlanks();
		if (this.char === "(") return this.#parenthesized();
		const keyword = this.#keyword();
		switch (keyword) {
			case "{":
				return this.#group();
			case "[[":
				return this.#test();
			case "if":
				return this.#if();
			case "while":
			case "until":
				return this.#while();
			case "for":
			case "select":
				return this.#for();
			case "case":
				return this.#case();
			case "function":
				return this.#function();
			case "!":
			case "in":
				return this.fail(`"${keyword}" is not understood here`);
			case "coproc":
				return this.fail("a coprocess is not understood");
			default:
				return closers.has(keyword) ? this.fail(`"${keyword}" is not understood here`) : this.#simple();
		}
	}

	#parenthesized(): Node {
		const start = this.at;
		this.refuseContinuedParentheses();
		if (this.peek() === "(") {
			this.at += 2;
			const operands = this.arithmeticOrNothing();
			if (operands)
				return { kind: "expression", words: [], ...operands, sets: [], redirects: this.#redirects() };
			this.at = start;
		}
		this.at++;
		const body = this.script(")");
		this.expect(")");
		if (body.items.length === 0) this.fail("a subshell is empty");
		return { kind: "subshell", body, redirects: this.#redirects() };
	}

	#group(): Compound {
		this.at++;
		const body = this.#list();
		if (body.items.length === 0) this.fail("a group is empty");
		this.#takeKeyword("}");
		return this.#compound("group", [body]);
	}

	#compound(sort: Compound["sort"], bodies: Script[], words: Word[] = [], variable?: string): Compound {
		const redirects = this.#redirects();
		return {
			kind: "compound",
			sort,
			words,
			bodies,
			redirects,
			...(variable === undefined ? {} : { variable }),
		};
	}

	#if(): Compound {
		this.at += 2;
		const bodies: Script[] = [];
		for (;;) {
			bodies.push(this.#list());
			this.#takeKeyword("then");
			bodies.push(this.#list());
			const next = this.#takeKeyword("elif", "else", "fi");
			if (next === "elif") continue;
			if (next === "else") {
				bodies.push(this.#list());
				this.#takeKeyword("fi");
			}
			return this.#compound("branches", bodies);
		}
	}

	#while(): Compound {
		this.at += 5;
		const condition = this.#list();
		this.#takeKeyword("do");
		const body = this.#list();
		this.#takeKeyword("done");
		return this.#compound("loop", [condition, body]);
	}

	#for(): Node {
		this.at += this.#keyword().length;
		this.skipBlanks();
		if (this.looksAt("((")) return this.#arithmeticFor();
		const name = this.match(/[A-Za-z_]\w*(?=[ \t\n;])/uy) ?? this.fail("a loop is not understood");
		this.at += name.length;
		this.#skipLines();
		const words: Word[] = [];
		if (this.#keyword() === "in") {
			this.at += 2;
			for (let word = this.#blankWord(); word; word = this.#blankWord()) words.push(word);
		}
		this.#endOfClause();
		return this.#compound("loop", [this.#loopBody()], words, name);
	}

	#blankWord(): Word | undefined {
		this.skipBlanks();
		return this.char === "#" ? undefined : this.word();
	}

	#endOfClause(): void {
		this.skipBlanks();
		this.take(";");
		this.#skipLines();
	}

	#loopBody(): Script {
		const opening = this.#takeKeyword("do", "{");
		const body = this.#list();
		this.#takeKeyword(opening === "do" ? "done" : "}");
		return body;
	}

	/** The expression becomes the first body, as a command of its own. */
	#arithmeticFor(): Node {
		this.at += 2;
		const start = this.match(/(?:\s*[A-Za-z_]\w*\s*=\s*\d+\s*,?)*;/uy) ?? "";
		const sets = start.match(/[A-Za-z_]\w*/gu) ?? [];
		const operands = this.arithmeticOrNothing() ?? this.fail("a loop is not understood");
		this.#endOfClause();
		const expression: Expression = { kind: "expression", words: [], ...operands, sets, redirects: [] };
		const header: Script = { kind: "list", items: [{ node: expression, operator: ";" }] };
		return this.#compound("loop", [header, this.#loopBody()]);
	}

	#case(): Compound {
		this.at += 4;
		const words = [this.#blankWord() ?? this.fail("a case is not understood")];
		this.#takeKeyword("in");
		const bodies: Script[] = [];
		for (;;) {
			this.#skipLines();
			if (this.#keyword() === "esac") break;
			this.take("(");
			do words.push(this.#blankWord() ?? this.fail("a case is not understood"));
			while ((this.skipBlanks(), this.take("|")));
			this.expect(")");
			bodies.push(this.#list());
			this.skipBlanks();
			if (!this.take(";;&") && !this.take(";;") && !this.take(";&")) break;
		}
		this.#takeKeyword("esac");
		return this.#compound("branches", bodies, words);
	}

	#function(): Node {
		this.at += 8;
		const name = this.#blankWord() ?? this.fail("a function is not understood");
		this.skipBlanks();
		if (this.take("(")) {
			this.skipBlanks();
			this.expect(")");
		}
		return this.#functionBody(name);
	}

	#functionBody(name: Word): Node {
		const text = name.parts.map((part) => (part.kind === "literal" ? part.text : "")).join("");
		this.#skipLines();
		const opensBody =
			this.char === "(" ||
			["{", "[[", "if", "while", "until", "for", "select", "case"].includes(this.#keyword());
		if (!opensBody) this.fail("a function is not understood");
		return { kind: "function", name: text, body: this.nested(() => this.#command()) };
	}

	/** `[[ … ]]`: only what its words would run matters. */
	#test(): Expression {
		this.at += 2;
		const words: Word[] = [];
		for (;;) {
			this.step();
			this.skipBlanks();
			if (this.ended) this.fail("the command is incomplete");
			if (this.char === "#") this.fail("a condition is not understood");
			const word = this.word();
			// A continued line may split an operator.
			if (word && literalText(word) === "]]") break;
			if (word) words.push(word);
			else this.at++;
		}
		const arithmetic: Part[] = [];
		words.forEach((word, index) => {
			const operator = literalText(word);
			if (operator === "-v" || operator === "-R") arithmetic.push(...(words[index + 1]?.parts ?? []));
			if (comparison.test(operator))
				arithmetic.push(...(words[index - 1]?.parts ?? []), ...(words[index + 1]?.parts ?? []));
		});
		return { kind: "expression", words, arithmetic, assigns: [], sets: [], redirects: this.#redirects() };
	}

	#simple(): Node {
		const assignments: Assignment[] = [];
		const words: Word[] = [];
		const redirects: Redirect[] = [];
		let start = -1;
		let end = this.at;
		for (;;) {
			this.skipBlanks();
			const redirect = this.#redirect();
			if (redirect) {
				redirects.push(redirect);
				continue;
			}
			if (this.char === "#") break;
			const begin = this.at;
			const word = this.word();
			if (!word) break;
			if (/^\{\w+\[.*\]\}$/su.test(word.text) && (this.char === "<" || this.char === ">"))
				this.fail("a redirection sets a variable");
			const assignment = this.#assignment(word, words, redirects.length > 0);
			if (assignment && words.length === 0) assignments.push(assignment);
			else {
				if (start < 0) start = begin;
				words.push(
					assignment ? { text: this.text.slice(begin, this.at), parts: partsOf(word, assignment) } : word,
				);
				end = this.at;
				if (words.length === 1 && this.#isFunction(assignments, redirects)) return this.#functionBody(word);
			}
		}
		if (words.length + assignments.length + redirects.length === 0)
			this.fail(this.ended ? "the command is incomplete" : `"${this.char}" is not understood here`);
		const text = start < 0 ? "" : this.text.slice(start, end);
		return { kind: "simple", assignments, words, redirects, text } satisfies Simple;
	}

	#isFunction(assignments: readonly Assignment[], redirects: readonly Redirect[]): boolean {
		const parentheses = this.match(/[ \t]*\([ \t]*\)/uy);
		if (parentheses === undefined) return false;
		if (assignments.length + redirects.length > 0) this.fail("a function is not understood");
		this.at += parentheses.length;
		return true;
	}

	/** `x=1`, `a[i]=1`, `a=(…)`; the last one also as a word of `declare`. */
	#assignment(word: Word, words: readonly Word[], isRedirected: boolean): Assignment | undefined {
		const [first] = word.parts;
		if (first?.kind !== "literal" || first.quoted) return undefined;
		const match = assignmentStart.exec(word.text);
		const name = match?.[1];
		if (name === undefined || (match?.[2] === "[" && !/\]\+?=/u.test(word.text))) return undefined;
		const isList = this.char === "(" && /^\w+(?:\[[^\]]*\])?\+?=$/u.test(word.text);
		if (isList) {
			// Behind a redirection bash accepts a list in some cases only.
			if (isRedirected || (words.length > 0 && !declarations.has(words[0]?.text ?? "")))
				this.fail("a list is not understood here");
			const elements = this.#elements();
			return { name, complex: true, words: [word, ...elements, ...subscriptsOf([word, ...elements])] };
		}
		if (words.length > 0) return undefined;
		const complex = match?.[2] !== "=";
		return {
			name,
			complex,
			words: complex ? [word, ...subscriptsOf([word])] : [valueOf(word, name.length + 1)],
		};
	}

	#elements(): Word[] {
		this.at++;
		const words: Word[] = [];
		for (;;) {
			this.#skipLines();
			if (this.take(")")) return words;
			words.push(this.word() ?? this.fail("a list is not closed"));
		}
	}

	#redirects(): Redirect[] {
		const redirects: Redirect[] = [];
		for (;;) {
			this.skipBlanks();
			const redirect = this.#redirect();
			if (!redirect) return redirects;
			redirects.push(redirect);
		}
	}

	#redirect(): Redirect | undefined {
		const token = this.match(redirectOperator);
		if (token === undefined) return undefined;
		this.at += token.length;
		if (token.startsWith("{")) this.fail("a redirection sets a variable");
		if (/^\d\d/u.test(token)) this.fail("a descriptor above 9 is one of the shell itself");
		const operator = token.replace(/^\d+/u, "");
		const descriptor = Number.parseInt(token, 10) || (/^[&>]/u.test(token) ? 1 : 0);
		this.skipBlanks();
		const target = this.word() ?? this.fail("a redirection is incomplete");
		if (operator !== "<<" && operator !== "<<-") return { operator, descriptor, target };
		const redirect: Redirect & { body?: Word } = { operator, descriptor, target };
		const { delimiter, quoted } = delimiterOf(target) ?? this.fail("the end of a heredoc is not understood");
		const stripsTabs = operator === "<<-";
		this.#pending.push({ delimiter, quoted, stripsTabs, setBody: (body) => (redirect.body = body) });
		return redirect;
	}

	#readHeredocs(): void {
		const pending = this.#pending;
		this.#pending = [];
		for (const heredoc of pending) {
			const lines: string[] = [];
			while (!this.ended) {
				this.step();
				const line = this.#heredocLine(heredoc);
				if (line === heredoc.delimiter) break;
				lines.push(line);
			}
			const text = lines.map((line) => `${line}\n`).join("");
			const parts = heredoc.quoted
				? [{ kind: "literal", text, quoted: true } as const]
				: this.#bodyParts(text);
			heredoc.setBody({ text, parts });
		}
	}

	/** A line of a body that is expanded continues after a backslash, before it is compared with the delimiter. */
	#heredocLine({ quoted, stripsTabs }: Pending): string {
		let line = "";
		for (;;) {
			const end = this.text.indexOf("\n", this.at);
			const piece = this.text.slice(this.at, end < 0 ? this.text.length : end);
			this.at = end < 0 ? this.text.length : end + 1;
			line += piece;
			const isContinued = !quoted && /(?:^|[^\\])(?:\\\\)*\\$/u.test(piece) && !this.ended;
			if (!isContinued) return stripsTabs ? line.replace(/^\t+/u, "") : line;
			line = line.slice(0, -1);
		}
	}

	#bodyParts(text: string): readonly Part[] {
		return this.nested(() => new Parser(text, this.depth).quotedParts("", "heredoc"));
	}
}
