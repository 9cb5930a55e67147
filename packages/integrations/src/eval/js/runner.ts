/**
 * The program that runs cells of JavaScript for Tau. Frames, one JSON object a line, use standard input and output; what
 * cells print goes to standard error, and a mark follows what belongs to a cell.
 */
import { Console } from "node:console";
import { readFileSync, writeSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import { runInThisContext } from "node:vm";
import { Worker } from "node:worker_threads";

import { constant, constants, declare, fix, isInternal, useResource, withResources } from "./declarations.ts";
import { errorReport, fileOf } from "./error-report.ts";
import { cellScript } from "./transform.ts";

interface RunFrame {
	type: "run";
	id: number;
	code: string;
}

type Incoming =
	| RunFrame
	| { type: "init"; mark: string }
	| { type: "complete"; id: number; text: string; most: number }
	| { type: "result"; call: number; ok: boolean; text: string }
	| { type: "end" };

const imageBytes = 8 * 1024 * 1024;
const waiting = new Map<number, PromiseWithResolvers<string>>();
const known = new Set<string>();
let mark = "";
let calls = 0;
const interruptAgainMs = 50;
/** The ids of the cell that was started last and of the one that ended last; shared with the thread that reads frames. */
const cells = new Int32Array(new SharedArrayBuffer(8));
/** Rejects the cell that runs, if one does. */
let interrupt: ((reason: Error) => void) | undefined;

/** A pipe may be full for a moment. */
function write(fd: 1 | 2, text: string): void {
	let rest = Buffer.from(text);
	while (rest.length > 0) {
		try {
			rest = rest.subarray(writeSync(fd, rest));
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
			Bun.sleepSync(1);
		}
	}
}

function send(frame: object): void {
	write(1, `\n${JSON.stringify(frame)}\n`);
}

/**
 * Reads frames beside the cell, which may never return: only another thread can interrupt it then. A signal that arrives
 * as a script starts or returns is lost, so it is repeated until the cell has ended.
 */
function readFrames(): void {
	const source = `
		const { parentPort, workerData: cells } = require("node:worker_threads");
		let parts = [];
		const interrupt = (id) => {
			if (Atomics.load(cells, 1) >= id) return;
			if (Atomics.load(cells, 0) === id) process.kill(process.pid, "SIGINT");
			setTimeout(interrupt, ${interruptAgainMs}, id);
		};
		(async () => {
			for await (const chunk of Bun.stdin.stream()) {
				const bytes = Buffer.from(chunk);
				let from = 0;
				for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
					const line = Buffer.concat([...parts, bytes.subarray(from, at)]).toString("utf8");
					parts = [];
					from = at + 1;
					if (line.startsWith('{"type":"interrupt"')) interrupt(JSON.parse(line).id);
					else parentPort.postMessage(line);
				}
				parts.push(bytes.subarray(from));
			}
			parentPort.postMessage('{"type":"end"}');
		})();`;
	const thread = new Worker(source, { eval: true, name: "tau-frames", workerData: cells });
	thread.on("message", (line: string) => void handle(JSON.parse(line) as Incoming));
}

async function handle(frame: Incoming): Promise<void> {
	if (frame.type === "init") ({ mark } = frame);
	else if (frame.type === "complete") complete(frame);
	else if (frame.type === "end") process.exit(0);
	else if (frame.type === "result") {
		const call = waiting.get(frame.call);
		waiting.delete(frame.call);
		if (frame.ok) call?.resolve(frame.text);
		else call?.reject(Object.assign(new Error(frame.text), { name: "ToolError" }));
	} else await runCell(frame);
}

/** Names for the editor. No code of the user runs: getters and proxies are left alone. */
function complete({ id, text, most }: Extract<Incoming, { type: "complete" }>): void {
	const path = text.split(".");
	const start = path.pop() ?? "";
	let value: unknown = globalThis;
	for (const name of path) value = memberOf(value, name);
	const found = new Set(chainOf(value).flatMap((each) => Object.getOwnPropertyNames(each)));
	const names = [...found].filter((name) => /^[A-Za-z_]\w*$/.test(name) && name.startsWith(start));
	send({ type: "names", id, names: names.toSorted().slice(0, most) });
}

function memberOf(value: unknown, name: string): unknown {
	for (const each of chainOf(value)) {
		const found = Object.getOwnPropertyDescriptor(each, name);
		if (found) return found.value;
	}
	return undefined;
}

/** A value with its prototypes. */
function chainOf(value: unknown): object[] {
	const chain: object[] = [];
	if (value === undefined || value === null) return chain;
	for (let each: unknown = Object(value); typeof each === "object" || typeof each === "function";) {
		if (each === null || types.isProxy(each)) return chain;
		chain.push(each);
		each = Object.getPrototypeOf(each);
	}
	return chain;
}

async function runCell({ id, code }: RunFrame): Promise<void> {
	let end: object = { ok: true };
	Atomics.store(cells, 0, id);
	try {
		await withResources(async () => {
			const value = await evaluate(id, code);
			if (value !== undefined) show(value);
		});
	} catch (error) {
		end = { ok: false, ...describe(error, id, code) };
	}
	Atomics.store(cells, 1, id);
	interrupt = undefined;
	endGroups();
	write(2, mark);
	const names = Object.keys(globalThis).filter((name) => !known.has(name) && !isInternal(name));
	send({ type: "done", id, names: names.slice(-100), imports: [], ...end });
}

async function evaluate(id: number, code: string): Promise<unknown> {
	const { script, isAsync, declared } = cellScript(code, constants);
	using _declared = declare(declared, code);
	const stopped = Promise.withResolvers<never>();
	interrupt = stopped.reject;
	const value: unknown = runInThisContext(script, { filename: fileOf(id), breakOnSigint: true });
	return isAsync ? await Promise.race([value, stopped.promise]) : value;
}

function describe(error: unknown, id: number, code: string): object {
	const isStopped =
		error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED";
	if (isStopped) {
		write(2, "Interrupted\n");
		return { error: "Interrupted", interrupted: true };
	}
	const { text, message, line } = errorReport(error, id, code);
	write(2, text);
	return { error: message.slice(0, 2000), ...(line === undefined ? {} : { line }) };
}

function show(value: unknown): void {
	if (value instanceof Uint8Array && isImage(value)) showImage(value);
	else write(2, `${typeof value === "string" ? JSON.stringify(value) : Bun.inspect(value, { depth: 4 })}\n`);
}

function isImage(bytes: Uint8Array): boolean {
	const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
	return /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP)/s.test(head);
}

