/** `/commit`: commits staged or all changes, after a preview. */
import type { PlannedCommit } from "@tau/session/commits";

import type { InteractiveHost } from "../host.ts";
import type { SlashCommand } from "./command.ts";
import { mayRunGit } from "./git-trust.ts";
import { whileLoading } from "./loading.ts";

const options: readonly string[] = ["all", "split", "dry-run"];

export const commit: SlashCommand = {
	name: "commit",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[all] [split] [dry-run] [what it is about]",
	words: options,
	optionsAnywhere: true,
	description: "Commit with a message written from the diff",
	details:
		"Commits what is staged; without staged changes, or with `all`, everything. `split` makes atomic commits, `dry-run` only shows them. `--all` and the like mean the same. You see messages and files first, and nothing else is committed.",
	complete: (prefix) =>
		options.filter((word) => word.startsWith(prefix)).map((value) => ({ value, label: value })),
	async run(args, host) {
		const words = args.split(/\s+/).filter(Boolean);
		const end = words.findIndex((word) => !options.includes(word));
		const flags = new Set(words.slice(0, end === -1 ? words.length : end));
		if (!(await mayRunGit(host, "/commit"))) return host.notify("Nothing was committed.", "info");
		const { prepareCommit, previewLines } = await import("../../shared/prepare-commit.ts");
		const prepared = await whileLoading(host, "Writing the commit message", (signal) =>
			prepareCommit({
				cwd: host.cwd,
				env: process.env,
				isTrusted: true,
				registry: host.registry,
				credentials: host.credentials,
				model: host.session.model,
				scope: flags.has("all") ? "all" : "auto",
				split: flags.has("split"),
				hint: words.slice(flags.size).join(" ") || undefined,
				onNotice: (message) => host.notify(message, "warning"),
				signal,
			}),
		);
		if (prepared && flags.has("dry-run"))
			return host.notify(previewLines(prepared.changes, prepared.commits).join("\n"), "info");
		const commits =
			prepared &&
			(await agreed(host, prepared.commits, (planned) => previewLines(prepared.changes, planned)));
		if (!prepared || !commits) return host.notify("Nothing was committed.", "info");
		const made = await prepared.make(commits);
		const lines = made.map(({ oid, message }) => `${oid.slice(0, 10)} ${message.split("\n")[0]}`);
		host.notify(`Committed:\n${lines.join("\n")}`, "success");
	},
};

/** Undefined if the user does not want them. */
async function agreed(
	host: InteractiveHost,
	planned: readonly PlannedCommit[],
	preview: (commits: readonly PlannedCommit[]) => readonly string[],
): Promise<readonly PlannedCommit[] | undefined> {
	let commits = planned;
	for (;;) {
		host.notify(preview(commits).join("\n"), "info");
		const choice = await host.ask.select(commits.length === 1 ? "Commit this?" : "Make these commits?", [
			{ value: "yes", label: "Commit" },
			{ value: "edit", label: "Edit the message" },
			{ value: "no", label: "Cancel" },
		]);
		if (choice === "yes") return commits;
		if (choice !== "edit") return undefined;
		commits = await edited(host, commits);
	}
}

async function edited(host: InteractiveHost, commits: readonly PlannedCommit[]): Promise<PlannedCommit[]> {
	const changed: PlannedCommit[] = [];
	for (const one of commits) {
		const message = await host.ask.editor("Commit message", { initial: one.message });
		changed.push({ ...one, message: message?.trim() || one.message });
	}
	return changed;
}
