/** A small server of the routes alone, for programs that use this package as they used omp-stats. */
import { timingSafeEqual } from "node:crypto";

import { errorCode, UsageError } from "@tau/utils";

export interface StatsServer {
	port: number;
	/** With the token that requests need, as `?token=` or as a bearer. */
	url: string;
	token: string;
	stop(): void;
}

const loopback = new Set(["127.0.0.1", "localhost", "::1"]);
const idleSeconds = 60;

/** Listens on this machine alone. Throws a `UsageError` if it cannot. */
export function serveStats(
	answer: (request: Request) => Promise<Response>,
	{ port, host }: { port: number; host: string },
): StatsServer {
	if (!loopback.has(host))
		throw new UsageError(`Statistics are served on this machine only, not on ${host}. Use 127.0.0.1.`);
	const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
	try {
		const server = Bun.serve({
			hostname: host,
			port,
			development: false,
			// Without this, Bun shares the port with a server that listens there already.
			reusePort: false,
			idleTimeout: idleSeconds,
			fetch: async (request, { port: own }) =>
				refusal(request, own ?? port, token) ?? (await answer(request)),
		});
		const own = server.port ?? port;
		const stop = (): void => void server.stop(true);
		return { port: own, token, url: `http://${shown(host)}:${own}/api/stats?token=${token}`, stop };
	} catch (error) {
		if (errorCode(error) !== "EADDRINUSE") throw error;
		throw new UsageError(`Port ${port} is in use. Choose another one.`);
	}
}

/** The exact name of this server, no page of another origin, and the token. */
function refusal(request: Request, port: number, token: string): Response | undefined {
	const { headers } = request;
	const hosts = [...loopback].map((host) => `${shown(host)}:${port}`);
	if (!hosts.includes(headers.get("host") ?? ""))
		return refused(421, "This is not an address of the statistics.");
	const origin = headers.get("origin");
	const site = headers.get("sec-fetch-site");
	const isOwn = origin === null || hosts.some((host) => origin === `http://${host}`);
	if (!isOwn || (site !== null && site !== "same-origin" && site !== "none"))
		return refused(403, "Other pages are not answered.");
	const given =
		headers.get("authorization")?.replace(/^Bearer /, "") ??
		new URL(request.url).searchParams.get("token") ??
		"";
	return isSame(given, token) ? undefined : refused(401, "The token is missing or wrong.");
}

function isSame(given: string, token: string): boolean {
	const [a, b] = [Buffer.from(given), Buffer.from(token)];
	return a.length === b.length && timingSafeEqual(a, b);
}

function refused(status: number, error: string): Response {
	return Response.json({ error }, { status, headers: { "cache-control": "no-store" } });
}

function shown(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}