function showImage(bytes: Uint8Array): void {
	if (bytes.length > imageBytes) write(2, `[an image of ${bytes.length} bytes is too large to show]\n`);
	else send({ type: "image", data: Buffer.from(bytes).toString("base64") });
}

function display(...values: unknown[]): void {
	for (const value of values) {
		if (typeof value === "string") write(2, `${value}\n`);
		else if (isTable(value)) write(2, `${Bun.inspect.table(value, { colors: false })}\n`);
		else if (value instanceof Blob && value.type.startsWith("image/"))
			throw new TypeError("Display await image.bytes().");
		else if (isData(value)) {
			const text = JSON.stringify(value, undefined, 2);
			if (text.length < 100_000) send({ type: "json", value });
			write(2, `${text}\n`);
		} else show(value);
	}
}

function isTable(value: unknown): value is object[] {
	return Array.isArray(value) && value.length > 0 && value.every((row) => isData(row) && !Array.isArray(row));
}

function isData(value: unknown): boolean {
	if (Array.isArray(value)) return true;
	return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function callTool(tool: string, args: readonly unknown[], more: object = {}): Promise<string> {
	const call = ++calls;
	const answer = Promise.withResolvers<string>();
	waiting.set(call, answer);
	send({ type: "call", call, tool, positional: args, named: {}, ...more });
	return answer.promise;
}

const tools = new Proxy({} as Record<string, (...args: unknown[]) => Promise<string>>, {
	get: (_, name) =>
		// A proxy that is awaited must not look like a promise.
		typeof name === "string" && name !== "then" ? (...args: unknown[]) => callTool(name, args) : undefined,
});

/** Rules about reading, of files and of pages, hold for the short forms as for the tool. */
async function mayRead(path: string): Promise<void> {
	await callTool("read", [{ path }], { checks: true });
}

const plainFetch = fetch;

async function checkedFetch(...args: Parameters<typeof fetch>): Promise<Response> {
	const [input] = args;
	const address = input instanceof Request ? input.url : String(input);
	if (/^https?:/i.test(address)) await mayRead(address);
	else if (/^file:/i.test(address)) await mayRead(fileURLToPath(address));
	return plainFetch(...args);
}

/** The standard input belongs to Tau: what the runtime's own functions would read from it are frames. */
function noInput(): never {
	throw new Error("Cells cannot ask for input. Assign the value instead.");
}

/** What cells find beside the language. */
function prelude(): Record<string, unknown> {
	const require = createRequire(`${process.cwd()}/cell.js`);
	return {
		tools,
		display,
		require,
		alert: noInput,
		confirm: noInput,
		prompt: noInput,
		read: async (path: string) => {
			await mayRead(path);
			return readFileSync(resolve(path), "utf8");
		},
		fetch: Object.assign(checkedFetch, { preconnect: fetch.preconnect }),
		write: (path: string, content: string) => callTool("write", [{ path, content }]),
		run: (command: string, options: object = {}) => callTool("bash", [{ command, ...options }]),
		$fix: fix,
		$using: useResource,
		$constant: constant,
		$import: async (name: string) =>
			import(isBuiltin(name) || name.startsWith("bun") ? name : Bun.resolveSync(name, process.cwd())),
	};
}

/** Groups that a cell opened end with it. */
let endGroups = (): void => {};

function capture(): void {
	for (const stream of [process.stdout, process.stderr])
		Object.defineProperty(stream, "write", {
			value: (chunk: string | Uint8Array) => {
				write(2, typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
				return true;
			},
		});
	const own = new Console(process.stdout, process.stderr);
	let groups = 0;
	const group = (...values: unknown[]): void => {
		groups++;
		own.group(...values);
	};
	const groupEnd = (): void => {
		groups = Math.max(0, groups - 1);
		own.groupEnd();
	};
	endGroups = () => {
		for (let left = groups; left > 0; left--) groupEnd();
	};
	const table = (data: object): void => own.log(Bun.inspect.table(data, { colors: false }));
	const { log, info, debug, warn, error, dir, assert, count, countReset, time, timeEnd, timeLog, trace } =
		own;
	const plain = {
		log,
		info,
		debug,
		warn,
		error,
		dir,
		assert,
		count,
		countReset,
		time,
		timeEnd,
		timeLog,
		trace,
	};
	Object.assign(console, plain, { group, groupCollapsed: group, groupEnd, table });
}

delete process.env.TAU_WORKER;
capture();
Object.assign(globalThis, prelude());
for (const name of Object.keys(globalThis)) known.add(name);
process.on("SIGINT", () =>
	interrupt?.(Object.assign(new Error("Interrupted"), { code: "ERR_SCRIPT_EXECUTION_INTERRUPTED" })),
);
// A promise of a cell that nobody awaited is reported, and the variables stay.
process.on("unhandledRejection", (reason) => write(2, `Unhandled rejection: ${Bun.inspect(reason)}\n`));
process.on("uncaughtException", (error) => write(2, `Uncaught exception: ${Bun.inspect(error)}\n`));
readFrames();
