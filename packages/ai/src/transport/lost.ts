/** Describes why a connection was lost, and where the user should look. */
import { failure } from "../failure.ts";
import type { Failure } from "../types.ts";

interface Lost {
	url: string;
	/** The proxy in between, if any. */
	proxy?: string;
}

export function lost(error: unknown, { url, proxy }: Lost, silentMs: number | undefined): Failure {
	const host = hostOf(url);
	const way = proxy === undefined ? host : `${host} through ${proxy}`;
	if (silentMs !== undefined) {
		return failure("timeout", `No answer from ${way} for ${Math.round(silentMs / 100) / 10} s`);
	}
	const { code, message } = reasonOf(error);
	if (code === "ERR_PROXY_TUNNEL") return tunnelRefused(host, proxy, message);
	if (isCertificate(code)) return untrusted(way, code, message);
	return failure("network", networkReason(code, message, proxy ?? host, way));
}

function networkReason(code: string, message: string, next: string, way: string): string {
	switch (code) {
		case "ConnectionRefused":
		case "ECONNREFUSED":
			return `Connection refused by ${next}. Is the server running?`;
		case "ENOTFOUND":
		case "FailedToOpenSocket":
			return `Cannot reach ${next}. Check the address and the network`;
		case "ECONNRESET":
		case "ConnectionClosed":
			return `${way} closed the connection before the answer was complete`;
		default:
			return `Request to ${way} failed: ${message}`;
	}
}

/** What the proxy forbids stays forbidden; what it could not do just now may work soon. */
function tunnelRefused(host: string, proxy: string | undefined, message: string): Failure {
	const status = Number(/\b([45]\d\d)\b/.exec(message)?.[1]);
	const advice = status === 407 ? ". Put the user name and password into the variable" : "";
	const text = `Cannot reach ${host} through ${proxy ?? "the proxy"}: ${message}${advice}`;
	return failure(status < 500 ? "invalid_request" : "network", text);
}

function isCertificate(code: string): boolean {
	return /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
}

/** Retrying does not help: the user has to trust the server, or the server has to send another certificate. */
function untrusted(way: string, code: string, message: string): Failure {
	const isUnknownIssuer = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
	const advice = isUnknownIssuer ? ". Set NODE_EXTRA_CA_CERTS to a file with the issuer's certificate" : "";
	return failure("invalid_request", `The certificate of ${way} is not trusted: ${message}${advice}`);
}

function reasonOf(error: unknown): { code: string; message: string } {
	if (!(error instanceof Error)) return { code: "", message: String(error) };
	return { code: "code" in error ? String(error.code) : "", message: error.message };
}

export function hostOf(url: string): string {
	return URL.canParse(url) ? new URL(url).host : url;
}
