/** What browsers are told about each file of the page: above all, what it may load and run. */

/** The page talks to its own origin alone and runs only its own files. `dompurify` and `tau` are its Trusted Types. */
const pagePolicy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"font-src 'self'",
	"img-src 'self' data: blob:",
	"media-src 'self' blob:",
	"connect-src 'self'",
	"worker-src 'self'",
	"manifest-src 'self'",
	"frame-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types dompurify tau",
].join("; ");

/** An artifact runs its own code in an origin of its own, and reaches nothing: not the page, not the network. */
const artifactPolicy = [
	"sandbox allow-scripts",
	"default-src 'none'",
	"script-src 'unsafe-inline'",
	"style-src 'unsafe-inline'",
	"img-src data: blob:",
	"font-src data:",
	"media-src data: blob:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'self'",
].join("; ");

/** A session that is only read has its own policy inside, with the hash of its script; others may embed it. */
const viewerPolicy = [
	"default-src 'none'",
	"script-src 'unsafe-inline'",
	"style-src 'unsafe-inline'",
	"img-src data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors *",
].join("; ");

const policies: Readonly<Record<string, string>> = { "/artifact": artifactPolicy, "/viewer": viewerPolicy };

const year = 31_536_000;

const types: Readonly<Record<string, string>> = {
	js: "text/javascript; charset=utf-8",
	mjs: "text/javascript; charset=utf-8",
	css: "text/css; charset=utf-8",
	svg: "image/svg+xml",
	png: "image/png",
	webmanifest: "application/manifest+json",
};

/** Paths without an ending are documents. */
export function contentTypeOf(path: string): string {
	const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
	return ending === "" ? "text/html; charset=utf-8" : (types[ending] ?? "application/octet-stream");
}

/**
 * Blocks every connection, also those that no policy knows: WebRTC, and the start of a navigation. Chromium has it; a
 * content security policy forbids neither (its directive `webrtc` is known to no browser).
 */
const artifactHeaders = { "connection-allowlist": "()", "x-dns-prefetch-control": "off" } as const;

export function headersOf(path: string): Record<string, string> {
	// The name of an asset changes with its content; everything else is asked for each time.
	const isNamedByContent = path.startsWith("/assets/");
	return {
		"cache-control": isNamedByContent ? `public, max-age=${year}, immutable` : "no-cache",
		"content-security-policy": policies[path] ?? pagePolicy,
		"cross-origin-opener-policy": "same-origin",
		"referrer-policy": "no-referrer",
		"x-content-type-options": "nosniff",
		...(path === "/artifact" ? artifactHeaders : {}),
	};
}
