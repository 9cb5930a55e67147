/** "tour": walks through Tau on the project at hand, with real calls. It waits for the user after each stop. */
import { fill } from "@tau/utils";

import { type Entry, isReadme, listCommand, readListing } from "./describe.ts";
import { limits } from "./limits.ts";
import { bash, read, say, type Step, think } from "./step.ts";
import { code, failureText, filePart, paragraphs, plural, printed } from "./text.ts";
import tourEnd from "./texts/tour-end.md" with { type: "text" };
import tourGit from "./texts/tour-git.md" with { type: "text" };
import tourPrompts from "./texts/tour-prompts.md" with { type: "text" };
import tourRead from "./texts/tour-read.md" with { type: "text" };
import tourSessions from "./texts/tour-sessions.md" with { type: "text" };
import tourShell from "./texts/tour-shell.md" with { type: "text" };
import tourStart from "./texts/tour-start.md" with { type: "text" };
import tourThinking from "./texts/tour-thinking.md" with { type: "text" };
import tourTools from "./texts/tour-tools.md" with { type: "text" };
import type { Outcome, Turn } from "./turn.ts";

const next = "Send `next` for the next stop.";

const statusCommand = `if git rev-parse --git-dir >/dev/null 2>&1; then git --no-pager status --short --branch | head -n ${limits.shownLines}; else echo "not a git repository"; fi`;

/** Stops are numbered from 1; after the last one the tour is over. */
export function tour(turn: Turn, stop: number): Step {
	switch (stop) {
		case 1:
			return tools(turn);
		case 2:
			return shell(turn);
		case 3:
			return [say(paragraphs(fill(tourPrompts), next))];
		case 4:
			return [say(paragraphs(fill(tourSessions), next))];
		default:
			return [say(fill(tourEnd)), { kind: "connection" }];
	}
}

function tools(turn: Turn): Step {
	const past = turn.rounds.flatMap((round) => round.slice(0, 1));
	const listed = past.find((outcome) => outcome.arguments.command === listCommand);
	if (!listed) return [think(fill(tourThinking)), say(fill(tourStart)), bash(listCommand)];
	const entries = listed.failed ? [] : readListing(listed.text);
	const shown = past.find((outcome) => outcome.tool === "read");
	const file = worthShowing(entries);
	if (!shown && file !== undefined && turn.tools.has("read") && past.length === 1) {
		const about = fill(tourRead, { file: code(file) });
		return [say(paragraphs(listing(listed, entries), about)), read(file, { limit: limits.tourLines })];
	}
	const before = shown ? reading(shown) : listing(listed, entries);
	return [say(paragraphs(before, fill(tourTools), next))];
}

function shell(turn: Turn): Step {
	const status = turn.rounds.map(([first]) => first).find((one) => one?.arguments.command === statusCommand);
	if (!status) return [say(fill(tourGit)), bash(statusCommand)];
	return [say(paragraphs(repository(status), fill(tourShell), next))];
}

function worthShowing(entries: readonly Entry[]): string | undefined {
	const files = entries.filter(({ folder }) => !folder).map(({ name }) => name);
	return files.find(isReadme) ?? files.find((file) => /\.(?:md|txt|json|toml|ts|js|py|rs|go)$/.test(file));
}

function listing(outcome: Outcome, entries: readonly Entry[]): string {
	if (outcome.failed) return failureText(outcome);
	const folders = entries.filter(({ folder }) => folder).length;
	return `That is ${plural(folders, "folder")} and ${plural(entries.length - folders, "file")}.`;
}

function reading(outcome: Outcome): string {
	if (outcome.failed) return failureText(outcome);
	const title = filePart(outcome.text).lines.find((line) => line.trim() !== "") ?? "";
	return `Read the beginning of ${code(String(outcome.arguments.path))}; its first line is ${code(title)}.`;
}

function repository(outcome: Outcome): string {
	if (outcome.failed) return failureText(outcome);
	const [branch = "", ...changes] = printed(outcome).split("\n");
	if (!branch.startsWith("##")) return "This folder is not a git repository; that is fine.";
	const state = changes.length === 0 ? "no changes" : `${plural(changes.length, "path")} changed`;
	const [, unborn, name = ""] = /^##\s*(No commits yet on |Initial commit on )?(.*)$/.exec(branch) ?? [];
	return `${unborn === undefined ? "On" : "No commits yet on"} ${code(name)}; ${state}.`;
}
