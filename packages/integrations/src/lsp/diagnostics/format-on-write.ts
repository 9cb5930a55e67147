/** Formats the files that an edit has changed, before the model sees its result (`lsp.formatOnWrite`). */
import type { AgentToolResult, FrozenCall } from "@tau/agent";
import { existing, withJudged } from "@tau/sys";
import { log, withTimeout } from "@tau/utils";

import { applyEdits } from "../actions/workspace-edit.ts";
import { formats, formattingEdits } from "../actions/formatting.ts";
import {
	editMode,
	hashlineHeader,
	unify,
	LineText,
	snapshotsOf,
	everything,
	unifiedDiff,
} from "@tau/tools/files";
import type { ToolEnv } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import { serversOf } from "../language-servers.ts";
import { limits } from "../limits.ts";
import { shownFile } from "./report.ts";

/** Undefined where nothing was formatted. */
export async function formatWritten(
	session: ToolEnv,
	{ id, tool, touches, within }: FrozenCall,
	result: AgentToolResult,
	signal: AbortSignal,
): Promise<AgentToolResult | undefined> {
	// It writes where the call was allowed to.
	const machine = within ? withJudged(session.machine, within) : session.machine;
	const env: ToolEnv = { ...session, machine, sessionEnv: session };
	const isOn = env.settings.get("lsp.enabled") && env.settings.get("lsp.formatOnWrite");
	if (!isOn || tool.approval !== "write" || result.isError) return undefined;
	using deadline = withTimeout(signal, limits.formatMs, "formatting takes too long");
	const notes: string[] = [];
	for (const touch of touches) {
		if (touch.kind !== "write") continue;
		try {
			const note = await formatFile(env, touch.path, { toolCallId: id, signal: deadline.signal });
			if (note !== undefined) notes.push(note);
		} catch (error) {
			// The edit has been made; a formatter that fails changes nothing about that.
			if (!(error instanceof LspError)) throw error;
			log.debug("a file was not formatted", { path: touch.path, reason: error.message });
		}
	}
	if (notes.length === 0) return undefined;
	return { ...result, content: [...result.content, { type: "text", text: notes.join("\n") }] };
}

/** Says what has changed, so that the next edit of the model refers to the text as it is now. */
async function formatFile(
	env: ToolEnv,
	path: string,
	origin: { toolCallId: string; signal: AbortSignal },
): Promise<string | undefined> {
	const file = existing(await env.machine.files.readText(path, path));
	if (!file.ok) return undefined;
	const servers = serversOf(env);
	if (!servers.mayStart) return undefined;
	for (const candidate of await servers.chosen(file.target)) {
		if (!servers.isAtHand(candidate)) continue;
		const server = await servers.server(candidate, origin.signal);
		if (!formats(server)) continue;
		const document = server.documents.set(file.target, file.text);
		const edits = await formattingEdits(
			{ server, document },
			{ signal: origin.signal, timeoutMs: limits.formatMs },
		);
		const text = applyEdits(file.text, edits, server.encoding);
		if (text === file.text) return undefined;
		const change = { before: file, after: { text, hasBom: file.hasBom } };
		const written = await env.machine.files.commit([change], origin);
		if (!written.ok) return undefined;
		await server.sync(file.target);
		return describe(env, file.target, { before: file.text, after: text, server: server.name });
	}
	return undefined;
}

function describe(
	env: ToolEnv,
	path: string,
	{ before, after, server }: { before: string; after: string; server: string },
): string {
	const shown = shownFile(env.cwd, path);
	const tag = snapshotsOf(env).record(path, after);
	const [old, now] = [new LineText(unify(before).text), new LineText(unify(after).text)];
	const { diff, truncated } = unifiedDiff(old, now, everything(old, now));
	const isLong = truncated || diff.length > limits.formatDiffChars;
	const head = `${server} formatted ${shown}${isLong ? "; read it before the next edit." : ":"}`;
	const rows = editMode(env) === "hashline" ? [hashlineHeader(shown, tag)] : [];
	return [head, ...rows, ...(isLong ? [] : [diff])].join("\n");
}
