/** A call in one line: what it does, to what, and how it ended. No tool is known by its name: arguments say what they are. */
import { isRecord, stripControls } from "@tau/utils/portable";

import { countChanges } from "./diff-rows.ts";
import type { CallItem } from "./items.ts";
import { plainText } from "./ansi.ts";

export interface CallLine {
	readonly subject: string;
	/** The subject is code. */
	readonly isCode: boolean;
	/** What came of it. */
	readonly outcome: string;
	readonly added?: number;
	readonly removed?: number;
}

/** The first of these that a call has says what it is about. */
const subjects = [
	"command",
	"path",
	"file_path",
	"file",
	"pattern",
	"query",
	"url",
	"task",
	"description",
	"prompt",
	"question",
	"name",
	"action",
	"code",
	"input",
];
const codes: ReadonlySet<string> = new Set(["command", "pattern", "code"]);
const subjectChars = 300;

export function callLine(item: CallItem): CallLine {
	const { args, result, phase } = item;
	const name = subjects.find((each) => typeof args[each] === "string" && args[each] !== "");
	const diff = diffOf(result?.details);
	const written = item.open === undefined ? "" : partialSubject(item.open);
	const plan = planOf(item);
	const subject =
		filesIn(result?.details) ??
		(plan === undefined ? undefined : titleOf(plan)) ??
		searchIn(args) ??
		(name === undefined ? (namesIn(args) ?? firstText(args) ?? written) : String(args[name]));
	const counted = diff === undefined ? {} : countChanges(diff);
	return {
		subject: stripControls(oneLine(subject)),
		isCode: searchIn(args) !== undefined || (name !== undefined && codes.has(name)),
		outcome:
			plan !== undefined && phase === "done"
				? "approved"
				: outcomeOf(item, phase === "done" && diff !== undefined),
		...counted,
	};
}

/** The diff in the details of a result: as `diff -u` writes it, where there are two. */
export function diffOf(details: unknown): string | undefined {
	const { diff, patch = diff } = isRecord(details) ? details : {};
	return typeof patch === "string" && patch !== "" ? patch : undefined;
}

/** The plan that a call presents, in Markdown: as the user has changed it, or as the model wrote it. */
export function planOf({ args, result }: CallItem): string | undefined {
	const { plan = args.plan } = isRecord(result?.details) ? result.details : {};
	return typeof plan === "string" && plan.trim() !== "" ? plan : undefined;
}

/** The first line of a plan, as words. */
export function titleOf(plan: string): string {
	const [first = ""] = plan.trimStart().split("\n", 1);
	return first.replaceAll(/^#+\s*|[*_`]/g, "");
}

export function textOf(result: CallItem["result"]): string {
	return (result?.content ?? [])
		.map((part) => (part.type === "text" ? part.text : ""))
		.filter(Boolean)
		.join("\n");
}

function filesIn(details: unknown): string | undefined {
	if (!isRecord(details) || !Array.isArray(details.files)) return undefined;
	const paths = details.files.flatMap((file: unknown) =>
		isRecord(file) && typeof file.path === "string" ? [file.path] : [],
	);
	return paths.length === 0 ? undefined : paths.join(", ");
}

/** What is searched for, and where. */
function searchIn({ pattern, path }: CallItem["args"]): string | undefined {
	return typeof pattern === "string" && typeof path === "string" ? `${pattern} in ${path}` : undefined;
}

/** The names in a list of tasks, steps or questions. */
function namesIn(args: CallItem["args"]): string | undefined {
	const list = Object.values(args).find((value) => Array.isArray(value));
	const names = (list ?? []).flatMap((each: unknown) => {
		const name = isRecord(each) ? (each.name ?? each.title ?? each.question ?? each.assignment) : undefined;
		return typeof name === "string" && name !== "" ? [name] : [];
	});
	return names.length === 0 ? undefined : names.join(", ");
}

function outcomeOf(item: CallItem, isDiff: boolean): string {
	const { outcome } = isRecord(item.result?.details) ? item.result.details : {};
	const hasEnded = item.phase === "failed" || item.phase === "done";
	// What tests came to, or the last error of a build: the terminal shows the same.
	if (hasEnded && typeof outcome === "string" && outcome !== "") return oneLine(outcome);
	const text = plainText(textOf(item.result)).trimEnd();
	if (item.phase === "failed") return oneLine(lastLine(text));
	if (item.phase !== "done" || isDiff || text === "") return "";
	const lines = text.split("\n").length;
	return lines === 1 ? oneLine(text) : `${lines} lines`;
}

function lastLine(text: string): string {
	return text.slice(text.lastIndexOf("\n") + 1);
}

function firstText(args: CallItem["args"]): string | undefined {
	const first = Object.values(args).find((value) => typeof value === "string" && value !== "");
	return typeof first === "string" ? first : undefined;
}

/** Of arguments that are still being written: the value that is there already. */
function partialSubject(json: string): string {
	const [, text = ""] =
		/"(?:command|path|file_path|file|pattern|query|url)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(
			json.slice(0, 4096),
		) ?? [];
	return text.replaceAll(/\\(.)/g, (_, char: string) => (char === "n" ? " " : char));
}

function oneLine(text: string): string {
	return plainText(text).replaceAll(/\s+/g, " ").trim().slice(0, subjectChars);
}
