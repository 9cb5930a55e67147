/** A review by the agent `reviewer`: its findings as data, and how they are shown. */
import { changeByGit, changeToReview } from "@tau/session/commits";
import { fill, isRecord, type Env } from "@tau/utils";
import { UserError } from "@tau/session/run";
import type { AgentOutcome } from "@tau/session/host";
import type { Boundary } from "@tau/session/policy";
import { findRepository } from "@tau/sys";
import { agentsOf, builtinAgents, runAgent } from "@tau/tools/task";
import type { ToolEnv } from "@tau/tools/tool";

import assignment from "./review.md" with { type: "text" };
import unread from "./review-unread.md" with { type: "text" };

export interface Finding {
	readonly file: string;
	readonly line: number;
	readonly severity: string;
	/** From 0 to 1. */
	readonly confidence: number;
	readonly reason: string;
	readonly suggestion?: string;
}

export interface Review {
	readonly title: string;
	readonly verdict: string;
	readonly summary: string;
	/** The most important first. */
	readonly findings: readonly Finding[];
	readonly cost: number;
}

export interface ReviewOptions {
	env: ToolEnv;
	/** Of the process, for git. */
	gitEnv: Env;
	/** Whether Tau may run git; otherwise the reviewer does, as a command of the model. */
	isTrusted: boolean;
	/** Empty for uncommitted changes; a branch, a commit, or the number of a pull request. */
	what: string;
	/** Called with the number of changed files, once it is known. */
	onChange?(files: number): void;
	signal: AbortSignal;
}

const severities = ["critical", "major", "minor", "nit"];

/** Throws a `UserError` if there is nothing to review, or the reviewer has no result. */
export async function review(options: ReviewOptions): Promise<Review> {
	const { env, signal } = options;
	const { sessions } = env;
	if (!sessions) throw new UserError("This session cannot open agents.");
	const type = agentsOf(env).find(({ name }) => name === "reviewer");
	// A user's own reviewer gives its findings in the same form.
	const output = builtinAgents().find(({ name }) => name === "reviewer")?.output;
	if (!type) throw new UserError("There is no agent reviewer.");
	const { title, text } = await assignmentFor(options);
	const task = { type, assignment: text.trim(), name: "Reviewer", ...(output ? { schema: output } : {}) };
	return reviewOf(title, await runAgent({ ...env, sessions }, task, signal));
}

/** Whether a review needs git outside of the sandbox, and therefore trust: the reviewer's own git runs inside of it. */
export function needsTrust(boundary: Boundary | undefined, what: string): boolean {
	return boundary !== "sandbox" || changeByGit(what) === undefined;
}

async function assignmentFor(options: ReviewOptions): Promise<{ title: string; text: string }> {
	const { env, gitEnv, isTrusted, what, signal } = options;
	const { cwd } = env;
	const mayRunGit = isTrusted || !(await findRepository(cwd));
	const own = mayRunGit ? undefined : changeByGit(what);
	if (own) return { title: own.title, text: fill(unread, own) };
	const change = await changeToReview({ cwd, env: gitEnv, isTrusted: mayRunGit, signal }, what);
	const { title, diff, isCut, files } = change;
	options.onChange?.(files);
	const cut = isCut ? " The diff is cut: read the rest yourself." : "";
	return { title, text: fill(assignment, { title, diff, cut }) };
}

function reviewOf(title: string, outcome: AgentOutcome): Review {
	const { data, cost } = outcome;
	if (!isRecord(data) || !Array.isArray(data.findings)) throw new UserError(noReport(outcome));
	const findings = data.findings.flatMap((each: unknown): Finding[] =>
		isRecord(each) && typeof each.file === "string" ? [each as unknown as Finding] : [],
	);
	return {
		title,
		verdict: String(data.verdict),
		summary: String(data.summary),
		findings: findings.toSorted((one, other) => rank(one) - rank(other)),
		cost,
	};
}

function noReport({ end, reason, text }: AgentOutcome): string {
	const answer = text === "" ? "" : `\nIt answered: ${text}`;
	return `The reviewer returned no findings report. ${reason ?? `It ended: ${end}.`}${answer}`;
}

function rank({ severity, confidence }: Finding): number {
	const at = severities.indexOf(severity);
	return (at < 0 ? severities.length : at) - confidence / 2;
}

function findingLine({ file, line, severity, confidence }: Finding): string {
	return `${file}:${line} ${severity} (${Math.round(confidence * 100)}%)`;
}

export function reviewLines({ title, verdict, summary, findings }: Review): string[] {
	return [
		`${title}: ${verdict.replace("_", " ")}`,
		...(summary === "" ? [] : ["", summary]),
		...findings.flatMap((finding) => [
			"",
			findingLine(finding),
			`  ${finding.reason}`,
			...(finding.suggestion ? [`  Suggestion: ${finding.suggestion}`] : []),
		]),
	];
}
