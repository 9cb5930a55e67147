/** Where a server listens, and the names under which it may be addressed. */
import { errorText, UsageError } from "@tau/utils";

export interface Bind {
	hostname: string;
	port: number;
	isLoopback: boolean;
}

/** Where the gateway listens, unless the user says otherwise: omp's port, so that its clients find it. */
export const gatewayBind = "127.0.0.1:4000";

/** Reads `host:port`, `[::1]:port`, or a port alone, which is one of this machine. Throws a `UsageError`. */
export function parseBind(text: string): Bind {
	const match = /^(?:(\[[0-9a-f:.]+\]|[^\s:[\]/]+):)?(\d{1,5})$/i.exec(text.trim());
	const port = Number(match?.[2] ?? Number.NaN);
	if (!match || !(port <= 65_535))
		throw new UsageError(`--bind ${text}: not an address. Use host:port, such as 127.0.0.1:8765.`);
	const hostname = (match[1] ?? "127.0.0.1").replace(/^\[|\]$/g, "").toLowerCase();
	return { hostname, port, isLoopback: isLoopback(hostname) };
}

/** Starts a server there. Throws a `UsageError` if the address cannot be used. */
export function listenAt<T>(
	{ hostname, port }: Bind,
	serve: (address: { hostname: string; port: number; reusePort: false }) => T,
): T {
	try {
		// Bun shares the port with a second server by default, which would get half of the requests.
		return serve({ hostname, port, reusePort: false });
	} catch (error) {
		throw new UsageError(
			`Cannot listen on ${hostname}:${port}: ${errorText(error)} Use --bind for another address.`,
		);
	}
}

export function isLoopback(hostname: string): boolean {
	return hostname === "localhost" || hostname === "::1" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/**
 * A page that lets its name point to this machine would otherwise pass as the server's own. `names` are those of a
 * proxy in front, each with or without a port; without them a server that listens for other machines has its address
 * alone, or, if it listens on all of them, any address that is no name.
 */
export function isOwnHost(host: string | null, bind: Bind, names: readonly string[] = []): boolean {
	if (host === null) return false;
	const { name, port } = splitHost(host);
	if (names.some((each) => each.toLowerCase() === host.toLowerCase() || each.toLowerCase() === name))
		return true;
	if (port !== bind.port) return false;
	if (name === bind.hostname) return true;
	if (bind.isLoopback) return isLoopback(name);
	return isAny(bind.hostname) && (isAddress(name) || name === "localhost");
}

/** How a client on this machine reaches it. */
export function localUrl({ hostname, port }: Pick<Bind, "hostname" | "port">): string {
	const host = isAny(hostname) ? "127.0.0.1" : hostname;
	return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function isAny(hostname: string): boolean {
	return hostname === "0.0.0.0" || hostname === "::";
}

function isAddress(name: string): boolean {
	return name.includes(":") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);
}

function splitHost(host: string): { name: string; port: number } {
	const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(host);
	const name = (match?.[1] ?? "").replace(/^\[|\]$/g, "").toLowerCase();
	return { name, port: Number(match?.[2] ?? 80) };
}
