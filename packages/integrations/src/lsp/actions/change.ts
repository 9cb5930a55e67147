/** Changes that a server works out: renames, fixes, formatting. All are shown first, and made by `resolve`. */
import { pathToFileURL } from "node:url";
import type { AgentToolResult } from "@tau/agent";
import type { CodeAction, Command, Location, WorkspaceEdit } from "vscode-languageserver-protocol";
import { cutUnits, isRecord, stripControls } from "@tau/utils";

import { type ToolContext, textResult } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import type { LanguageServer } from "../client/language-server.ts";
import { shownFile } from "../diagnostics/report.ts";
import { limits } from "../limits.ts";
import {
	boundedRows,
	positionParams,
	requestOptions,
	requireOffer,
	type SymbolArguments,
} from "./navigate.ts";
import { formats, formattingEdits } from "./formatting.ts";
import { mainServer, positionOf, openIn, type PositionArguments, type Target } from "./target.ts";
import { locationsOf } from "./locations.ts";
import { filesWith, listed, nameAt, openUses } from "./mentions.ts";
import { editedFiles, previewEdits, type EditedFile } from "./workspace-edit.ts";

export async function rename(
	{ path, newName, ...at }: SymbolArguments & { newName: string },
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await mainServer(path, context);
	requireOffer(target, "renameProvider", "textDocument/rename");
	const { server, document } = target;
	const name = nameAt(document, positionOf(document, at));
	const unread = new Set(await openUses(target, name, context));
	const params = { ...positionParams(target, at), newName };
	let [edited, left] = await renamed(target, params, name, context);
	const until = performance.now() + limits.coldWaitMs;
	// One that has just started answers for the files that it has read; its list of uses is of the whole project.
	while (left.length > 0 && performance.now() < until) {
		if (!server.isCold && !(await isUsedIn(left, target, params, context))) break;
		await server.diagnostics.pause(limits.renameAgainMs, context.signal);
		[edited, left] = await renamed(target, params, name, context);
	}
	left = left.filter((file) => !unread.has(file));
	const notes = [
		...(unread.size === 0 ? [] : [`Not searched: ${listed([...unread])}.`]),
		...(left.length === 0 ? [] : [`Not changed, though they contain ${name}: ${listed(left)}.`]),
	];
	return previewEdits(edited, titleOf(`Rename ${at.symbol ?? "symbol"} to ${newName}`), context, notes);
}

/** What a rename changes, and the files that contain the name and stay as they are. */
async function renamed(
	{ server }: Target,
	params: object,
	name: string,
	context: ToolContext,
): Promise<[edited: EditedFile[], left: string[]]> {
	const edit = await server.request<WorkspaceEdit | null>(
		"textDocument/rename",
		params,
		requestOptions(context),
	);
	const edited = await sortedFiles(edit, server, context);
	const changed = new Set(edited.map(({ path }) => path));
	const others = (await filesWith(name, server, context)).filter((path) => !changed.has(path));
	return [edited, others.map((path) => shownFile(context.cwd, path))];
}

async function isUsedIn(
	names: readonly string[],
	{ server }: Target,
	params: object,
	context: ToolContext,
): Promise<boolean> {
	if (!server.offers("referencesProvider", "textDocument/references")) return false;
	const asked = { ...params, context: { includeDeclaration: true } };
	const uses = await server.request<Location[]>("textDocument/references", asked, requestOptions(context));
	return locationsOf(uses).some(({ path }) => names.includes(shownFile(context.cwd, path)));
}

/** The server updates what refers to the file; the file itself moves in the same change. */
export async function renameFile(
	{ path, newPath }: { path: string; newPath: string },
	context: ToolContext,
): Promise<AgentToolResult> {
	const { server, document } = await mainServer(path, context);
	const newUri = pathToFileURL(context.resolve(newPath)).href;
	const files = [{ oldUri: document.uri, newUri }];
	const edit = server.capabilities.workspace?.fileOperations?.willRename
		? await server.request<WorkspaceEdit | null>(
				"workspace/willRenameFiles",
				{ files },
				requestOptions(context),
			)
		: null;
	const changes =
		edit?.documentChanges ??
		Object.entries(edit?.changes ?? {}).map(([uri, edits]) => ({
			textDocument: { uri, version: null },
			edits,
		}));
	const all = { documentChanges: [...changes, { kind: "rename" as const, oldUri: document.uri, newUri }] };
	return preview(all, `Rename ${path} to ${newPath}`, server, context);
}

export async function format(
	{ path, line, endLine }: { path: string; line?: number | undefined; endLine?: number | undefined },
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await formatter(path, context);
	const { server, document } = target;
	const edits = await formattingEdits(target, requestOptions(context), { line, endLine });
	return preview({ changes: { [document.uri]: edits } }, `Format ${path}`, server, context);
}

/** The first server of the file that formats; a linter may, where the main one does not. */
async function formatter(path: string, context: ToolContext): Promise<Target> {
	const targets = await openIn(path, context);
	const found = targets.find(({ server }) => formats(server));
	const names = targets.map(({ server }) => server.name).join(", ");
	if (!found) throw new LspError("unsupported", `${names} does not format files.`);
	return found;
}

export interface CodeActionArguments extends PositionArguments {
	path: string;
	endLine?: number | undefined;
	/** The number or the title of the one to apply; without it they are listed. */
	apply?: string | undefined;
	/** Such as `source.organizeImports`. */
	kind?: string | undefined;
}

