/** Finds the proxy for a server, by the variables and the rules of curl. */
import { env as read, environment, type Env } from "@tau/utils/portable";

export interface Proxy {
	/** With user and password, if the variable has them. */
	url: string;
	/** For the user: address and variable, without the password. */
	name: string;
}

/** A proxy, `false` for a server that is reached directly, or why the variable cannot be used. */
export type ProxyChoice = Proxy | false | { problem: string };

/** Undefined if no variable sets a proxy. */
export function proxyFor(target: URL, env: Env = environment()): ProxyChoice | undefined {
	const variable = variablesFor(target.protocol).find((name) => read(name, env)?.trim());
	if (variable === undefined) return undefined;
	// Bun would use a proxy for a server on this machine, which is never what the user means.
	if (isLoopback(hostOf(target)) || isExempt(target, read("no_proxy", env) ?? read("NO_PROXY", env) ?? "")) {
		return false;
	}
	return parseProxy(variable, read(variable, env)?.trim() ?? "");
}

/** Lower case comes first, as in curl: servers may let attackers set HTTP_PROXY by a header `Proxy`. */
function variablesFor(protocol: string): string[] {
	const scheme = protocol === "https:" ? "https_proxy" : "http_proxy";
	return [scheme, "all_proxy"].flatMap((name) => [name, name.toUpperCase()]);
}

function parseProxy(variable: string, value: string): Proxy | { problem: string } {
	const address = value.includes("://") ? value : `http://${value}`;
	// The value is not quoted: it may contain a password.
	if (!URL.canParse(address)) return { problem: `${variable} is not the address of a proxy` };
	const url = new URL(address);
	if (url.protocol !== "http:" && url.protocol !== "https:") {
		const scheme = url.protocol.replace(":", "");
		return {
			problem: `${variable} names a ${scheme} proxy; only http:// and https:// proxies are supported`,
		};
	}
	return { url: url.href, name: `the proxy ${url.host} (${variable})` };
}

/** `NO_PROXY`: hosts, suffixes with `.` or `*.`, addresses and ranges of them, each with or without a port; or `*`. */
function isExempt(target: URL, list: string): boolean {
	const host = hostOf(target);
	const port = target.port || (target.protocol === "https:" ? "443" : "80");
	return list
		.toLowerCase()
		.split(/[\s,]+/)
		.some((entry) => entry !== "" && covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
	if (entry === "*") return true;
	const [name, onlyPort] = splitPort(entry);
	if (onlyPort !== undefined && onlyPort !== port) return false;
	const bits = addressBits(host);
	if (bits === undefined) return isWithin(host, name.replace(/^\*?\./, "").replace(/\.$/, ""));
	const [, start = "", width] = /^([^/]*)(?:\/(\d+))?$/.exec(name) ?? [];
	const range = addressBits(start);
	if (range?.length !== bits.length) return false;
	return bits.startsWith(width === undefined ? range : range.slice(0, Number(width)));
}

/** An IPv6 address contains colons: a port after one needs brackets. */
function splitPort(entry: string): [name: string, port: string | undefined] {
	const [, address, afterBracket] = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? [];
	if (address !== undefined) return [address, afterBracket];
	const [, name, port] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
	return name === undefined ? [entry, undefined] : [name, port];
}

function isWithin(host: string, domain: string): boolean {
	return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

function isLoopback(host: string): boolean {
	return isWithin(host, "localhost") || covers("127.0.0.0/8", host, "") || covers("::1", host, "");
}

function hostOf(target: URL): string {
	return target.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** The 32 or 128 bits of an address as a string, so that a range is a prefix of it; undefined for a name. */
function addressBits(host: string): string | undefined {
	if (/^\d+(?:\.\d+){3}$/.test(host)) return toBits(host.split("."), 10, 8);
	if (!host.includes(":") || !URL.canParse(`http://[${host}]`)) return undefined;
	// The parser normalizes every address, so only the gap has to be filled.
	const [head = "", tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::");
	const [first, last] = [head, tail ?? ""].map((part) => part.split(":").filter(Boolean));
	const groups = [...(first ?? []), ...(last ?? [])];
	const gap = Array.from({ length: 8 - groups.length }, () => "0");
	return toBits([...(first ?? []), ...gap, ...(last ?? [])], 16, 16);
}

function toBits(groups: readonly string[], radix: number, width: number): string {
	return groups.map((group) => Number.parseInt(group, radix).toString(2).padStart(width, "0")).join("");
}
