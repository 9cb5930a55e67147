/** "tour": walks through Tau on the project at hand, with real calls. It waits for the user after each stop. */
import { fill } from "@tau/utils";

import { limits } from "../limits.ts";
import { code, paragraphs, plural } from "../markdown.ts";
import { failureText, filePart, printed } from "../outcome.ts";
import { listCommand, statusCommand } from "../project/commands.ts";
import { type Entry, readListing } from "../project/listing.ts";
import { bash, type Piece, read, say, type Step, think } from "../step.ts";
import tourEnd from "../texts/tour-end.md" with { type: "text" };
import tourGit from "../texts/tour-git.md" with { type: "text" };
import tourNext from "../texts/tour-next.md" with { type: "text" };
import tourPrompts from "../texts/tour-prompts.md" with { type: "text" };
import tourRead from "../texts/tour-read.md" with { type: "text" };
import tourSessions from "../texts/tour-sessions.md" with { type: "text" };
import tourShell from "../texts/tour-shell.md" with { type: "text" };
import tourStart from "../texts/tour-start.md" with { type: "text" };
import tourThinking from "../texts/tour-thinking.md" with { type: "text" };
import tourTools from "../texts/tour-tools.md" with { type: "text" };
import type { Outcome, Turn } from "../turn.ts";
import { isReadme } from "./describe.ts";

/** Stops are numbered from 1; after the last one the tour is over. */
export function tour(turn: Turn, stop: number): Step {
	switch (stop) {
		case 1:
			return tools(turn);
		case 2:
			return shell(turn);
		case 3:
			return [say(paragraphs(fill(tourPrompts), fill(tourNext)))];
		case 4:
			return [say(paragraphs(fill(tourSessions), fill(tourNext)))];
		default:
			return [say(fill(tourEnd)), { kind: "connection" }];
	}
}

function tools(turn: Turn): Step {
	const past = outcomes(turn);
	const listed = past.find((outcome) => outcome.arguments.command === listCommand);
	if (!listed) return [think(fill(tourThinking)), say(fill(tourStart)), bash(listCommand)];
	const entries = listed.failed ? [] : readListing(listed.text);
	const shown = past.find((outcome) => outcome.tool === "read");
	const file = worthShowing(entries);
	if (!shown && file !== undefined && turn.tools.has("read") && past.length === 1) {
		return [
			sayAfter(listing(listed, entries), fill(tourRead, { file: code(file) })),
			read(file, { limit: limits.tourLines }),
		];
	}
	const before = shown ? reading(shown) : listing(listed, entries);
	return [sayAfter(before, paragraphs(fill(tourTools), fill(tourNext)))];
}

function shell(turn: Turn): Step {
	const status = outcomes(turn).find((outcome) => outcome.arguments.command === statusCommand);
	if (!status) return [say(fill(tourGit)), bash(statusCommand)];
	return [sayAfter(repository(status), paragraphs(fill(tourShell), fill(tourNext)))];
}

function outcomes({ rounds }: Turn): Outcome[] {
	return rounds.map((round) => round[0]).filter((outcome) => outcome !== undefined);
}

function sayAfter(result: string, text: string): Piece {
	return say(paragraphs(result, text));
}

function worthShowing(entries: readonly Entry[]): string | undefined {
	const files = entries.filter((entry) => !entry.folder).map((entry) => entry.name);
	return files.find(isReadme) ?? files.find((file) => /\.(?:md|txt|json|toml|ts|js|py|rs|go)$/.test(file));
}

function listing(outcome: Outcome, entries: readonly Entry[]): string {
	if (outcome.failed) return failureText(outcome);
	const folders = entries.filter((entry) => entry.folder).length;
	return `That is ${plural(folders, "folder")} and ${plural(entries.length - folders, "file")}.`;
}

function reading(outcome: Outcome): string {
	if (outcome.failed) return failureText(outcome);
	const { lines } = filePart(outcome.text);
	const title = lines.find((line) => line.trim() !== "") ?? "";
	return `Read the beginning of ${code(String(outcome.arguments.path))}; its first line is ${code(title)}.`;
}

function repository(outcome: Outcome): string {
	if (outcome.failed) return failureText(outcome);
	const [branch = "", ...changes] = printed(outcome).split("\n");
	if (!branch.startsWith("##")) return "This folder is not a git repository; that is fine.";
	const state = changes.length === 0 ? "no changes" : `${plural(changes.length, "path")} changed`;
	const [, unborn = "", name = ""] = /^##\s*(No commits yet on |Initial commit on )?(.*)$/.exec(branch) ?? [];
	return unborn === "" ? `On ${code(name)}; ${state}.` : `No commits yet on ${code(name)}; ${state}.`;
}
