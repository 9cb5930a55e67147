/**
 * A program inside the sandbox's network. It passes connections to one port on to the proxy of Tau's process, those of
 * Tau's process on to servers inside, and connections to services that the user has allowed back out. Orders come as lines.
 */
import { chmodSync, writeSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";

import { limits } from "../limits.ts";

const {
	TAU_FORWARD_SOCKET: path = "",
	TAU_FORWARD_PORT: port = "0",
	TAU_FORWARD_FD: fd,
	TAU_FORWARD_INWARD: inward,
} = process.env;

function join(one: Socket, other: Socket): void {
	one.pipe(other);
	other.pipe(one);
	one.on("error", () => other.destroy());
	other.on("error", () => one.destroy());
}

function answer(line: string): void {
	writeSync(1, `${line}\n`);
}

const server = createServer({ allowHalfOpen: true }, (inside) => {
	join(inside, connect({ path, allowHalfOpen: true }));
});
const place = fd === undefined ? { port: Number(port), host: "127.0.0.1" } : { fd: Number(fd) };
server.listen(place, () => answer("ready"));

/** A connection of Tau's process: its first line is the port of the server inside. */
function receive(outside: Socket): void {
	let head = Buffer.alloc(0);
	outside.on("error", () => outside.destroy());
	const onData = (chunk: Buffer): void => {
		head = Buffer.concat([head, chunk]);
		const end = head.indexOf(10);
		if (end < 0) return;
		outside.off("data", onData);
		outside.pause();
		void dial(Number(head.subarray(0, end).toString("latin1")), outside, head.subarray(end + 1));
	};
	outside.on("data", onData);
}

async function dial(to: number, outside: Socket, rest: Buffer): Promise<void> {
	const inside = (await opened(to, "127.0.0.1")) ?? (await opened(to, "::1"));
	if (!inside) return void outside.destroy();
	if (rest.length > 0) inside.write(rest);
	join(inside, outside);
}

function opened(to: number, host: string): Promise<Socket | undefined> {
	const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
	const socket = connect({ port: to, host, allowHalfOpen: true });
	socket.once("error", () => resolve(undefined));
	socket.once("connect", () => resolve(socket));
	return promise;
}

if (inward !== undefined) {
	const receiver = createServer({ allowHalfOpen: true }, receive);
	receiver.listen({ path: inward }, () => chmodSync(inward, 0o600));
}

/** Lets programs inside connect to a port of the user's loopback, through a socket of Tau's process. */
function reach(to: string, at: string): void {
	const listen = (host: string): Server => {
		const service = createServer({ allowHalfOpen: true }, (inside) =>
			join(inside, connect({ path: at, allowHalfOpen: true })),
		);
		service.maxConnections = limits.localConnections;
		return service.listen({ port: Number(to), host });
	};
	const first = listen("127.0.0.1");
	first.once("error", (error: NodeJS.ErrnoException) => answer(`failed ${to} ${error.code ?? "error"}`));
	first.once("listening", () => {
		const second = listen("::1");
		// A machine without IPv6 has no such address, and needs none.
		second.once("error", () => answer(`reached ${to}`));
		second.once("listening", () => answer(`reached ${to}`));
	});
}

let orders = "";
process.stdin.on("data", (chunk: Buffer) => {
	orders += chunk.toString("utf8");
	const lines = orders.split("\n");
	orders = lines.pop() ?? "";
	for (const line of lines) {
		const [order, to = "", at = ""] = line.split("\t");
		if (order === "reach") reach(to, at);
	}
});
// The pipe ends with Tau.
process.stdin.on("end", () => process.exit(0)).resume();
