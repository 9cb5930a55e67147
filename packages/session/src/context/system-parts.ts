/** Splits a system prompt into what it was built from: its own text, instruction files, rules and skills. */

export interface NamedText {
	name: string;
	text: string;
}

export interface SystemParts {
	text: string;
	instructions: NamedText[];
	rules: NamedText[];
	skills: NamedText[];
}

const instructions = /<instructions from="([^"]*)">\n([\s\S]*?)\n<\/instructions>/g;
const rules = /<rule name="([^"]*)">\n([\s\S]*?)\n<\/rule>/g;
/** A paragraph that ends in a list, in the words of the prompt. */
const rulesOnDemand = /^More rules; read `rule:[^\n]*\n((?:- [^\n]*\n?)+)/m;
const skills = /^Skills are instructions[^\n]*\n((?:- [^\n]*\n?)+)/m;

export function systemParts(prompt: string): SystemParts {
	const parts: SystemParts = { text: prompt, instructions: [], rules: [], skills: [] };
	const take = (pattern: RegExp, into: NamedText[]): void => {
		parts.text = parts.text.replaceAll(pattern, (_, name: string, text: string) => {
			into.push({ name, text });
			return "";
		});
	};
	const takeList = (pattern: RegExp, into: NamedText[]): void => {
		parts.text = parts.text.replace(pattern, (whole: string, list: string) => {
			for (const line of list.trimEnd().split("\n")) into.push({ name: nameIn(line), text: line });
			return whole.slice(0, whole.length - list.length);
		});
	};
	take(instructions, parts.instructions);
	take(rules, parts.rules);
	takeList(rulesOnDemand, parts.rules);
	takeList(skills, parts.skills);
	return parts;
}

function nameIn(line: string): string {
	return /^- ([^\s:]+)/.exec(line)?.[1] ?? line;
}
