/**
 * A debug adapter that misbehaves as its first argument says, for tests of the tool `debug`. It stops at line 1 of a
 * program that does not exist, and otherwise answers what it is asked.
 */
import { writeSync } from "node:fs";
import { createServer } from "node:net";

const [, , given = "none", ...more] = process.argv;
/** A child session has its own. `prints` listens on a port, as delve does, and its program prints and ends. */
let fault = given;

interface Message {
	seq: number;
	type: string;
	command: string;
	arguments?: Record<string, unknown>;
	body?: unknown;
	success?: boolean;
}

let sent = 0;
const late: (() => void)[] = [];

let write = (bytes: string | Buffer): unknown => process.stdout.write(bytes);

function send(message: Record<string, unknown>): void {
	const body = Buffer.from(JSON.stringify({ seq: ++sent, ...message }));
	write(`Content-Length: ${body.length}\r\n\r\n`);
	write(body);
}

const event = (name: string, body: object = {}): void => send({ type: "event", event: name, body });
const print = (output: string): void => event("output", { category: "stdout", output });

const bodies: Record<string, () => unknown> = {
	initialize: () => ({ supportsConfigurationDoneRequest: true }),
	threads: () => ({ threads: [{ id: 1, name: "main\u001B[31m" }] }),
	stackTrace: () =>
		fault === "odd"
			? { stackFrames: "none" }
			: { stackFrames: [{ id: 1, name: "main", line: 1, column: 1 }] },
	evaluate: () => ({ result: "x".repeat(100_000), variablesReference: 0 }),
};

function handle(message: Message): void {
	const { seq, command } = message;
	if (message.type === "response") {
		print(`answer ${command} ${message.success === true ? "yes" : "no"}\n`);
		if (command === "startDebugging" && message.success !== true)
			event("stopped", { reason: "entry", threadId: 1 });
		return;
	}
	if (typeof message.arguments?.fault === "string") ({ fault } = message.arguments as { fault: string });
	if (fault === `hang:${command}`) return;
	if (fault === `die:${command}`) {
		process.stderr.write("out of luck\n");
		process.exit(7);
	}
	if (fault === `refuse:${command}`) {
		print("line 3: syntax error\n");
		return send({
			type: "response",
			request_seq: seq,
			command,
			success: false,
			message: "no",
			body: { error: { id: 1, format: "cannot {what}", variables: { what: "do that" } } },
		});
	}
	const body = bodies[command]?.() ?? {};
	const respond = (to: number): void =>
		send({ type: "response", request_seq: to, command, success: true, body });
	if (fault === `late:${command}`) {
		// Answered with the next request, after whoever asked has gone.
		late.push(() => respond(seq));
		return;
	}
	if (fault === "wrong") for (const to of [0, -1, seq + 1000, Number.NaN]) respond(to);
	for (const answer of late.splice(0)) answer();
	respond(seq);
	if (command === "launch") event("initialized");
	if (command === "configurationDone") begin();
	if (command === "disconnect") process.exit(0);
}

function begin(): void {
	if (fault === "flood") for (let at = 0; at < 20_000; at++) print(`line ${at} ${"x".repeat(40)}\n`);
	if (fault === "garbage") process.stdout.write(`Content-Length: 9\r\n\r\nnot json!`);
	if (fault === "huge") process.stdout.write(`Content-Length: ${500 * 1024 * 1024}\r\n\r\n{`);
	if (fault === "unasked")
		for (const name of ["stopped", "breakpoint", "thread", "capabilities", "debugpyAttach", "\u001B[2J"])
			for (const body of [null, [], "x", { threadId: "x", breakpoint: 7, capabilities: [] }])
				send({ type: "event", event: name, body });
	if (fault === "terminal")
		return send({
			type: "request",
			command: "runInTerminal",
			arguments: { kind: "integrated", cwd: "", args: more, env: { COLOR: "blue", HOME: null } },
		});
	if (fault === "children") {
		for (const child of more.length > 0 ? more : ["children"]) {
			const configuration = { name: "child", fault: child };
			send({ type: "request", command: "startDebugging", arguments: { configuration } });
		}
		return;
	}
	if (fault === "ignores-end") process.on("SIGTERM", () => {});
	if (fault === "prints") {
		writeSync(1, "last words\n");
		return event("terminated");
	}
	event("stopped", { reason: "breakpoint", threadId: 1 });
}

let pending = Buffer.alloc(0);
function receive(chunk: Buffer): void {
	pending = Buffer.concat([pending, chunk]);
	for (;;) {
		const end = pending.indexOf("\r\n\r\n");
		const [, length = ""] = /(\d+)/.exec(pending.toString("latin1", 0, Math.max(end, 0))) ?? [];
		if (end < 0 || pending.length < end + 4 + Number(length)) return;
		const text = pending.toString("utf8", end + 4, end + 4 + Number(length));
		pending = pending.subarray(end + 4 + Number(length));
		handle(JSON.parse(text));
	}
}

if (fault === "prints") {
	const server = createServer((socket) => {
		write = (bytes) => socket.write(bytes);
		socket.on("data", receive);
	}).listen(0, "127.0.0.1", () => {
		const address = server.address();
		writeSync(1, `listening at 127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`);
	});
} else process.stdin.on("data", receive);
