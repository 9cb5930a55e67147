/** Questions about a symbol: where it is defined and used, what it is, and what calls it. */
import type { AgentToolResult } from "@tau/agent";
import type {
	CallHierarchyIncomingCall,
	CallHierarchyItem,
	CallHierarchyOutgoingCall,
	DocumentSymbol,
	Hover,
	Location,
	MarkedString,
	MarkupContent,
	ServerCapabilities,
	SymbolInformation,
	TypeHierarchyItem,
	WorkspaceSymbol,
} from "vscode-languageserver-protocol";
import { cutUnits, isRecord, stripControls } from "@tau/utils";

import { type ToolContext, textResult } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import { pathOf } from "../client/diagnostic-store.ts";
import { serversOf } from "../language-servers.ts";
import { limits } from "../limits.ts";
import { locationRows, locationsOf, type CodeLocation } from "./locations.ts";
import { listed, nameAt, openUses } from "./mentions.ts";
import { mainServer, positionOf, type PositionArguments, type Target } from "./target.ts";

export interface SymbolArguments extends PositionArguments {
	path: string;
}

/** Requests whose answer is a list of locations, by the action that asks for them. */
export const locationRequests = {
	definition: ["textDocument/definition", "definitionProvider"],
	type_definition: ["textDocument/typeDefinition", "typeDefinitionProvider"],
	implementation: ["textDocument/implementation", "implementationProvider"],
	references: ["textDocument/references", "referencesProvider"],
} as const satisfies Record<string, readonly [string, keyof ServerCapabilities]>;

export type LocationAction = keyof typeof locationRequests;

export async function findLocations(
	action: LocationAction,
	{ path, ...at }: SymbolArguments,
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await mainServer(path, context);
	const [method, capability] = locationRequests[action];
	requireOffer(target, capability, method);
	const { document, server } = target;
	const isReferences = action === "references";
	const unread = isReferences
		? await openUses(target, nameAt(document, positionOf(document, at)), context)
		: [];
	const params = {
		...positionParams(target, at),
		...(isReferences ? { context: { includeDeclaration: true } } : {}),
	};
	const locations = locationsOf(await server.ask<Location[]>(method, params, requestOptions(context)));
	const shown = await shownLocations(locations, action.replace("_", " "), target, context);
	if (unread.length === 0) return shown;
	const note = { type: "text" as const, text: `Not searched: ${listed(unread)}.` };
	return { ...shown, content: [...shown.content, note] };
}

async function shownLocations(
	locations: readonly CodeLocation[],
	what: string,
	{ server }: Target,
	context: ToolContext,
): Promise<AgentToolResult> {
	if (locations.length === 0) return { ...textResult(`No ${what} found.`, { count: 0 }), useless: true };
	const options = { cwd: context.cwd, files: context.machine.files, encoding: server.encoding };
	return textResult(await locationRows(locations, options), { count: locations.length });
}

export async function hover(
	{ path, ...at }: SymbolArguments,
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await mainServer(path, context);
	requireOffer(target, "hoverProvider", "textDocument/hover");
	const answer = await target.server.ask<Hover | null>(
		"textDocument/hover",
		positionParams(target, at),
		requestOptions(context),
	);
	const text = stripControls(hoverText(answer?.contents)).replaceAll(embeddedImage, "").trim();
	if (text === "") return { ...textResult("The server knows nothing about it."), useless: true };
	return textResult(cutUnits(text, limits.hoverChars));
}

/** An icon as a data URL has kilobytes that say nothing to a model. */
const embeddedImage = /!\[[^\]]*\]\(data:[^)]*\)[ \t]*/g;

function hoverText(contents: MarkupContent | MarkedString | MarkedString[] | undefined): string {
	if (contents === undefined) return "";
	if (Array.isArray(contents)) return contents.map(hoverText).join("\n\n");
	return typeof contents === "string" ? contents : contents.value;
}

const symbolKinds =
	"file module namespace package class method property field constructor enum interface function variable constant string number boolean array object key null member struct event operator type".split(
		" ",
	);

export async function documentSymbols(
	{ path }: { path: string },
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await mainServer(path, context);
	requireOffer(target, "documentSymbolProvider", "textDocument/documentSymbol");
	const answer = await target.server.ask<(DocumentSymbol | SymbolInformation)[] | null>(
		"textDocument/documentSymbol",
		{ textDocument: { uri: target.document.uri } },
		requestOptions(context),
	);
	const rows = symbolRows(answer ?? [], 0);
	if (rows.length === 0) return { ...textResult("No symbols found.", { count: 0 }), useless: true };
	return textResult(boundedRows(rows), { count: rows.length });
}

function symbolRows(symbols: readonly (DocumentSymbol | SymbolInformation)[], depth: number): string[] {
	return symbols.filter(isRecord).flatMap((symbol) => {
		const range = "selectionRange" in symbol ? symbol.selectionRange : symbol.location.range;
		const detail = "detail" in symbol && symbol.detail ? ` ${symbol.detail}` : "";
		const kind = symbolKinds[symbol.kind - 1] ?? "symbol";
		const row = `${"  ".repeat(depth)}${range.start.line + 1} ${kind} ${symbol.name}${detail}`;
		const below = "children" in symbol ? symbolRows(symbol.children ?? [], depth + 1) : [];
		return [cutUnits(stripControls(row).replaceAll("\n", " "), limits.rowChars), ...below];
	});
}

