/** What becomes of what was typed: a prompt, a command of the session, or a command of the shell. */
import { runCommand } from "../store/actions.ts";
import type { OpenSession } from "../store/open-session.ts";
import { attempt } from "../store/toasts.ts";
import type { AddedFile } from "./attachments.ts";

export type Lane = "steer" | "followUp";

/** Resolves with whether it was accepted: then the composer is empty. */
export async function send(
	session: OpenSession,
	text: string,
	attachments: readonly AddedFile[],
	lane: Lane,
): Promise<boolean> {
	const typed = text.trim();
	if (typed === "" && attachments.length === 0) return false;
	if (session.isReadOnly) return comment(session, typed);
	const [, sign, code] = /^(!!?|\$\$?)\s*([^]+)$/.exec(typed) ?? [];
	if (sign !== undefined && code !== undefined && attachments.length === 0) {
		runInShell(session, sign, code);
		return true;
	}
	const [, name, args = ""] = /^\/([\w:.-]+)(?:\s+([^]*))?$/.exec(typed) ?? [];
	if (name !== undefined && attachments.length === 0) {
		void runCommand(session, name, args.trim());
		return true;
	}
	return prompt(session, typed, attachments, lane);
}

/** Who may not prompt speaks to the others, not to the model. */
async function comment(session: OpenSession, text: string): Promise<boolean> {
	const sent = await attempt(
		session.client.request("add_comment", { text: text.replace(/^\/comment\s+/, "") }).then(() => true),
	);
	return sent === true;
}

/** The command runs on; its output is in the transcript. */
function runInShell(session: OpenSession, sign: string, code: string): void {
	const excludeFromContext = sign.length === 2;
	const running = sign.startsWith("!")
		? session.client.request("bash", { command: code, excludeFromContext })
		: session.client.request("cell", { code, language: "python", excludeFromContext });
	void attempt<unknown>(running);
}

async function prompt(
	session: OpenSession,
	text: string,
	attachments: readonly AddedFile[],
	lane: Lane,
): Promise<boolean> {
	const added = attachments.flatMap(({ file }) => file ?? []);
	const images = added
		.filter(({ type }) => type === "image")
		.map(({ content: data, mimeType }) => ({ type: "image" as const, data, mimeType }));
	const files = added.filter(({ type }) => type === "document");
	const named = files.map(({ fileName }) => `@${fileName}`).join(" ");
	const sent = await attempt(
		session.client.request("prompt", {
			message: [...files.map(({ block }) => block), text].filter(Boolean).join("\n\n"),
			...(images.length > 0 ? { images } : {}),
			// The model gets the text of the files; the transcript shows their names.
			...(files.length > 0 ? { userText: text, invocation: `${named} ${text}`.trim() } : {}),
			...(session.isBusy.value ? { streamingBehavior: lane } : {}),
		}),
	);
	return sent !== undefined;
}
