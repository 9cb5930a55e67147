/** Announces a window of VS Code to Tau: a server on a free port of this machine, and a lock file with its token. */
import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { Diffs } from "./diffs.js";
import { editorTools } from "./tools.js";
import { listen } from "./server.js";

/** Cursors move faster than anybody reads. */
const selectionMs = 100;

/** `context` is what VS Code gives to an extension: what is pushed to its subscriptions ends with the window. */
export async function announce(vscode, context, home = homedir()) {
	const token = randomBytes(16).toString("hex");
	const diffs = new Diffs(vscode);
	const tools = editorTools(vscode, diffs);
	const server = await listen({ token, onRequest: (method, params) => answer(tools, method, params) });
	const lock = join(home, ".tau/ide", `${server.port}.lock`);
	const write = () => writeLock(lock, lockOf(vscode, token));
	write();
	context.environmentVariableCollection.replace("TAU_IDE_PORT", String(server.port));
	context.subscriptions.push(
		{ dispose: () => rmSync(lock, { force: true }) },
		server,
		diffs,
		vscode.workspace.onDidChangeWorkspaceFolders(write),
		...followSelection(vscode, tools, (selection) => server.notify("selection_changed", selection)),
		vscode.commands.registerCommand("tau.mention", () => {
			const mention = tools.mention();
			if (mention) server.notify("at_mentioned", mention);
		}),
	);
	return { port: server.port, lock };
}

function lockOf(vscode, authToken) {
	const folders = vscode.workspace.workspaceFolders ?? [];
	return {
		pid: process.pid,
		workspaceFolders: folders.map(({ uri }) => uri.fsPath),
		ideName: vscode.env.appName,
		transport: "ws",
		authToken,
	};
}

/** Nobody else may read the token, and nobody reads a half of the file. */
function writeLock(path, lock) {
	mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
	const draft = `${path}.${process.pid}`;
	writeFileSync(draft, JSON.stringify(lock), { mode: 0o600 });
	renameSync(draft, path);
}

function followSelection(vscode, tools, send) {
	let timer;
	const soon = () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			const selection = tools.selection();
			if (selection) send(selection);
		}, selectionMs);
	};
	return [
		vscode.window.onDidChangeTextEditorSelection(soon),
		vscode.window.onDidChangeActiveTextEditor(soon),
		{ dispose: () => clearTimeout(timer) },
	];
}

async function answer(tools, method, params) {
	if (method === "initialize")
		return {
			protocolVersion: "2025-03-26",
			capabilities: { tools: {} },
			serverInfo: { name: "tau-vscode", version: "0.3.0" },
		};
	if (method === "ping") return {};
	if (method === "tools/list")
		return { tools: Object.keys(tools.byName).map((name) => ({ name, inputSchema: { type: "object" } })) };
	const tool = method === "tools/call" ? tools.byName[params.name] : undefined;
	if (!tool)
		throw new Error(
			`This editor has no ${method === "tools/call" ? `tool ${params.name}` : `method ${method}`}`,
		);
	const texts = await tool(params.arguments ?? {});
	return { content: texts.map((text) => ({ type: "text", text })) };
}
