/** Asks the model of the role `commit` for messages, and for a division into atomic commits. */
import type { AssistantMessage } from "@tau/ai";
import { cutUnits, env as readEnv, isRecord, withTimeout, type Env } from "@tau/utils";

import { UserError } from "../run/user-error.ts";
import { shown, type CommitChanges, type Hunk } from "./changes.ts";
import conventional from "./conventional.md" with { type: "text" };
import { limits } from "./limits.ts";
import type { PlannedCommit } from "./make-commits.ts";
import messagePrompt from "./message.md" with { type: "text" };
import type { CommitRepository } from "./repository.ts";
import splitPrompt from "./split.md" with { type: "text" };
import summaryPrompt from "./summary.md" with { type: "text" };

export interface ProposeParts {
	repository: CommitRepository;
	changes: CommitChanges;
	/** Several commits instead of one. */
	split: boolean;
	/** What the user says about the change. */
	hint?: string | undefined;
	env: Env;
	ask(
		systemPrompt: string,
		text: string,
		maxTokens: number,
		signal: AbortSignal,
	): Promise<AssistantMessage | undefined>;
	signal: AbortSignal;
}

export interface Proposal {
	readonly commits: readonly PlannedCommit[];
	/** Why the messages are made of file names alone. */
	readonly fallback?: string;
}

/** Throws a `UserError` if the model gives no message and `TAU_COMMIT_NO_FALLBACK` is set. */
export async function proposeCommits(parts: ProposeParts): Promise<Proposal> {
	const { changes, env, signal } = parts;
	if (isSet("TAU_COMMIT_TEST_FALLBACK", env)) return withoutModel(changes, "TAU_COMMIT_TEST_FALLBACK is set");
	const question = await questionOf(parts);
	const system = [parts.split ? splitPrompt : messagePrompt, question.style].filter(Boolean).join("\n\n");
	using deadline = withTimeout(signal, limits.answerMs, "The model did not answer in time.");
	const answer = await answered(parts, system, question.text, deadline.signal);
	signal.throwIfAborted();
	if ("text" in answer) {
		const commits = parts.split ? splitOf(answer.text, changes) : messageOf(answer.text, changes);
		if (commits) return { commits };
	}
	const reason = "reason" in answer ? answer.reason : "the model gave no usable message";
	if (isSet("TAU_COMMIT_NO_FALLBACK", env)) throw new UserError(`There is no commit message: ${reason}.`);
	return withoutModel(changes, reason);
}

type Answer = { text: string } | { reason: string };

async function answered(
	{ ask }: ProposeParts,
	system: string,
	text: string,
	signal: AbortSignal,
): Promise<Answer> {
	try {
		const message = await ask(system, text, limits.messageTokens, signal);
		if (!message) return { reason: "no model can be used for the role commit" };
		if (message.stopReason === "error") return { reason: message.errorMessage ?? "the model failed" };
		return { text: textOf(message) };
	} catch (error) {
		return { reason: error instanceof Error ? error.message : String(error) };
	}
}

async function questionOf(parts: ProposeParts): Promise<{ style: string | undefined; text: string }> {
	const { repository, changes, hint } = parts;
	const log = changes.head
		? await repository.attempt(["log", `-${limits.history}`, "--no-merges", "--format=%s", "HEAD"])
		: undefined;
	const subjects = log?.ok ? log.output.trim().split("\n").filter(Boolean) : [];
	const text = [
		...(subjects.length > 0 ? ["Earlier subjects:", ...subjects, ""] : []),
		...(hint ? ["The author says:", hint, ""] : []),
		"The change:",
		await diffFor(parts),
	].join("\n");
	return { style: isConventional(subjects) ? conventional : undefined, text };
}

export function isConventional(subjects: readonly string[]): boolean {
	const matching = subjects.filter((subject) => /^[a-z]+(?:\([^)]+\))?!?: \S/.test(subject));
	return subjects.length > 0 && matching.length >= subjects.length / 2;
}

