/** "create FILE with TEXT": makes a new file, through bash, and shows it. */
import { fill } from "@tau/utils";

import type { Intent } from "../intent.ts";
import { limits } from "../limits.ts";
import { block, code, gist, paragraphs, plural } from "../markdown.ts";
import { exitCode, failureText, filePart } from "../outcome.ts";
import { shellPath, shellQuote } from "../shell-quote.ts";
import { bash, read, say, type Step } from "../step.ts";
import alreadyThere from "../texts/already-there.md" with { type: "text" };
import noNul from "../texts/no-nul.md" with { type: "text" };
import type { Outcome, Turn } from "../turn.ts";

type Request = Extract<Intent, { kind: "create" }>;

const exists = 3;

export function create(request: Request, turn: Turn): Step {
	if (request.text.includes("\0")) return [say(fill(noNul))];
	const [created, shown] = turn.rounds.map((round) => round[0]);
	if (!created) return [say(`Creating ${code(request.path)}.`), bash(createCommand(request))];
	if (created.failed) {
		const there = exitCode(created) === exists;
		return [say(there ? fill(alreadyThere, { file: code(request.path) }) : failureText(created))];
	}
	if (!shown && request.text !== "" && turn.tools.has("read"))
		return [read(request.path, { limit: limits.shownLines })];
	return [say(report(request, shown))];
}

/**
 * `noclobber` refuses a file that is there already in the same system call that would make it. Bash takes some
 * names below /dev for network connections, and nobody keeps files there.
 */
export function createCommand({ path, text }: Omit<Request, "kind">): string {
	return `(
file=${shellPath(path)}
case $file in /dev/*) echo "$file: not a location for files" >&2; exit 1 ;; esac
[ ! -e "$file" ] || { echo "$file already exists" >&2; exit ${exists}; }
mkdir -p -- "$(dirname -- "$file")" || exit 1
set -o noclobber
printf %s ${shellQuote(text)} >"$file"
)`;
}

function report({ path, text }: Request, shown: Outcome | undefined): string {
	const done = `Created ${code(path)} with ${plural(Buffer.byteLength(text), "byte")}.`;
	if (!shown) return done;
	if (shown.failed) return paragraphs(done, failureText(shown));
	return paragraphs(`${done} It reads:`, block(gist(filePart(shown.text).lines.join("\n"))));
}
