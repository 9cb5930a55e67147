/** A language server for tests: it keeps documents as the protocol demands, and has the faults that its arguments name. */
import { appendFileSync, existsSync } from "node:fs";

const modes = new Set(process.argv.slice(2));
const valueOf = (name: string): string | undefined =>
	[...modes].find((mode) => mode.startsWith(`${name}=`))?.slice(name.length + 1);
const encoding = valueOf("encoding") ?? "utf-16";
const documents = new Map<string, { text: string; version: number }>();

interface Position {
	line: number;
	character: number;
}
interface Change {
	range?: { start: Position; end: Position };
	text: string;
}
interface Message {
	id?: number | string;
	method?: string;
	params?: Record<string, unknown>;
}

function send(message: object): void {
	const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
	process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
	process.stdout.write(body);
}

/** Lines end at LF, CR LF or CR; columns are counted in the encoding of the server. */
function offsetOf(text: string, { line, character }: Position): number {
	const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ 0: end, index }) => index + end.length)];
	const start = starts[line];
	if (start === undefined) throw new Error(`no line ${line}`);
	let [at, count] = [start, 0];
	while (count < character) {
		const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
		count += encoding === "utf-8" ? Buffer.byteLength(point) : encoding === "utf-32" ? 1 : point.length;
		at += point.length;
		if (count > character || at > text.length) throw new Error(`no column ${character}`);
	}
	return at;
}

function apply(text: string, { range, text: replacement }: Change): string {
	if (!range) return replacement;
	return text.slice(0, offsetOf(text, range.start)) + replacement + text.slice(offsetOf(text, range.end));
}

/** Each word ERROR is an error. */
function diagnosticsOf(text: string): object[] {
	return text.split("\n").flatMap((line, at) =>
		line.includes("ERROR")
			? [
					{
						range: { start: { line: at, character: 0 }, end: { line: at, character: 1 } },
						severity: 1,
						message: `wrong: ${line.trim()}`,
					},
				]
			: [],
	);
}

/** What was published last of each document. */
const said = new Map<string, object[]>();

function publish(uri: string): void {
	const document = documents.get(uri);
	if (modes.has("pull") || !document) return;
	const version = modes.has("no-version") ? {} : { version: document.version };
	const diagnostics = diagnosticsOf(document.text);
	if (modes.has("silent") && diagnostics.length === 0) return;
	const parts = valueOf("parts");
	if (parts !== undefined && diagnostics.length > 0) {
		// First what is found quickly, which is nothing.
		send({ method: "textDocument/publishDiagnostics", params: { uri, ...version, diagnostics: [] } });
	}
	const repeats = valueOf("repeats");
	const before = said.get(uri);
	if (repeats !== undefined && before)
		send({ method: "textDocument/publishDiagnostics", params: { uri, ...version, diagnostics: before } });
	said.set(uri, diagnostics);
	// A real server publishes what it found for the text of a moment ago.
	setTimeout(
		() => send({ method: "textDocument/publishDiagnostics", params: { uri, ...version, diagnostics } }),
		Number(valueOf("late") ?? parts ?? repeats ?? 0),
	);
}

const capabilities = {
	positionEncoding: encoding,
	textDocumentSync: { openClose: true, change: modes.has("full") ? 1 : 2, save: true },
	hoverProvider: true,
	documentFormattingProvider: modes.has("formats"),
	...(modes.has("pull")
		? { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: modes.has("project") } }
		: {}),
};

let asked = 0;
let onTypes = (): void => {};
let cancelled = 0;
const contents = "It knows nothing more.";

function answer(method: string, params: Record<string, unknown>): unknown {
	const { uri = "" } = (params.textDocument ?? {}) as { uri?: string };
	const text = documents.get(uri)?.text ?? "";
	if (method === "initialize") return { capabilities };
	if (method === "tau/cancelled") return cancelled;
	if (method === "tau/texts")
		return Object.fromEntries([...documents].map(([key, document]) => [key, document.text]));
	if (method === "textDocument/diagnostic") return { kind: "full", items: diagnosticsOf(text) };
	if (method === "textDocument/formatting") {
		const end = { line: text.split("\n").length - 1, character: text.length - text.lastIndexOf("\n") - 1 };
		return [{ range: { start: { line: 0, character: 0 }, end }, newText: text.replaceAll(/ +/g, " ") }];
	}
	if (method === "textDocument/hover" && asked + 1 === Number(valueOf("busy"))) sendProgress({ kind: "end" });
	if (method === "textDocument/hover") return asked++ < Number(valueOf("cold") ?? 0) ? null : { contents };
	return null;
}

