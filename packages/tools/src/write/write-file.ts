/** Writes a plain file, but never over a change that the model has not seen. */
import type { AgentToolResult, Preview } from "@tau/agent";
import type { FileChange, TextFile } from "@tau/sys";

import type { ToolContext } from "../tool/define-tool.ts";
import { editMode } from "../files/edit-mode.ts";
import { refuseGenerated } from "../files/generated.ts";
import { hashlineHeader, textHash } from "../files/hashline.ts";
import { hiddenIn, takenNote, takeShown } from "../files/hidden-characters.ts";
import { lineEndOf, unify, withEndsOf } from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import { snapshotsOf } from "../files/snapshots.ts";
import { everything, unifiedDiff, type TextDiff } from "../files/unified-diff.ts";
import { errorResult, textResult } from "../tool/result.ts";

/** The bounds of `write`, each with its reason. */
const limits = {
	/** Lines of another writer's change that a refusal shows: enough to recognize it. */
	refusalDiffLines: 60,
} as const;

export async function writeFile(
	path: string,
	content: string,
	context: ToolContext,
	notes: readonly string[],
): Promise<AgentToolResult> {
	if (path.endsWith("/")) return errorResult(`${path} is a directory. Name a file.`);
	const { files } = context.machine;
	const before = await files.readText(path, context.resolve(path));
	if (!before.ok) return errorResult(before.reason);
	if (before.text !== undefined) {
		const refused = refuseGenerated(before)?.reason ?? refuseUnseen(before, context);
		if (refused !== undefined) return errorResult(refused);
	}
	const { change, notes: lines } = newContent(before, content);
	const done = isSame(change) ? { ok: true as const } : await files.commit([change], context);
	if (!done.ok) {
		return errorResult(done.kind === "changed" ? `${done.reason} Nothing was written.` : done.reason);
	}
	return report(change, [...notes, ...lines], context);
}

/** Undefined where the diff would leave something out, or the file cannot be written: then the content itself is shown. */
export async function previewWrite(
	path: string,
	content: string,
	{ machine, resolve }: ToolContext,
): Promise<Preview | undefined> {
	const before = await machine.files.readText(path, resolve(path));
	if (!before.ok) return undefined;
	const { after } = newContent(before, content).change;
	const { diff, truncated } = diffOf(before.text, after.text);
	const head = `--- ${before.text === undefined ? "/dev/null" : path}\n+++ ${path}`;
	return truncated ? undefined : { kind: "diff", text: `${head}\n${diff}` };
}

function diffOf(before: string | undefined, after: string): TextDiff {
	const [old, now] = [new LineText(unify(before ?? "").text), new LineText(unify(after).text)];
	return unifiedDiff(old, now, everything(old, now));
}

/** Then not even the time of the file changes. */
function isSame({ before, after }: WriteRequest["change"]): boolean {
	if (before.text === undefined || before.text !== after.text || before.hasBom !== after.hasBom) return false;
	return !after.executable || (before.mode & 0o100) !== 0;
}

/** Another writer changed the file after the model saw it. */
function refuseUnseen(before: TextFile, context: ToolContext): string | undefined {
	const seen = snapshotsOf(context).latest(before.target);
	if (!seen || seen.hash === textHash(before.text)) return undefined;
	const head = `${before.shown} was changed since you read it. Nothing was written. Read it again, then write or edit.`;
	if (seen.text === undefined) return head;
	const [old, now] = [new LineText(unify(seen.text).text), new LineText(unify(before.text).text)];
	const { diff } = unifiedDiff(old, now, everything(old, now));
	const lines = diff.split("\n");
	const rest = lines.length > limits.refusalDiffLines ? "\n…" : "";
	return `${head} The change:\n${lines.slice(0, limits.refusalDiffLines).join("\n")}${rest}`;
}

interface WriteRequest {
	change: FileChange & Required<Pick<FileChange, "after">>;
	notes: string[];
}

const madeExecutable = "It was made executable.";

/** `read` shows neither a byte order mark nor how lines end: a model that does not write them means no change of them. */
function newContent(before: FileChange["before"], content: string): WriteRequest {
	const isScript = content.startsWith("#!");
	const old = before.text === undefined ? undefined : unify(before.text);
	// A model that writes again what it read means the characters that `read` showed by their numbers.
	const meant = takeShown(content, hiddenIn(before.text ?? ""));
	const text = old === undefined ? meant : withEndsOf(old, meant);
	const hasBom = before.text !== undefined && before.hasBom && !content.startsWith("\ufeff");
	const wasRunnable = before.text !== undefined && (before.mode & 0o100) !== 0;
	const lines = [
		...(old !== undefined && text !== meant
			? [`Its ${lineEndOf(old).toUpperCase()} line endings were kept.`]
			: []),
		...(meant === content ? [] : [takenNote]),
		...(isScript && !wasRunnable ? [madeExecutable] : []),
	];
	return { change: { before, after: { text, hasBom, executable: isScript } }, notes: lines };
}

function report(
	{ before, after }: WriteRequest["change"],
	notes: readonly string[],
	context: ToolContext,
): AgentToolResult {
	const tag = snapshotsOf(context).record(before.target, after.text);
	const now = new LineText(unify(after.text).text);
	const { diff, truncated, added, removed } = diffOf(before.text, after.text);
	const bytes = Buffer.byteLength(after.text) + (after.hasBom ? 3 : 0);
	const size = `${now.count} ${now.count === 1 ? "line" : "lines"}, ${bytes} bytes`;
	const isNew = before.text === undefined;
	const done = isNew
		? `Created ${before.shown} (${size}).`
		: isSame({ before, after })
			? `${before.shown} already reads like that (${size}).`
			: `Overwrote ${before.shown} (${size}; +${added} -${removed}).`;
	const header = editMode(context) === "hashline" ? [hashlineHeader(before.shown, tag)] : [];
	return textResult([...header, [done, ...notes].join(" ")].join("\n"), {
		path: before.target,
		created: isNew,
		lines: now.count,
		bytes,
		added,
		removed,
		diff: diff === "" ? "" : `--- ${isNew ? "/dev/null" : before.shown}\n+++ ${before.shown}\n${diff}`,
		truncated,
		...(notes.includes(madeExecutable) ? { madeExecutable: true } : {}),
	});
}
