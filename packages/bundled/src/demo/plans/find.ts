/** "find X", "where is X": searches contents and file names, and says where to look first. */
import { fill } from "@tau/utils";

import type { Intent } from "../intent.ts";
import { limits } from "../limits.ts";
import { code, list, paragraphs, plural, sentence } from "../markdown.ts";
import { failureText, printed } from "../outcome.ts";
import { fileNamesCommand, searchCommand } from "../project/commands.ts";
import { bash, say, type Step } from "../step.ts";
import nothingFound from "../texts/nothing-found.md" with { type: "text" };
import type { Outcome, Turn } from "../turn.ts";

type Request = Extract<Intent, { kind: "find" }>;

interface Match {
	path: string;
	line: number;
	text: string;
}

export function find({ what }: Request, turn: Turn): Step {
	const [searches, again] = turn.rounds;
	const [searched, named] = searches ?? [];
	if (!searched || !named) {
		return [
			say(`Searching for ${code(what)} in the files and in their names.`),
			bash(searchCommand(what)),
			bash(fileNamesCommand(what)),
		];
	}
	const failed = [searched, named, ...(again ?? [])].find((outcome) => outcome.failed);
	if (failed) return [say(failureText(failed))];
	const exact = readMatches(searched);
	if (exact.length === 0 && !again) {
		return [say("No exact match; searching again, ignoring case."), bash(searchCommand(what, true))];
	}
	const matches = exact.length > 0 ? exact : readMatches(again?.[0]);
	return [say(report(what, matches, readNames(named), exact.length === 0))];
}

function readMatches(outcome: Outcome | undefined): Match[] {
	const rows = outcome ? printed(outcome).split("\n") : [];
	return rows.flatMap((row) => {
		const [, path, line, text] = /^(?:\.\/)?(.+?):(\d+):(.*)$/.exec(row) ?? [];
		return path === undefined ? [] : { path, line: Number(line), text: text ?? "" };
	});
}

function readNames(outcome: Outcome): string[] {
	return printed(outcome)
		.split("\n")
		.map((name) => name.replace(/^\.\//, ""))
		.filter((name) => name !== "");
}

function report(what: string, matches: readonly Match[], names: readonly string[], anyCase: boolean): string {
	if (matches.length === 0 && names.length === 0) return fill(nothingFound, { text: code(what) });
	const perFile = countPerFile(matches);
	const most = matches.length >= limits.searchLines ? "at least " : "";
	const how = anyCase ? ", ignoring case" : "";
	const best = rank(what, matches, perFile).slice(0, limits.listedMatches);
	const count = `${most}${plural(matches.length, "match", "matches")} in ${plural(perFile.size, "file")}${how}`;
	return paragraphs(
		matches.length > 0
			? `${code(what)}: ${count}. ${best.length < matches.length ? "Best guesses first:" : ""}`
			: undefined,
		list(best.map(({ path, line, text }) => `${code(`${path}:${line}`)}: ${code(sentence(text))}`)),
		perFile.size > 1 ? `By file: ${fileCounts(perFile)}.` : undefined,
		names.length > 0 ? nameList(what, names) : undefined,
	);
}

function countPerFile(matches: readonly Match[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { path } of matches) counts.set(path, (counts.get(path) ?? 0) + 1);
	return counts;
}

/** Where a thing is made comes before where it is used, code before prose, then the file that has most of it. */
function rank(what: string, matches: readonly Match[], perFile: ReadonlyMap<string, number>): Match[] {
	const name = RegExp.escape(what);
	const definition = new RegExp(
		`\\b(?:function|class|interface|type|enum|struct|trait|impl|def|fn|func|const|let|var|module|macro)\\s+${name}(?!\\w)`,
	);
	const score = ({ path, text }: Match) =>
		(definition.test(text) ? 4 : 0) +
		(/\.(?:md|txt|lock|json|ya?ml|svg)$/i.test(path) ? 0 : 2) +
		(/test|spec/i.test(path) ? 0 : 1);
	return [...matches].toSorted(
		(a, b) =>
			score(b) - score(a) ||
			(perFile.get(b.path) ?? 0) - (perFile.get(a.path) ?? 0) ||
			(a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line),
	);
}

function fileCounts(perFile: ReadonlyMap<string, number>): string {
	const files = [...perFile].toSorted((a, b) => b[1] - a[1]);
	const shown = files.slice(0, limits.listedMatches).map(([path, count]) => `${code(path)} (${count})`);
	const more = files.length > limits.listedMatches ? ` and ${files.length - limits.listedMatches} more` : "";
	return shown.join(", ") + more;
}

function nameList(what: string, names: readonly string[]): string {
	const shown = names.slice(0, limits.listedMatches).map(code).join(", ");
	const more = names.length > limits.listedMatches ? " and more" : "";
	return `Files with ${code(what)} in their path: ${shown}${more}.`;
}
