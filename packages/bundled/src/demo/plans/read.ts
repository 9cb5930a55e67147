/** "read FILE", "show FILE lines a-b": reads a file and repeats it. */
import type { Intent } from "../intent.ts";
import { limits } from "../limits.ts";
import { block, code, gist, list, paragraphs, plural } from "../markdown.ts";
import { failureText, filePart } from "../outcome.ts";
import { read as readCall, say, type Step } from "../step.ts";
import type { Outcome, Turn } from "../turn.ts";

type Request = Extract<Intent, { kind: "read" }>;

export function read(request: Request, turn: Turn): Step {
	const outcome = turn.rounds[0]?.[0];
	if (outcome) return [say(report(request, outcome))];
	return [say(`Reading ${code(request.path)}.`), readCall(request.path, range(request))];
}

function range({ from, to }: Request): { offset?: number; limit?: number } {
	return from === undefined || to === undefined
		? {}
		: { offset: from, limit: Math.min(to - from + 1, limits.rangeLines) };
}

function report(request: Request, outcome: Outcome): string {
	if (outcome.failed) return failureText(outcome);
	const path = code(request.path);
	if (outcome.image)
		return `${path} is an image. The ${code("read")} tool loaded it, but the demo cannot see images.`;
	const { first, lines, notices } = filePart(outcome.text);
	if (lines.length === 0) {
		return notices.length === 0
			? `${path} is empty.`
			: paragraphs(`${path}:`, block(gist(notices.join("\n"))));
	}
	const cut = lines.length > limits.shownLines ? ", the middle omitted here" : "";
	return paragraphs(
		`${path}, lines ${first} to ${first + lines.length - 1} (${plural(lines.length, "line")}${cut}):`,
		block(gist(lines.join("\n")), languageOf(request.path)),
		list(notices.map(code)),
	);
}

/** The extension is what highlighters go by. */
function languageOf(path: string): string {
	return /\.(\w{1,10})$/.exec(path)?.[1] ?? "";
}
