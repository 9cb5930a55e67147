/** Asks the user of a terminal a question that only a yes answers. */
import { createInterface } from "node:readline/promises";

export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
	using lines = createInterface({ input: process.stdin, output: process.stdout });
	const answer = await lines.question(`${question} [y/N] `, { signal }).catch(() => "");
	return /^y(?:es)?$/i.test(answer.trim());
}
