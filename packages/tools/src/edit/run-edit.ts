/** Runs an edit: plans it against the current files, writes all of it or nothing, and reports what changed. */
import type { AgentToolResult, Preview } from "@tau/agent";

import type { ToolContext } from "../tool/define-tool.ts";
import { snapshotsOf } from "../files/snapshots.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import type { Plan, PlannedFile } from "./plan.ts";
import { freshRows, reportFile } from "./report.ts";

export interface RunOptions {
	/** True when the result contains the changed lines under a new tag. */
	showRows: boolean;
}

export async function runEdit(
	plan: () => Plan | Promise<Plan>,
	context: ToolContext,
	{ showRows }: RunOptions,
): Promise<AgentToolResult> {
	let reason = "";
	for (let attempt = 0; attempt < limits.attempts; attempt++) {
		context.signal.throwIfAborted();
		const planned = await plan();
		if (!planned.ok) return errorResult(planned.reason);
		if (!planned.files.some(changesSomething)) return errorResult(nothingChanged(planned.files));
		const done = await context.machine.files.commit(
			planned.files.map(({ change }) => change),
			context,
		);
		if (done.ok) return report(planned.files, context, showRows);
		if (done.kind !== "changed") return errorResult(done.reason);
		reason = done.reason;
	}
	return errorResult(`${reason} Nothing was written; try again later.`);
}

/** An edit that will fail, or whose diff would leave something out, has no preview: its arguments are shown instead. */
export function previewEdit(plan: Plan): Preview | undefined {
	if (!plan.ok) return undefined;
	const reports = plan.files.map(reportFile);
	if (reports.some(({ truncated }) => truncated)) return undefined;
	return { kind: "diff", text: reports.map(({ diff }) => diff).join("\n") };
}

function changesSomething({ change: { before, after }, movedFrom }: PlannedFile): boolean {
	return movedFrom !== undefined || before.text !== after?.text;
}

function nothingChanged(files: readonly PlannedFile[]): string {
	const names = files.map(({ change }) => change.before.shown).join(", ");
	return `Nothing changed: ${names} already reads like that.`;
}

async function report(
	files: readonly PlannedFile[],
	context: ToolContext,
	showRows: boolean,
): Promise<AgentToolResult> {
	const snapshots = snapshotsOf(context);
	const texts: string[] = [];
	const reports = [];
	for (const planned of files) {
		const { before, after } = planned.change;
		if (planned.silent) continue;
		const made = reportFile(planned);
		texts.push(made.text, ...hardLinks(planned));
		reports.push(made);
		if (!after) continue;
		const tag = snapshots.record(before.target, after.text);
		if (showRows) texts.push(freshRows(planned, made.regions, tag));
	}
	const first = reports[0]?.regions[0];
	return textResult(texts.join("\n"), {
		diff: reports.map(({ diff, file }) => (reports.length > 1 ? `${file.path}\n${diff}` : diff)).join("\n"),
		patch: reports.map(({ patch }) => patch).join("\n"),
		truncated: reports.some(({ truncated }) => truncated),
		...(first ? { firstChangedLine: first.newStart + 1 } : {}),
		files: reports.map(({ file }) => file),
	});
}

function hardLinks({ change: { before } }: PlannedFile): string[] {
	if (before.text === undefined || before.links < 2) return [];
	const others = before.links - 1;
	const keep = others === 1 ? "link, which keeps" : "links, which keep";
	return [`${before.shown} had ${others} other hard ${keep} the old text.`];
}