/** Asks every server that runs or, where a file is named, that of the file. */
export async function workspaceSymbols(
	{ path, query }: { path?: string | undefined; query: string },
	context: ToolContext,
): Promise<AgentToolResult> {
	const running = serversOf(context).all;
	const servers = path === undefined ? running : [(await mainServer(path, context)).server];
	if (servers.length === 0)
		throw new LspError("refused", "No server runs yet. Name a file of the language in path.");
	const locations: CodeLocation[] = [];
	for (const server of servers) {
		if (!server.offers("workspaceSymbolProvider", "workspace/symbol")) continue;
		const found = await server.ask<(SymbolInformation | WorkspaceSymbol)[] | null>(
			"workspace/symbol",
			{ query },
			requestOptions(context),
		);
		for (const symbol of (found ?? []).filter(isRecord)) locations.push(...symbolLocation(symbol));
	}
	if (locations.length === 0)
		return { ...textResult(`No symbol matches "${query}".`, { count: 0 }), useless: true };
	const [{ encoding } = { encoding: "utf-16" as const }] = servers;
	return textResult(
		await locationRows(locations, { cwd: context.cwd, files: context.machine.files, encoding }),
		{
			count: locations.length,
		},
	);
}

function symbolLocation({
	name,
	kind,
	location,
	containerName,
}: SymbolInformation | WorkspaceSymbol): CodeLocation[] {
	const path = pathOf(location.uri);
	if (path === undefined) return [];
	const nowhere = { line: 0, character: 0 };
	const range = "range" in location ? location.range : { start: nowhere, end: nowhere };
	const within = containerName ? ` in ${containerName}` : "";
	return [{ path, range, label: `${symbolKinds[kind - 1] ?? "symbol"} ${name}${within}` }];
}

/** What calls a function, what it calls, and the types above and below one. */
export const hierarchies = {
	incoming_calls: [
		"textDocument/prepareCallHierarchy",
		"callHierarchyProvider",
		"callHierarchy/incomingCalls",
	],
	outgoing_calls: [
		"textDocument/prepareCallHierarchy",
		"callHierarchyProvider",
		"callHierarchy/outgoingCalls",
	],
	supertypes: ["textDocument/prepareTypeHierarchy", "typeHierarchyProvider", "typeHierarchy/supertypes"],
	subtypes: ["textDocument/prepareTypeHierarchy", "typeHierarchyProvider", "typeHierarchy/subtypes"],
} as const satisfies Record<string, readonly [string, keyof ServerCapabilities, string]>;

export type HierarchyAction = keyof typeof hierarchies;

type HierarchyAnswer = CallHierarchyIncomingCall | CallHierarchyOutgoingCall | TypeHierarchyItem;

export async function hierarchy(
	action: HierarchyAction,
	{ path, ...at }: SymbolArguments,
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await mainServer(path, context);
	const [prepare, capability, method] = hierarchies[action];
	requireOffer(target, capability, prepare);
	const options = requestOptions(context);
	const items = await target.server.ask<CallHierarchyItem[] | null>(
		prepare,
		positionParams(target, at),
		options,
	);
	const locations: CodeLocation[] = [];
	for (const item of items ?? []) {
		const answer = await target.server.request<HierarchyAnswer[] | null>(method, { item }, options);
		locations.push(...(answer ?? []).filter(isRecord).flatMap(hierarchyLocation));
	}
	return shownLocations(locations, action.replace("_", " "), target, context);
}

function hierarchyLocation(answer: HierarchyAnswer): CodeLocation[] {
	const item = "from" in answer ? answer.from : "to" in answer ? answer.to : answer;
	const path = pathOf(item.uri);
	if (path === undefined) return [];
	const label = `${symbolKinds[item.kind - 1] ?? "symbol"} ${item.name}${item.detail ? ` (${item.detail})` : ""}`;
	// Where the call is, for callers: that line is what the model wants to see.
	const [call] = "from" in answer ? answer.fromRanges : [];
	return [{ path, range: call ?? item.selectionRange, label }];
}

export function requireOffer({ server }: Target, capability: keyof ServerCapabilities, method: string): void {
	if (!server.offers(capability, method))
		throw new LspError("unsupported", `${server.name} does not offer ${method}.`);
}

export function requestOptions({ signal }: ToolContext): { signal: AbortSignal; timeoutMs: number } {
	return { signal, timeoutMs: limits.requestMs };
}

export function positionParams({ document }: Target, at: PositionArguments): Record<string, unknown> {
	return { textDocument: { uri: document.uri }, position: positionOf(document, at) };
}

export function boundedRows(rows: readonly string[]): string {
	const most = limits.locations;
	return rows.length <= most
		? rows.join("\n")
		: [...rows.slice(0, most), `… and ${rows.length - most} more`].join("\n");
}