/** A diff that does not fit into one request is summarized part by part. */
async function diffFor({ changes, env, ask, signal }: ProposeParts): Promise<string> {
	const texts = changes.hunks.map(hunkText);
	const whole = texts.join("\n");
	if (whole.length <= limits.diffChars) return whole;
	if (readEnv("TAU_COMMIT_MAP_REDUCE", env)?.toLowerCase() === "false")
		return cutUnits(whole, limits.diffChars);
	const parts: string[] = [];
	for (const text of texts) {
		const last = parts.at(-1);
		if (last === undefined || last.length + text.length > limits.diffChars) parts.push(text);
		else parts[parts.length - 1] = `${last}\n${text}`;
	}
	const summaries: string[] = [];
	const taken = parts.slice(0, limits.parts);
	for (let at = 0; at < taken.length; at += limits.requests) {
		const asked = taken.slice(at, at + limits.requests).map(async (text) => {
			const answer = await ask(summaryPrompt, text, limits.messageTokens, signal).catch(() => undefined);
			const summary = answer && answer.stopReason !== "error" ? textOf(answer).trim() : "";
			return summary || cutUnits(text, limits.fileChars / 4);
		});
		summaries.push(...(await Promise.all(asked)));
	}
	const rest = parts.length > taken.length ? ["(more files are not shown)"] : [];
	return [...summaries, ...rest].join("\n");
}

function textOf({ content }: AssistantMessage): string {
	return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
}

function hunkText({ number, text }: Hunk): string {
	return `#${number} ${cutUnits(text, limits.fileChars)}`;
}

function messageOf(answer: string, changes: CommitChanges): PlannedCommit[] | undefined {
	const message = cleaned(answer);
	return message === "" ? undefined : [{ message, hunks: changes.hunks.map(({ number }) => number) }];
}

/** Hunks that no commit has are in the last one: it is always the whole change. */
function splitOf(answer: string, changes: CommitChanges): PlannedCommit[] | undefined {
	const parsed = jsonIn(answer);
	if (!isRecord(parsed) || !Array.isArray(parsed.commits)) return undefined;
	const left = new Set(changes.hunks.map(({ number }) => number));
	const commits = parsed.commits.slice(0, limits.commits).flatMap((each: unknown): PlannedCommit[] => {
		if (!isRecord(each) || typeof each.message !== "string" || !Array.isArray(each.hunks)) return [];
		const hunks = each.hunks.filter(
			(number): number is number => typeof number === "number" && left.delete(number),
		);
		const message = cleaned(each.message);
		return hunks.length > 0 && message !== "" ? [{ message, hunks }] : [];
	});
	const last = commits.at(-1);
	if (!last) return undefined;
	return [...commits.slice(0, -1), { ...last, hunks: [...last.hunks, ...left] }];
}

function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
	} catch {
		return undefined;
	}
}

function cleaned(text: string): string {
	const inner = /^\s*```\w*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;
	return cutUnits(inner.trim().replace(/^"(.*)"$/s, "$1"), limits.messageChars);
}

function withoutModel(changes: CommitChanges, fallback: string): Proposal {
	const names = changes.files.map(({ path }) => shown(path));
	const kinds = new Set(
		changes.files.map(({ before, after }) =>
			before.mode === "000000" ? "Add" : after.mode === "000000" ? "Remove" : "Update",
		),
	);
	const verb = kinds.size === 1 ? [...kinds].join("") : "Update";
	const what = names.length <= 2 ? names.join(" and ") : `${names.length} files`;
	const body =
		names.length <= 2
			? ""
			: `\n\n${names
					.slice(0, 20)
					.map((name) => `- ${name}`)
					.join("\n")}`;
	return {
		commits: [{ message: `${verb} ${what}${body}`, hunks: changes.hunks.map(({ number }) => number) }],
		fallback,
	};
}

function isSet(name: string, env: Env): boolean {
	return readEnv(name, env)?.toLowerCase() === "true";
}
