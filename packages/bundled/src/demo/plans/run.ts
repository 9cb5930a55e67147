/** "run CMD": runs exactly that command and reports the outcome. */
import { fill } from "@tau/utils";

import type { Intent } from "../intent.ts";
import { block, code, gist, paragraphs, plural } from "../markdown.ts";
import { exitCode, failureText, printed } from "../outcome.ts";
import { bash, say, type Step } from "../step.ts";
import looseCommand from "../texts/loose-command.md" with { type: "text" };
import notACommand from "../texts/not-a-command.md" with { type: "text" };
import type { Outcome, Turn } from "../turn.ts";

const commandNotFound = 127;

export function run({ command, loose }: Extract<Intent, { kind: "run" }>, turn: Turn): Step {
	if (loose) return [say(fill(looseCommand))];
	const outcome = turn.rounds[0]?.[0];
	return outcome ? [say(report(command, outcome))] : [say(`Running ${code(command)}.`), bash(command)];
}

function report(command: string, outcome: Outcome): string {
	const exit = exitCode(outcome);
	if (exit === undefined) return failureText(outcome);
	const output = printed(outcome);
	const lines = Math.max(outcome.totalLines ?? 0, output.split("\n").length);
	const size = output === "" ? "and printed nothing" : `and printed ${plural(lines, "line")}`;
	return paragraphs(
		`${code(command)} ${exit === 0 ? "succeeded (exit code 0)" : `failed with exit code ${exit}`} ${size}.`,
		output === "" ? undefined : block(gist(output)),
		exit === commandNotFound ? fill(notACommand) : undefined,
	);
}
