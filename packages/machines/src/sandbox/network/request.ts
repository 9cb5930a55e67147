/** Reads what a program wants from the proxy: the first bytes of HTTP CONNECT, plain HTTP, or SOCKS 5. */
import { net } from "@tau/sys/node-library";
import { limits } from "../limits.ts";

export interface Target {
	readonly host: string;
	readonly port: number;
}

export type ProxyRequest =
	| { readonly type: "incomplete" }
	| { readonly type: "invalid" }
	/** The greeting of SOCKS: to be answered, after which the request follows. */
	| { readonly type: "greeting"; readonly length: number }
	| ({ readonly type: "tunnel"; readonly protocol: "http" | "socks"; readonly length: number } & Target)
	/** `head` replaces the first `length` bytes. */
	| ({ readonly type: "forward"; readonly head: Buffer; readonly length: number } & Target);

/** A name with other characters could mean one host to a rule and another one to the resolver. */
const hostName = /^[\w.-]{1,253}$/;

/** `greeted` is true after the greeting of SOCKS. */
export function parseRequest(bytes: Buffer, greeted: boolean): ProxyRequest {
	if (bytes.length === 0) return { type: "incomplete" };
	const request = greeted ? parseSocks(bytes) : bytes[0] === 5 ? parseGreeting(bytes) : parseHttp(bytes);
	if (!("host" in request) || hostName.test(request.host) || net().isIP(request.host) !== 0) return request;
	return { type: "invalid" };
}

function parseGreeting(bytes: Buffer): ProxyRequest {
	const length = 2 + (bytes[1] ?? 0);
	return bytes.length < length ? { type: "incomplete" } : { type: "greeting", length };
}

/** Version, command (1 is to connect), reserved, kind of the address, address, port. */
function parseSocks(bytes: Buffer): ProxyRequest {
	const [version, command, , kind] = bytes;
	if (bytes.length < 5) return { type: "incomplete" };
	if (version !== 5 || command !== 1) return { type: "invalid" };
	const sizes: Record<number, number> = { 1: 4, 3: 1 + (bytes[4] ?? 0), 4: 16 };
	const size = sizes[kind ?? 0];
	if (size === undefined) return { type: "invalid" };
	const length = 4 + size + 2;
	if (bytes.length < length) return { type: "incomplete" };
	const address = bytes.subarray(4, 4 + size);
	const port = bytes.readUInt16BE(4 + size);
	return { type: "tunnel", protocol: "socks", length, host: socksHost(kind ?? 0, address), port };
}

function socksHost(kind: number, address: Buffer): string {
	if (kind === 3) return address.subarray(1).toString("latin1");
	if (kind === 1) return address.join(".");
	const groups = Array.from({ length: 8 }, (_, index) => address.readUInt16BE(index * 2).toString(16));
	return groups.join(":");
}

function parseHttp(bytes: Buffer): ProxyRequest {
	const end = bytes.indexOf("\r\n\r\n");
	if (end === -1) return { type: bytes.length > limits.proxyHeadBytes ? "invalid" : "incomplete" };
	const [line = "", ...headers] = bytes.subarray(0, end).toString("latin1").split("\r\n");
	const [method = "", target = "", version = ""] = line.split(" ");
	if (!/^HTTP\/1\.[01]$/.test(version) || !/^[A-Z]+$/.test(method)) return { type: "invalid" };
	const length = end + 4;
	if (method === "CONNECT") {
		const place = hostAndPort(target);
		return place ? { type: "tunnel", protocol: "http", length, ...place } : { type: "invalid" };
	}
	const url = URL.parse(target);
	if (url?.protocol !== "http:" || url.hostname === "") return { type: "invalid" };
	const place = { host: unbracketed(url.hostname), port: Number(url.port || 80) };
	// One request per connection: the next one could be meant for another host.
	const kept = headers.filter((header) => !/^(?:proxy-[\w-]+|connection|keep-alive|host):/i.test(header));
	const path = `${url.pathname}${url.search}`;
	const head = [`${method} ${path} ${version}`, `Host: ${url.host}`, ...kept, "Connection: close", "", ""];
	return { type: "forward", length, head: Buffer.from(head.join("\r\n"), "latin1"), ...place };
}

function hostAndPort(text: string): Target | undefined {
	const [, host = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text) ?? [];
	return host === "" || Number(port) > 65_535 ? undefined : { host: unbracketed(host), port: Number(port) };
}

function unbracketed(host: string): string {
	return host.replace(/^\[(.*)\]$/, "$1");
}
