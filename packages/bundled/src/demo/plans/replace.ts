/** "replace A with B in FILE": replaces exactly that text, through bash, and shows the lines after it. */
import { fill } from "@tau/utils";

import type { Intent } from "../intent.ts";
import { limits } from "../limits.ts";
import { block, code, paragraphs, plural } from "../markdown.ts";
import { exitCode, failureText, filePart } from "../outcome.ts";
import { shellPath, shellQuote } from "../shell-quote.ts";
import { bash, read, say, type Step, think } from "../step.ts";
import doesNotOccur from "../texts/does-not-occur.md" with { type: "text" };
import noNul from "../texts/no-nul.md" with { type: "text" };
import replaceThinking from "../texts/replace-thinking.md" with { type: "text" };
import type { Outcome, Turn } from "../turn.ts";

type Request = Extract<Intent, { kind: "replace" }>;

const absent = 3;

export function replace(request: Request, turn: Turn): Step {
	if (`${request.before}${request.after}`.includes("\0")) return [say(fill(noNul))];
	if (request.before === request.after) return [say("Both texts are the same: there is nothing to replace.")];
	const [replaced, shown] = turn.rounds.map((round) => round[0]);
	if (!replaced) return start(request);
	if (replaced.failed) return [say(refusal(request, replaced))];
	const { count, line } = readReport(replaced.text);
	if (!shown && turn.tools.has("read")) return [look(request, line)];
	return [say(report(request, count, shown))];
}

/**
 * Works on bytes (LC_ALL=C), so that text in any encoding survives; the `x` saves line breaks at the end from
 * `$(…)`. Newer bashes give `&` a meaning in a replacement, unless told not to. It runs in a subshell: neither the locale nor `exit` may reach a shell that lives on.
 */
export function replaceCommand({ path, before, after }: Omit<Request, "kind">): string {
	return `(
LC_ALL=C
file=${shellPath(path)}
old=${shellQuote(before)}
new=${shellQuote(after)}
[ -f "$file" ] || { echo "$file: no such file" >&2; exit 1; }
size=$(wc -c <"$file") || exit 1
[ "$size" -le ${limits.replaceBytes} ] || { echo "$file: larger than ${limits.replaceBytes} bytes" >&2; exit 1; }
{ text=$(cat <"$file" && printf x) || exit 1; } 2>/dev/null
text=\${text%x}
[ "\${#text}" -eq "$size" ] || { echo "$file: not a text file" >&2; exit 1; }
case $text in *"$old"*) ;; *) echo "the text does not occur in $file" >&2; exit ${absent} ;; esac
before=\${text%%"$old"*}
without=\${text//"$old"/}
shopt -u patsub_replacement 2>/dev/null
result=\${text//"$old"/$new}
printf %s "$result" >"$file" || exit 1
echo "replaced $(((\${#text} - \${#without}) / \${#old})) from line $(($(printf %s "$before" | wc -l) + 1))"
)`;
}

function start(request: Request): Step {
	return [
		think(fill(replaceThinking)),
		say(`Replacing ${code(request.before)} with ${code(request.after)} in ${code(request.path)}.`),
		bash(replaceCommand(request)),
	];
}

function refusal({ before, path }: Request, outcome: Outcome): string {
	if (exitCode(outcome) !== absent) return failureText(outcome);
	return fill(doesNotOccur, { text: code(before), file: code(path) });
}

function readReport(text: string): { count: number; line: number } {
	const match = /replaced (\d+) from line (\d+)/.exec(text);
	return { count: Number(match?.[1] ?? 1), line: Number(match?.[2] ?? 1) };
}

function look({ path, after }: Request, line: number) {
	const lines = Math.min(after.split("\n").length, limits.shownLines);
	return read(path, {
		offset: Math.max(1, line - limits.aroundChange),
		limit: lines + 2 * limits.aroundChange,
	});
}

function report({ before, after, path }: Request, count: number, shown: Outcome | undefined): string {
	const where = count > 1 ? ` in ${plural(count, "place")}` : "";
	const done = `Replaced ${code(before)} with ${code(after)}${where} in ${code(path)}.`;
	if (!shown) return done;
	if (shown.failed) return paragraphs(done, failureText(shown));
	const { first, lines } = filePart(shown.text);
	return paragraphs(
		`${done} ${count > 1 ? "Around the first match, the file" : "The file"} now reads, from line ${first}:`,
		block(lines.join("\n")),
	);
}
