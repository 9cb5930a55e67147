/** "what is in this project": lists it, reads its README and manifests, summarizes. */
import { fill } from "@tau/utils";

import { limits } from "../limits.ts";
import { code, sentence } from "../markdown.ts";
import { failureText, filePart } from "../outcome.ts";
import { extensionsCommand, listCommand, logCommand } from "../project/commands.ts";
import { readLanguages } from "../project/languages.ts";
import { type Entry, readListing } from "../project/listing.ts";
import { manifestFiles, readManifest } from "../project/manifest.ts";
import { readReadme } from "../project/readme.ts";
import { summary } from "../project/summary.ts";
import { bash, read, say, type Step, think } from "../step.ts";
import describeThinking from "../texts/describe-thinking.md" with { type: "text" };
import type { Outcome, Turn } from "../turn.ts";

export function describe(turn: Turn): Step {
	const [looks, reads] = turn.rounds;
	const [listed, log, counted] = looks ?? [];
	if (!listed) {
		return [
			think(fill(describeThinking)),
			say("Let me look around."),
			...[listCommand, logCommand, extensionsCommand].map(bash),
		];
	}
	if (listed.failed) return [say(failureText(listed))];
	const entries = readListing(listed.text);
	const files = worthReading(entries);
	if (!reads && files.length > 0 && turn.tools.has("read")) {
		return [say(`I will read ${files.map(code).join(", ")}.`), ...files.map(readWhole)];
	}
	return [say(summary(findings(entries, { log, counted, reads: reads ?? [] }, missed(files, turn))))];
}

function worthReading(entries: readonly Entry[]): string[] {
	const files = entries.filter((entry) => !entry.folder).map((entry) => entry.name);
	const readme = files
		.filter(isReadme)
		.toSorted((a, b) => a.length - b.length)
		.slice(0, 1);
	return [...readme, ...manifestFiles.filter((file) => files.includes(file))].slice(0, limits.projectReads);
}

export function isReadme(file: string): boolean {
	return /^readme(?:\.(?:md|markdown|txt|rst))?$/i.test(file);
}

function readWhole(file: string) {
	return read(file, isReadme(file) ? { limit: limits.readmeLines } : {});
}

function missed(files: readonly string[], turn: Turn): string[] {
	if (files.length === 0 || turn.tools.has("read")) return [];
	return [`${files.map(code).join(", ")} not read: there is no ${code("read")} tool`];
}

function findings(
	entries: readonly Entry[],
	results: { log: Outcome | undefined; counted: Outcome | undefined; reads: readonly Outcome[] },
	missing: readonly string[],
) {
	const { log, counted, reads } = results;
	const texts = reads
		.filter((outcome) => !outcome.failed)
		.map((outcome) => ({ file: String(outcome.arguments.path), lines: filePart(outcome.text).lines }));
	const readme = texts.find(({ file }) => isReadme(file));
	const failed = [log, counted, ...reads].filter((outcome) => outcome?.failed);
	return {
		entries,
		languages: counted && !counted.failed ? readLanguages(counted.text) : [],
		commits: log && !log.failed ? log.text.split("\n").filter((line) => /^[0-9a-f]{4,40} /.test(line)) : [],
		readme: readme && readReadme(readme.lines),
		manifests: texts
			.filter(({ file }) => manifestFiles.includes(file))
			.map(({ file, lines }) => readManifest(file, lines.join("\n"), entries)),
		failures: [...missing, ...failed.flatMap((outcome) => (outcome ? shortFailure(outcome) : []))],
	};
}

function shortFailure(outcome: Outcome): string {
	const subject = outcome.arguments.path ?? outcome.arguments.command;
	return `${code(outcome.tool)} of ${code(String(subject))} failed: ${sentence(outcome.text)}`;
}
