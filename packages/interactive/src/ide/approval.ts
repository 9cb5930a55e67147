/** Shows the change of an approval as a diff in the editor; what its user does there answers the question. */
import { readFileSync, statSync } from "node:fs";

import { applyDiff } from "@tau/tools/files";
import { errorCode, isAbort, log } from "@tau/utils";
import type { AnswerOf, UserRequestOf } from "@tau/wire";

import { limits } from "./limits.ts";
import { shownPath, type EditorLink } from "./link.ts";

type Approval = UserRequestOf<"approval">;

export interface EditorAnswer {
	readonly answer: AnswerOf<"approval">;
	/** For the user of the terminal. */
	readonly note: string;
}

/** Undefined where the editor answers nothing: the question stays in the terminal. */
export async function askInEditor(
	request: Approval,
	{
		link,
		cwd,
		signal,
		warn,
	}: { link: EditorLink; cwd: string; signal: AbortSignal; warn(text: string): void },
): Promise<EditorAnswer | undefined> {
	const change = proposedChange(request);
	const once = request.choices.find(({ id }) => id === "once");
	if (!change || !once) return undefined;
	const title = `✻ [Tau] ${shownPath(change.file, cwd)} (${request.id.slice(-6)}) ⧉`;
	try {
		const done = await link.showDiff({ ...change, title }, signal);
		if (!done) return undefined;
		if (!done.isAccepted) return { answer: { choice: "no" }, note: `Declined in ${link.name}.` };
		if (isSame(done.text, change.text))
			return { answer: { choice: once.id }, note: `Allowed in ${link.name}.` };
		const texts = amendedTexts(change.text, done.text, request.amendable ?? []);
		const amend = request.choices.find(({ takesTexts }) => takesTexts);
		if (texts && amend)
			return { answer: { choice: amend.id, texts }, note: `Allowed in ${link.name}, with your changes.` };
		warn(
			`Your changes in ${link.name} are outside of what this call writes, so nothing was answered. Press Tab to edit the call, or decline and say what you want.`,
		);
		return undefined;
	} catch (error) {
		if (!isAbort(error)) log.warn("the editor did not show the change", { reason: String(error) });
		return undefined;
	}
}

/** The file as it would be; undefined where that is not one file of text that the diff shows whole. */
export function proposedChange({
	preview,
	touches,
}: Pick<Approval, "preview" | "touches">): { file: string; text: string } | undefined {
	const [file, other] = new Set(touches.flatMap((touch) => (touch.kind === "write" ? [touch.path] : [])));
	if (preview?.kind !== "diff" || file === undefined || other !== undefined) return undefined;
	const before = textOf(file);
	// Editors differ in what they do with other line ends.
	if (before === undefined || before.includes("\r")) return undefined;
	const text = applyDiff(before, preview.text);
	return text === undefined ? undefined : { file, text };
}

function textOf(file: string): string | undefined {
	try {
		return statSync(file).size > limits.messageBytes ? undefined : readFileSync(file, "utf8");
	} catch (error) {
		return errorCode(error) === "ENOENT" ? "" : undefined;
	}
}

/** Editors may add the end of the last line when they save. */
function isSame(one: string, other: string): boolean {
	return one.replace(/\n$/, "") === other.replace(/\n$/, "");
}

/**
 * The texts of the call with which it writes what the user has left in the editor. Everything around them has to be as it
 * was: the call changes nothing else.
 */
export function amendedTexts(
	proposed: string,
	accepted: string,
	amendable: NonNullable<Approval["amendable"]>,
): string[] | undefined {
	const around: string[] = [];
	let at = 0;
	for (const { text } of amendable) {
		const written = text.replace(/\n$/, "");
		const found = written === "" ? -1 : proposed.indexOf(written, at);
		if (found < 0 || proposed.indexOf(written, found + 1) >= 0) return undefined;
		around.push(proposed.slice(at, found));
		at = found + written.length;
	}
	const [first = "", ...between] = [...around, proposed.slice(at)];
	if (amendable.length === 0 || !accepted.startsWith(first)) return undefined;
	const texts: string[] = [];
	let from = first.length;
	for (const [index, next] of between.entries()) {
		const isLast = index === between.length - 1;
		const to = isLast ? accepted.length - next.length : accepted.indexOf(next, from);
		if (to < from || !accepted.startsWith(next, to)) return undefined;
		const open = amendable[index]?.text.endsWith("\n") ? "\n" : "";
		texts.push(accepted.slice(from, to) + open);
		from = to + next.length;
	}
	return texts;
}
