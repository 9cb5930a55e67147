/** "find X", "where is X": searches contents and file names, and says where to look first. */
import { projectFiles } from "./describe.ts";
import { limits } from "./limits.ts";
import { bash, say, shellQuote, type Step } from "./step.ts";
import { code, failureText, firstOf, list, paragraphs, plural, printed, sentence } from "./text.ts";
import type { Outcome, Turn } from "./turn.ts";

interface Match {
	path: string;
	line: number;
	text: string;
}

export function find(what: string, turn: Turn): Step {
	const [searches, again = []] = turn.rounds;
	const [searched, named] = searches ?? [];
	if (!searched || !named) {
		return [
			say(`Searching for ${code(what)} in the files and in their names.`),
			bash(searchCommand(what)),
			bash(`${projectFiles} | grep -iF -e ${shellQuote(what)} | head -n ${limits.searchNames}`),
		];
	}
	const failed = [searched, named, ...again].find((outcome) => outcome.failed);
	if (failed) return [say(failureText(failed))];
	const exact = readMatches(searched);
	if (exact.length === 0 && again.length === 0)
		return [say("No exact match; searching again, ignoring case."), bash(searchCommand(what, "-i "))];
	const names = printed(named)
		.split("\n")
		.map((name) => name.replace(/^\.\//, ""))
		.filter((name) => name !== "");
	const matches = exact.length > 0 ? exact : readMatches(again[0]);
	return [say(report(what, { matches, names, how: exact.length > 0 ? "" : ", ignoring case" }))];
}

function searchCommand(text: string, flags = ""): string {
	const word = shellQuote(text);
	return [
		"if command -v rg >/dev/null 2>&1",
		`then rg -n --no-heading --color never ${flags}-F -e ${word} .`,
		`else grep -rnI ${flags}-F --exclude-dir=.git --exclude-dir=node_modules -e ${word} .`,
		`fi | head -n ${limits.searchLines} | cut -b 1-${limits.searchLineBytes}`,
	].join("\n");
}

function readMatches(outcome: Outcome | undefined): Match[] {
	const rows = outcome ? printed(outcome).split("\n") : [];
	return rows.flatMap((row) => {
		const [, path, line, text = ""] = /^(?:\.\/)?(.+?):(\d+):(.*)$/.exec(row) ?? [];
		return path === undefined ? [] : { path, line: Number(line), text };
	});
}

interface Found {
	matches: readonly Match[];
	names: readonly string[];
	how: string;
}

function report(what: string, { matches, names, how }: Found): string {
	if (matches.length + names.length === 0)
		return `${code(what)} was not found: no file contains it in any case, and no file name does either. I search for the text exactly as typed.`;
	const perFile = [...Map.groupBy(matches, ({ path }) => path)].toSorted((a, b) => b[1].length - a[1].length);
	const most = matches.length >= limits.searchLines ? "at least " : "";
	const best = rank(what, perFile).slice(0, limits.listedMatches);
	const count = `${most}${plural(matches.length, "match", "matches")} in ${plural(perFile.length, "file")}${how}`;
	const counts = perFile.map(([path, { length }]) => `${code(path)} (${length})`);
	return paragraphs(
		matches.length > 0
			? `${code(what)}: ${count}. ${best.length < matches.length ? "Best guesses first:" : ""}`
			: undefined,
		list(best.map(({ path, line, text }) => `${code(`${path}:${line}`)}: ${code(sentence(text))}`)),
		counts.length > 1 ? `By file: ${firstOf(counts, limits.listedMatches, String)}.` : undefined,
		names.length > 0
			? `Files with ${code(what)} in their path: ${firstOf(names, limits.listedMatches)}.`
			: undefined,
	);
}

/** Where it is made comes before where it is used, code before prose, then the file that has most of it. */
function rank(what: string, perFile: readonly (readonly [string, readonly Match[]])[]): Match[] {
	const definition = new RegExp(
		`\\b(?:function|class|interface|type|enum|struct|trait|def|fn|func|const|let|var)\\s+${RegExp.escape(what)}(?!\\w)`,
	);
	const score = ({ path, text }: Match): number =>
		(definition.test(text) ? 4 : 0) +
		(/\.(?:md|txt|lock|json|ya?ml|svg)$/i.test(path) ? 0 : 2) +
		(/test|spec/i.test(path) ? 0 : 1);
	// The sort is stable: within a score, the order of the files stays, and that of their lines.
	return perFile.flatMap(([, matches]) => matches).toSorted((a, b) => score(b) - score(a));
}
