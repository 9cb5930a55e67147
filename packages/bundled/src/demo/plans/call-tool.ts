/** "call TOOL {json}": calls a tool the way a model would, and shows what came back. */
import type { Intent } from "../intent.ts";
import { block, code, gist, paragraphs } from "../markdown.ts";
import { say, type Step } from "../step.ts";
import type { Outcome, Turn } from "../turn.ts";

export function callTool(request: Extract<Intent, { kind: "call" }>, turn: Turn): Step {
	if (request.problem !== undefined)
		return [say(`The arguments of ${code(request.tool)} are not JSON: ${request.problem}`)];
	const outcome = turn.rounds[0]?.[0];
	if (outcome) return [say(report(request.tool, outcome))];
	return [
		say(`Calling ${code(request.tool)}.`),
		{ kind: "call", tool: request.tool, arguments: request.arguments },
	];
}

function report(tool: string, outcome: Outcome): string {
	const how = outcome.failed ? "failed" : "returned";
	const picture = outcome.image ? "The result includes an image." : undefined;
	return paragraphs(
		`${code(tool)} ${how}:`,
		picture,
		outcome.text.trim() === "" ? undefined : block(gist(outcome.text)),
	);
}
