/** What a program would do, in the words of a user who is asked about it. */
import type { ProgramRun } from "@tau/sys/commands";

const hooks = "hooks of this repository may run";

const gitConsequences: Readonly<Record<string, string>> = {
	add: "stages changes",
	am: `applies patches as commits; ${hooks}`,
	bisect: "checks out other commits",
	branch: "changes branches",
	checkout: `switches branches; ${hooks}`,
	"cherry-pick": `adds commits; ${hooks}`,
	clean: "deletes untracked files",
	clone: "downloads a repository",
	commit: `commits; ${hooks}`,
	config: "changes settings of git, which can name programs",
	fetch: "fetches from a remote",
	merge: `merges; ${hooks}`,
	pull: `fetches and merges; ${hooks}`,
	push: "pushes to a remote",
	rebase: `rewrites commits; ${hooks}`,
	reset: "moves the branch or unstages changes",
	restore: "discards uncommitted changes",
	revert: `adds commits; ${hooks}`,
	stash: "changes the stash",
	switch: `switches branches; ${hooks}`,
	tag: "changes tags",
};

const consequences: Readonly<Record<string, string>> = {
	chmod: "changes permissions",
	chown: "changes owners",
	kill: "ends processes",
	killall: "ends processes",
	pkill: "ends processes",
	make: "runs the Makefile of this project",
};

/** Programs that install packages, and the subcommands with which they do. */
const installers = /^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|gem|go|brew|conda|composer)$/;
const installing = /^(?:install|i|ci|add|update|up|upgrade|sync|get|require|create)$/;

export function consequenceOf(run: ProgramRun): string {
	const { name, argv, effect, network } = run;
	const words = argv.slice(1).map((word) => word ?? "");
	const first = words.find((word) => !word.startsWith("-")) ?? "";
	if (name === "git") {
		const known = gitConsequence(first, words);
		if (known !== undefined) return known;
	}
	const known = Object.hasOwn(consequences, name) ? consequences[name] : undefined;
	if (known !== undefined) return known;
	if (installers.test(name) && installing.test(first)) return `${name} installs packages, which may run code`;
	const shown = /^[a-z][\w-]*$/.test(words[0] ?? "") ? `${name} ${words[0]}` : name;
	if (network) return `${shown} uses the network`;
	return effect === "write" ? `${shown} changes files` : `${shown} runs code`;
}

function gitConsequence(subcommand: string, words: readonly string[]): string | undefined {
	const discards =
		(subcommand === "reset" && words.includes("--hard")) ||
		(subcommand === "checkout" && (words.includes("--") || words.includes("-f") || words.includes("."))) ||
		(subcommand === "restore" && !words.includes("--staged")) ||
		(subcommand === "switch" && words.includes("--discard-changes"));
	if (discards) return "discards uncommitted changes";
	if (subcommand === "restore") return "unstages changes";
	return Object.hasOwn(gitConsequences, subcommand) ? gitConsequences[subcommand] : undefined;
}