function sendProgress(value: object): void {
	send({ method: "$/progress", params: { token: "busy", value } });
}

/** Of two files that nobody has opened, in two parts; the request stays open for later changes, as that of pyright. */
function sendProject(token: unknown): void {
	for (const name of ["x", "y"]) {
		const items = diagnosticsOf(`ERROR in ${name}`);
		const value = { items: [{ kind: "full", uri: `file:///project/${name}.tst`, version: null, items }] };
		send({ method: "$/progress", params: { token, value } });
	}
}

function onNotification(method: string, params: Record<string, unknown>): void {
	const document = params.textDocument as { uri: string; version: number; text: string };
	if (method === "exit") process.exit(0);
	if (method === "tsserver/response" && JSON.stringify(params) === "[[1,null]]") onTypes();
	if (method === "$/cancelRequest") cancelled++;
	if (method === "textDocument/didOpen") documents.set(document.uri, document);
	if (method === "textDocument/didClose") documents.delete(document.uri);
	if (method === "textDocument/didChange") {
		const old = documents.get(document.uri);
		if (!old || document.version <= old.version) throw new Error("a change of another version");
		const text = (params.contentChanges as Change[]).reduce(apply, old.text);
		documents.set(document.uri, { text, version: document.version });
	}
	if (method === "textDocument/didOpen" || method === "textDocument/didChange") publish(document.uri);
	if (method === "initialized") misbehave();
}

/** Faults after the start. */
function misbehave(): void {
	const { stdout } = process;
	if (modes.has("garbage")) stdout.write("Content-Length: 5\r\n\r\n{{{{{");
	if (modes.has("huge")) stdout.write("Content-Length: 9999999999\r\n\r\n");
	if (modes.has("noise")) stdout.write("x".repeat(200_000));
	if (modes.has("wrong-ids")) for (let id = 1000; id < 1100; id++) send({ id, result: { wrong: true } });
	if (modes.has("odd"))
		for (const params of [null, 5, [], { uri: 7 }, { uri: "file:///x", diagnostics: [null, 1, {}] }])
			send({ method: "textDocument/publishDiagnostics", params });
	if (valueOf("busy") !== undefined) sendProgress({ kind: "begin", title: "Indexing" });
	if (modes.has("flood"))
		for (let at = 0; at < 20_000; at++)
			send({ method: "$/progress", params: { token: at, value: { kind: "begin", title: "Indexing" } } });
}

function onRequest({ id, method = "", params = {} }: Message): void {
	if (method === "initialize" && modes.has("hang-initialize")) return;
	if (method !== "initialize" && method !== "shutdown") {
		if (modes.has("die")) process.exit(3);
		if (modes.has("hang") || isFirst) return;
		if (method === "workspace/diagnostic") return sendProject(params.partialResultToken);
		if (modes.has("retry") && method === "textDocument/diagnostic")
			return send({ id, error: { code: -32802, message: "the content was modified" } });
		if (modes.has("wrong-answers")) return send({ id, result: "nonsense" });
	}
	if (modes.has("tsserver") && method === "textDocument/hover") {
		// As Vue's server: it answers after the client has asked a TypeScript server.
		onTypes = () => send({ id, result: answer(method, params) });
		return send({ method: "tsserver/request", params: [[1, "_vue:projectInfo", {}]] });
	}
	const slow = method === "textDocument/hover" ? Number(valueOf("slow") ?? 0) : 0;
	if (slow > 0) setTimeout(() => send({ id, result: answer(method, params) }), slow);
	else send({ id, result: answer(method, params) });
}

const pids = valueOf("pids");
/** Only the first one that is started hangs. */
const isFirst = modes.has("hang-first") && pids !== undefined && !existsSync(pids);
if (pids !== undefined) appendFileSync(pids, `${process.pid}\n`);
process.stderr.write("scripted server started\n");
let buffer = Buffer.alloc(0);
process.stdin.on("data", (chunk: Buffer) => {
	buffer = Buffer.concat([buffer, chunk]);
	for (;;) {
		const end = buffer.indexOf("\r\n\r\n");
		if (end < 0) return;
		const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, end).toString())?.[1]);
		if (buffer.length < end + 4 + length) return;
		const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString()) as Message;
		buffer = buffer.subarray(end + 4 + length);
		if (message.method === undefined) continue;
		if (message.id === undefined) onNotification(message.method, message.params ?? {});
		else onRequest(message);
	}
});
process.stdin.on("end", () => {
	if (!modes.has("stays")) process.exit(0);
});
