/** `tau completion bash|zsh|fish`: the script for the shell; `tau completion words`: what such a script asks. */
import { oneLine, UsageError } from "@tau/utils";

import type { Args } from "../../args.ts";
import { printed } from "../sessions/output.ts";
import { complete } from "./candidates.ts";
import { readSource } from "./sources.ts";
import bash from "./tau.bash" with { type: "text" };
import fish from "./tau.fish" with { type: "text" };
import zsh from "./tau.zsh" with { type: "text" };

const aboutChars = 80;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

export async function runCompletion(args: Args): Promise<number> {
	const [what = "bash", ...words] = args.operands;
	const script = scripts[what];
	if (script !== undefined) return printed(script);
	if (what !== "words")
		throw new UsageError(
			`There is no completion for ${what}. Choose one of: ${Object.keys(scripts).join(", ")}.`,
		);
	// Each word follows a sign, so that an empty one is a word, too.
	const typed = words.map((word) => word.slice(1));
	const { candidates, files, source, prefix = "" } = complete(typed);
	const more = source ? await readSource(source, args, typed.at(-2) ?? "") : [];
	const all = [...candidates, ...more.map(({ word, about }) => ({ word: prefix + word, about }))];
	const lines = all.map(({ word, about }) =>
		about === undefined ? word : `${word}\t${oneLine(about, aboutChars)}`,
	);
	return printed([...lines, ...(files ? [":files"] : [])].map((line) => `${line}\n`).join(""));
}
