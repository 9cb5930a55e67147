/** "read FILE", "replace A with B in FILE", "create FILE with TEXT": one file, exactly as the user said. */
import type { Intent } from "./intent.ts";
import { limits } from "./limits.ts";
import { bash, read as readCall, say, shellPath, shellQuote, type Step, think } from "./step.ts";
import { block, code, exitCode, failureText, filePart, gist, list, paragraphs, plural } from "./text.ts";
import type { Outcome, Turn } from "./turn.ts";

type Request<Kind extends Intent["kind"]> = Extract<Intent, { kind: Kind }>;

/** The exit code of both scripts for a file that is not as the user thought. */
const refused = 3;
const noNul = "The text contains a NUL character, which a shell command cannot contain. Nothing was changed.";

export function read({ path, from, to }: Request<"read">, turn: Turn): Step {
	const outcome = turn.rounds[0]?.[0];
	if (outcome) return [say(readReport(path, outcome))];
	const range =
		from === undefined || to === undefined
			? {}
			: { offset: from, limit: Math.min(to - from + 1, limits.rangeLines) };
	return [say(`Reading ${code(path)}.`), readCall(path, range)];
}

function readReport(path: string, outcome: Outcome): string {
	if (outcome.failed) return failureText(outcome);
	if (outcome.image)
		return `${code(path)} is an image. The ${code("read")} tool loaded it, but the demo cannot see images.`;
	const { first, lines, notices } = filePart(outcome.text);
	if (lines.length === 0)
		return notices.length === 0
			? `${code(path)} is empty.`
			: paragraphs(`${code(path)}:`, block(gist(notices.join("\n"))));
	const cut = lines.length > limits.shownLines ? ", the middle omitted here" : "";
	return paragraphs(
		`${code(path)}, lines ${first} to ${first + lines.length - 1} (${plural(lines.length, "line")}${cut}):`,
		// The extension is what highlighters go by.
		block(gist(lines.join("\n")), /\.(\w{1,10})$/.exec(path)?.[1]),
		list(notices.map(code)),
	);
}

export function replace(request: Request<"replace">, turn: Turn): Step {
	const { path, before, after } = request;
	if (`${before}${after}`.includes("\0")) return [say(noNul)];
	if (before === after) return [say("Both texts are the same: there is nothing to replace.")];
	const [replaced, shown] = turn.rounds.map((round) => round[0]);
	if (!replaced) {
		return [
			think("Both texts are quoted, and bash replaces them as plain text, without patterns."),
			say(`Replacing ${code(before)} with ${code(after)} in ${code(path)}.`),
			bash(replaceCommand(request)),
		];
	}
	if (replaced.failed) {
		const absent = `The text ${code(before)} does not occur in ${code(path)}, so nothing was changed. It must match exactly, including case and spaces.`;
		return [say(exitCode(replaced) === refused ? absent : failureText(replaced))];
	}
	const [, count = 1, line = 1] = (/replaced (\d+) from line (\d+)/.exec(replaced.text) ?? []).map(Number);
	if (!shown && turn.tools.has("read")) {
		const lines = Math.min(after.split("\n").length, limits.shownLines);
		const offset = Math.max(1, line - limits.aroundChange);
		return [readCall(path, { offset, limit: lines + 2 * limits.aroundChange })];
	}
	const where = count > 1 ? ` in ${plural(count, "place")}` : "";
	return [say(changeReport(`Replaced ${code(before)} with ${code(after)}${where} in ${code(path)}.`, shown))];
}

/**
 * Works on bytes (LC_ALL=C), so that text in any encoding survives; the `x` saves line breaks at the end from
 * `$(…)`. Newer bashes give `&` a meaning in a replacement, unless told not to. It runs in a subshell: neither the
 * locale nor `exit` may reach a shell that lives on.
 */
export function replaceCommand({ path, before, after }: Omit<Request<"replace">, "kind">): string {
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
case $text in *"$old"*) ;; *) echo "the text does not occur in $file" >&2; exit ${refused} ;; esac
before=\${text%%"$old"*}
without=\${text//"$old"/}
shopt -u patsub_replacement 2>/dev/null
result=\${text//"$old"/$new}
printf %s "$result" >"$file" || exit 1
echo "replaced $(((\${#text} - \${#without}) / \${#old})) from line $(($(printf %s "$before" | wc -l) + 1))"
)`;
}

export function create(request: Request<"create">, turn: Turn): Step {
	const { path, text } = request;
	if (text.includes("\0")) return [say(noNul)];
	const [created, shown] = turn.rounds.map((round) => round[0]);
	if (!created) return [say(`Creating ${code(path)}.`), bash(createCommand(request))];
	if (created.failed) {
		const advice = 'To change it, try `replace "A" with "B" in FILE`.';
		const exists = `${code(path)} already exists, so nothing was written. ${advice}`;
		return [say(exitCode(created) === refused ? exists : failureText(created))];
	}
	if (!shown && text !== "" && turn.tools.has("read")) return [readCall(path, { limit: limits.shownLines })];
	return [say(changeReport(`Created ${code(path)} with ${plural(Buffer.byteLength(text), "byte")}.`, shown))];
}

/**
 * `noclobber` refuses a file that is there already in the same system call that would make it. Bash takes some
 * names below /dev for network connections, and nobody keeps files there.
 */
export function createCommand({ path, text }: Omit<Request<"create">, "kind">): string {
	return `(
file=${shellPath(path)}
case $file in /dev/*) echo "$file: not a location for files" >&2; exit 1 ;; esac
[ ! -e "$file" ] || { echo "$file already exists" >&2; exit ${refused}; }
mkdir -p -- "$(dirname -- "$file")" || exit 1
set -o noclobber
printf %s ${shellQuote(text)} >"$file"
)`;
}

function changeReport(done: string, shown: Outcome | undefined): string {
	if (!shown) return done;
	if (shown.failed) return paragraphs(done, failureText(shown));
	const { first, lines } = filePart(shown.text);
	return paragraphs(`${done} From line ${first} it reads:`, block(gist(lines.join("\n"))));
}
