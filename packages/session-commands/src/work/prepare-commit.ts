/** What `tau commit` and `/commit` have in common: the changes, the proposed commits, and how both are shown. */
import type { AssistantMessage, CredentialStore, Model } from "@tau/ai";
import {
	CommitRepository,
	makeCommits,
	proposeCommits,
	readChanges,
	shown,
	type CommitChanges,
	type MadeCommit,
	type PlannedCommit,
} from "@tau/session/commits";
import { askRole, KeySource, modelBeside, type ModelRegistry } from "@tau/config/models";
import { uuidv7, type Env } from "@tau/utils";

export interface CommitOptions {
	cwd: string;
	env: Env;
	isTrusted: boolean;
	registry: ModelRegistry;
	credentials: CredentialStore;
	/** The model of the conversation: the role `commit` may fall back to it. */
	model: Model;
	scope: "staged" | "all" | "auto";
	split: boolean;
	hint?: string | undefined;
	/** Called with each answer, which is paid for even if it is of no use. */
	onAnswer(answer: AssistantMessage, isSubscription: boolean): void;
	onNotice(message: string): void;
	signal: AbortSignal;
}

export interface PreparedCommit {
	readonly changes: CommitChanges;
	readonly commits: readonly PlannedCommit[];
	/** With another message for each, in their order. */
	make(commits: readonly PlannedCommit[]): Promise<MadeCommit[]>;
}

/** Throws a `UserError` if there is nothing to commit or git cannot. */
export async function prepareCommit(options: CommitOptions): Promise<PreparedCommit> {
	const { registry, credentials, model, scope, split, hint, env, onAnswer, onNotice, signal } = options;
	const repository = new CommitRepository(options);
	const changes = await readChanges(repository, scope);
	const keys = new KeySource({ store: credentials, registry, sessionId: uuidv7(), onNotice });
	const asked = modelBeside("commit", model, registry);
	const { commits, fallback } = await proposeCommits({
		repository,
		changes,
		split: split && changes.hunks.length > 1,
		hint,
		env,
		signal,
		async ask(systemPrompt, text, maxTokens, stop) {
			const question = { systemPrompt, text, maxTokens, signal: stop };
			const answer = asked && (await askRole({ registry, keys }, asked, question));
			if (answer) onAnswer(answer, keys.isSubscription(answer.provider));
			return answer;
		},
	});
	if (fallback !== undefined) {
		const unsplit = split ? " Nothing was split: this is one commit." : "";
		onNotice(`The message was made without a model: ${fallback}.${unsplit}`);
	} else if (split && changes.hunks.length === 1) onNotice("There is only one hunk: nothing can be split.");
	return { changes, commits, make: (planned) => makeCommits(repository, changes, planned) };
}

/** What would be committed: for each commit its message, and the files with their lines. */
export function previewLines(
	{ files, hunks, scope }: CommitChanges,
	commits: readonly PlannedCommit[],
): string[] {
	const what = scope === "staged" ? "staged changes" : "all changes";
	const head = `${plural(files.length, "file")} (${what}), ${plural(commits.length, "commit")}`;
	return [
		head,
		...commits.flatMap(({ message, hunks: numbers }) => {
			const chosen = hunks.filter(({ number }) => numbers.includes(number));
			const names = [...new Set(chosen.map(({ path }) => path))];
			const rows = names.map((path) => {
				const own = chosen.filter((hunk) => hunk.path === path);
				const all = hunks.filter((hunk) => hunk.path === path).length;
				const part = own.length === all ? "" : ` (${own.length} of ${plural(all, "hunk")})`;
				return `  ${shown(path)}${part} ${counts(own.map(({ text }) => text).join(""))}`;
			});
			return ["", ...message.trim().split("\n"), ...rows];
		}),
	];
}

function counts(text: string): string {
	const [added, removed] = ["+", "-"].map(
		(mark) => text.split("\n").filter((line) => line.startsWith(mark)).length,
	);
	return `+${added} -${removed}`;
}

function plural(count: number, word: string): string {
	return `${count} ${word}${count === 1 ? "" : "s"}`;
}
