/** No code knows a model by its id: what differs between models is data. */
import { isProduct } from "../paths.ts";
import { codeTokens, tokenize } from "../tokens.ts";
import { readFiles } from "../tree.ts";
import type { Problem } from "../problem.ts";
import type { Token } from "../tokens.ts";

/** The naming schemes of model families. Names of tools and vendors (claude-code, mistral) are not models. */
const patterns: Record<string, RegExp> = {
	claude: /\bclaude-(?:v?\d|opus|sonnet|haiku|instant|[a-z]+-\d)/i,
	gpt: /\b(?:chat)?gpt-?(?:\d|oss)/i,
	"o-series": /^o[134]$|\bo[134]-(?:mini|pro|preview|deep-research|\d{4})/i,
	gemini: /\bgemini-(?:\d|pro|flash|ultra)/i,
	gemma: /\bgemma-?\d/i,
	llama: /\b(?:code)?llama-?\d/i,
	qwen: /\bqw(?:en-?(?:\d|max|plus|turbo|coder)|q-\d)/i,
	deepseek: /\bdeepseek-(?:chat|reasoner|coder|[vr]\d)/i,
	grok: /\bgrok-(?:\d|beta|code)/i,
	mistral:
		/\bmistral-(?:large|medium|small|tiny|nemo|\d)|\b(?:mixtral|codestral|devstral|magistral|ministral)-/i,
	kimi: /\bkimi-(?:k\d|latest)/i,
	glm: /\bglm-\d/i,
	minimax: /\bminimax-m\d/i,
	nova: /\bnova-(?:pro|lite|micro|premier)/i,
	command: /\bcommand-(?:r|a)\b/i,
	phi: /\bphi-\d/i,
};

export async function modelIds(root: string): Promise<Problem[]> {
	const files = await readFiles(root, isProduct);
	return files.flatMap(({ path, text }) =>
		codeTokens(tokenize(text)).flatMap((token): Problem[] => {
			const family = familyOf(token);
			if (!family) return [];
			const message = `names a model (${family}) in code: make it a field of the model catalogue and ask for that`;
			return [{ file: path, line: token.line, message }];
		}),
	);
}

function familyOf(token: Token): string | undefined {
	if (token.kind !== "string" && token.kind !== "template" && token.kind !== "regex") return undefined;
	const text = token.kind === "regex" ? example(token.text) : token.text;
	return Object.keys(patterns).find((family) => patterns[family]?.test(text));
}

/** An approximation of the text that a regular expression matches, to apply the patterns to. */
function example(regex: string): string {
	return regex
		.replace(/\(\?<?[:=!]|[()^$]|\\b/g, "")
		.replace(/\\d|\[0-9\]/g, "0")
		.replace(/\[([^\]])[^\]]*\]/g, "$1")
		.replace(/\\(.)/g, "$1");
}
