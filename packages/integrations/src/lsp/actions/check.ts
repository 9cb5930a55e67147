/** Diagnostics of a file or of everything that is open, and the state of the servers. */
import type { AgentToolResult } from "@tau/agent";
import { cutUnits, stripControls } from "@tau/utils";

import { type ToolContext, textResult } from "@tau/tools/tool";
import { LspError, type RequestOptions } from "../client/connection.ts";
import type { LanguageServer } from "../client/language-server.ts";
import { problemOf, type Problem } from "../diagnostics/new-diagnostics.ts";
import { pullProject } from "../diagnostics/project-diagnostics.ts";
import { problemCounts, problemRows, shownFile } from "../diagnostics/report.ts";
import { serversOf } from "../language-servers.ts";
import { limits } from "../limits.ts";
import { requestOptions } from "./navigate.ts";
import { mainServer, openIn } from "./target.ts";

export async function fileDiagnostics(path: string, context: ToolContext): Promise<AgentToolResult> {
	const problems: Problem[] = [];
	const silent: string[] = [];
	const servers = new Set<LanguageServer>();
	for (const { server, document } of await openIn(path, context)) {
		servers.add(server);
		const found = await server.diagnostics.of(document, requestOptions(context));
		if (!found) silent.push(server.name);
		problems.push(...(found ?? []).map((one) => problemOf(document.path, one)));
	}
	return report(problems, { silent, servers }, context);
}

/** Everything that the running servers know: all open files and, where a server offers it, the whole project. */
export async function projectDiagnostics(context: ToolContext): Promise<AgentToolResult> {
	const servers = serversOf(context).all;
	if (servers.length === 0) throw new LspError("refused", "No server runs yet. Name a file in path.");
	const problems: Problem[] = [];
	const silent: string[] = [];
	const options = requestOptions(context);
	for (const server of servers) {
		await server.syncAll();
		const open = server.documents.all.map(async (document) => {
			const found = await server.diagnostics.of(document, options);
			if (!found) silent.push(`${server.name} (${shownFile(context.cwd, document.path)})`);
			return (found ?? []).map((one) => problemOf(document.path, one));
		});
		const [others, ...opened] = await Promise.all([elsewhere(server, options), ...open]);
		problems.push(...others, ...opened.flat());
	}
	return report(problems, { silent, servers }, context);
}

/** Of files that are not open: asked for where the server offers that, or published unasked. */
async function elsewhere(server: LanguageServer, options: RequestOptions): Promise<Problem[]> {
	const { diagnostics, documents } = server;
	const pulled = await pullProject(server, options);
	const paths = [...new Set([...diagnostics.files, ...(pulled?.keys() ?? [])])];
	return paths
		.filter((path) => !documents.get(path))
		.flatMap((path) => (pulled?.get(path) ?? diagnostics.last(path)).map((one) => problemOf(path, one)));
}

function report(
	problems: readonly Problem[],
	{ silent, servers }: { silent: readonly string[]; servers: Iterable<LanguageServer> },
	context: ToolContext,
): AgentToolResult {
	const shown = problems.filter(({ severity }) => severity === "error" || severity === "warning");
	const unanswered =
		silent.length === 0
			? ""
			: `\nNo answer in time: ${silent.join(", ")}. It may still be indexing; ask again.`;
	const limitations = [...servers].flatMap(({ limitation }) => limitation ?? []);
	const missing = [unanswered, ...limitations].join("\n").trimEnd();
	if (shown.length === 0) {
		const text = silent.length === 0 ? "No errors or warnings." : "No errors or warnings so far.";
		return textResult(`${text}${missing}`, { count: 0 });
	}
	const sorted = shown.toSorted(
		(a, b) => a.path.localeCompare(b.path, "en") || a.line - b.line || a.column - b.column,
	);
	return textResult(`${problemCounts(shown)}\n${problemRows(context.cwd, sorted)}${missing}`, {
		count: shown.length,
		problems: sorted.slice(0, limits.diagnostics),
	});
}

export function serverStatus(context: ToolContext): AgentToolResult {
	const servers = serversOf(context);
	const rows = servers.status.map(({ name, root, state, reason, documents, progress, pid, sharing }) => {
		const facts = [
			state,
			...(pid === undefined ? [] : [`process ${pid}`]),
			...(sharing === "guest" ? ["started by another Tau"] : []),
			`${documents} open ${documents === 1 ? "file" : "files"}`,
		];
		const more = [...(progress === undefined ? [] : [progress]), ...(reason === undefined ? [] : [reason])];
		return stripControls(`${name} in ${shownFile(context.cwd, root)}: ${[...facts, ...more].join(", ")}`);
	});
	const text = [...rows, ...servers.problems].join("\n");
	return textResult(text === "" ? "No language server running; they start on demand." : text);
}

export async function reloadServers(
	name: string | undefined,
	context: ToolContext,
): Promise<AgentToolResult> {
	const count = await serversOf(context).reload(name);
	return textResult(
		`${count} ${count === 1 ? "server" : "servers"} stopped; each starts again when it is needed.`,
	);
}

/** Any request of the protocol, for what no other action covers. The document is filled in. */
export async function rawRequest(
	{ path, method, params }: { path: string; method: string; params: Readonly<Record<string, unknown>> },
	context: ToolContext,
): Promise<AgentToolResult> {
	const { server, document } = await mainServer(path, context);
	if (!/^[a-zA-Z$/_-]+$/.test(method))
		throw new LspError("refused", `${method} is no method of the protocol.`);
	// A notification has no answer, and those about documents would make the server's texts others than the disk's.
	if (notifications.test(method))
		throw new LspError("refused", `${method} is a notification, not a request.`);
	if (changing.has(method)) throw new LspError("refused", `${method} changes files; use the action for it.`);
	const given = { textDocument: { uri: document.uri }, ...params };
	const answer = await server.request<unknown>(method, given, requestOptions(context));
	return textResult(cutUnits(stripControls(JSON.stringify(answer, undefined, 1) ?? "null"), limits.rawChars));
}

const notifications = /^(\$\/.*|initialized|exit|.*\/did[A-Z]\w*)$/;

/** Requests that make a server run something or end. */
const changing = new Set(["workspace/executeCommand", "shutdown", "initialize"]);