interface Offered {
	readonly action: CodeAction | Command;
	readonly server: LanguageServer;
}

/** Lists what the servers offer at a line, or shows the change that one of them makes. */
export async function codeActions(args: CodeActionArguments, context: ToolContext): Promise<AgentToolResult> {
	const offered = await offers(args, context);
	if (offered.length === 0) return { ...textResult("No code actions here.", { count: 0 }), useless: true };
	const { apply } = args;
	if (apply === undefined) {
		const rows = offered.map(({ action }, at) =>
			cutUnits(stripControls(`${at + 1}. ${actionTitle(action)}`), limits.rowChars),
		);
		return textResult(boundedRows(rows), { count: offered.length });
	}
	const byTitle =
		offered.find(({ action }) => action.title === apply) ??
		offered.find(({ action }) => action.title.includes(apply));
	const chosen = /^\d+$/.test(apply) ? offered[Number(apply) - 1] : byTitle;
	if (!chosen)
		throw new LspError(
			"refused",
			`There is no code action ${apply}. There are: ${offered.map(({ action }) => action.title).join("; ")}`,
		);
	return applyAction(chosen, context);
}

/** The change of the only action of a kind, such as organizing imports. */
export async function sourceAction(
	path: string,
	kind: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	const [first] = await offers({ path, kind }, context);
	if (!first)
		return {
			...textResult(`No server offers ${kind} for ${path}, or there is nothing to do.`),
			useless: true,
		};
	return applyAction(first, context);
}

async function offers(
	{ path, line, endLine, symbol, kind }: CodeActionArguments,
	context: ToolContext,
): Promise<Offered[]> {
	const found: Offered[] = [];
	for (const { server, document } of await openIn(path, context)) {
		if (!server.offers("codeActionProvider", "textDocument/codeAction")) continue;
		const { text } = document;
		const start =
			line === undefined && symbol === undefined
				? { line: 0, character: 0 }
				: positionOf(document, { line, symbol });
		const isWhole = line === undefined && symbol === undefined;
		const lastLine = isWhole ? text.lines - 1 : (endLine ?? start.line + 1) - 1;
		const range = {
			start,
			end: text.positionAt(text.offsetAt({ line: lastLine, character: 0 }) + text.line(lastLine).length),
		};
		const known = (await server.diagnostics.of(document, requestOptions(context))) ?? [];
		const diagnostics = known.filter(
			(one) => one.range.start.line <= range.end.line && one.range.end.line >= range.start.line,
		);
		const answer = await server.request<(CodeAction | Command)[] | null>(
			"textDocument/codeAction",
			{
				textDocument: { uri: document.uri },
				range,
				context: { diagnostics, triggerKind: 1, ...(kind ? { only: [kind] } : {}) },
			},
			requestOptions(context),
		);
		for (const action of (answer ?? []).filter(isRecord)) {
			const isDisabled = "disabled" in action && action.disabled !== undefined;
			if (!isDisabled) found.push({ action, server });
		}
	}
	return found;
}

function actionTitle(action: CodeAction | Command): string {
	const kind = "kind" in action && action.kind ? ` (${action.kind})` : "";
	const preferred = "isPreferred" in action && action.isPreferred ? " [preferred]" : "";
	return `${action.title}${kind}${preferred}`;
}

/** An action is an edit, or a command that makes the server ask for one; both are only shown. */
async function applyAction({ action, server }: Offered, context: ToolContext): Promise<AgentToolResult> {
	const isCommand = typeof action.command === "string";
	const full =
		isCommand || ("edit" in action && action.edit)
			? action
			: await resolved(action as CodeAction, server, context);
	if ("edit" in full && full.edit) return preview(full.edit, action.title, server, context);
	const command = typeof full.command === "string" ? (full as Command) : (full as CodeAction).command;
	if (!command) return { ...textResult(`${action.title}: nothing would change.`), useless: true };
	const edits: WorkspaceEdit[] = [];
	using _edits = server.acceptEdits(async ({ edit }) => edits.push(edit) > 0);
	const { command: name, arguments: args } = command;
	await server.request(
		"workspace/executeCommand",
		{ command: name, ...(args ? { arguments: args } : {}) },
		requestOptions(context),
	);
	const [edit] = edits;
	if (!edit) return { ...textResult(`${action.title}: the server changed nothing.`), useless: true };
	return preview(edit, action.title, server, context);
}

async function resolved(
	action: CodeAction,
	server: LanguageServer,
	context: ToolContext,
): Promise<CodeAction> {
	const provider = server.capabilities.codeActionProvider;
	if (!isRecord(provider) || !provider.resolveProvider) return action;
	return await server.request<CodeAction>("codeAction/resolve", action, requestOptions(context));
}

async function preview(
	edit: WorkspaceEdit | null,
	what: string,
	server: LanguageServer,
	context: ToolContext,
): Promise<AgentToolResult> {
	return previewEdits(await sortedFiles(edit, server, context), titleOf(what), context);
}

async function sortedFiles(
	edit: WorkspaceEdit | null,
	{ encoding }: LanguageServer,
	{ machine }: ToolContext,
): Promise<EditedFile[]> {
	const edited = await editedFiles(edit ?? {}, machine.files, encoding);
	return edited.toSorted((a, b) => shownFile("", a.path).localeCompare(shownFile("", b.path), "en"));
}

function titleOf(what: string): string {
	return cutUnits(stripControls(what).replaceAll("\n", " "), limits.rowChars);
}
