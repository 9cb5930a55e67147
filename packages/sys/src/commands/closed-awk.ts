/**
 * Patterns and actions of awk that print: no pipe, no output to files, no functions but these, and nothing that names
 * what awk reads, also not in a text.
 */
const functions =
	/^(?:length|substr|index|split|sub|gsub|match|sprintf|int|sqrt|log|exp|tolower|toupper|printf|print|if|for|while|in|return|and|or)$/u;

export function isSimpleAwk(script: string): boolean {
	if (/[@`\0-\x08\x0b-\x1f]|\\\n/u.test(script)) return false;
	if (/system|getline|close|fflush|ARG|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|func|include|load|eval/u.test(script))
		return false;
	const code = codeOf(script);
	// What hides text is not certain: any sign of a pipe or a file counts.
	const isOpen =
		code === undefined
			? script.includes("|") || script.replace(/^[^{]*/u, "").includes(">")
			: /\||::/u.test(code.replaceAll("||", "&&")) || mayWrite(code);
	return !isOpen && calledIn(script).every((name) => functions.test(name));
}

/** Each word is read once, so that a long script takes no longer for each of its letters. */
function calledIn(script: string): string[] {
	return [...script.matchAll(/(\w+)\s*(\()?/gu)].flatMap(([, word = "", call]) => {
		const name = word.replace(/^\d+/u, "");
		return call === undefined || name === "" ? [] : name;
	});
}

const text = /"(?:[^"\\\n]|\\[^\n])*"/uy;
// Awks differ on a slash in brackets.
const pattern = /\/(?:\[\^?(?:\[:\w+:\]|\\[^\]\n]|[^\][\\\n/:])+\]|[^/\\\n[]|\\[^\n])*\//uy;
/** Behind these an operand follows, so that no awk takes a slash for a division. */
const beforePattern = /(?:^|[(,{};!~\n]|&&|\|\|)$/u;

/** The code without its texts and patterns; undefined unless all awks find the same ends of them. */
function codeOf(script: string): string | undefined {
	let code = "";
	let before = "";
	for (let at = 0; at < script.length;) {
		const char = script.charAt(at);
		if (char === "#" || (char === "/" && !beforePattern.test(before))) return undefined;
		const literal = char === '"' ? text : char === "/" ? pattern : undefined;
		if (literal) literal.lastIndex = at;
		const piece = literal ? literal.exec(script)?.[0] : char;
		if (piece === undefined) return undefined;
		code += literal ? '""' : char;
		if (!/[ \t]/u.test(char)) before = literal ? '"' : `${before.slice(-1)}${char}`;
		at += piece.length;
	}
	return code;
}

/** In the condition of `if` and `while`, and outside of actions, `>` compares. */
function mayWrite(code: string): boolean {
	let [actions, parentheses, condition, last] = [0, 0, 0, ""];
	for (const [token] of code.matchAll(/[\w$.]+|\S/gu)) {
		if (token === "{") actions++;
		if (token === "}" && --actions < 0) return true;
		if (token === "(" && ++parentheses && condition === 0 && /^(?:if|while)$/u.test(last))
			condition = parentheses;
		if (token === ")" && parentheses-- === condition) condition = 0;
		if (token === ">" && actions > 0 && condition === 0) return true;
		last = token;
	}
	return false;
}
