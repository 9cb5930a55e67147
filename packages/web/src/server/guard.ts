/** Decides which requests are answered: those of our own page, in a browser that was let in, and no others. */
import { limits } from "./limits.ts";
import type { Logins } from "./logins.ts";

export type Verdict =
	{ readonly ok: true } | { readonly ok: false; readonly status: number; readonly reason: string };

const passes: Verdict = { ok: true };

/** The header in which a page shows its key. */
const keyHeader = "x-tau-key";

export class Guard {
	/** The host of each origin, as a browser sends it in `Host`. */
	readonly #origins: ReadonlyMap<string, string>;
	readonly #logins: Logins;
	readonly #cookie: string;

	/** `origins`: exactly those under which the page may be opened, the one of the server itself first. */
	constructor(origins: readonly string[], logins: Logins) {
		this.#origins = new Map(origins.map((origin) => [new URL(origin).host, origin]));
		this.#logins = logins;
		// Two servers on one host must not overwrite each other's cookie.
		this.#cookie = `tau-web-${new URL(origins[0] ?? "").port}`;
	}

	/** A file of the page, which has no secrets: it is loaded before the browser is let in. */
	judgeFile({ method, headers }: Request): Verdict {
		const origin = this.#originOf(headers);
		if (origin === undefined) return misdirected;
		if (method !== "GET" && method !== "HEAD") return refused(405, "Files can only be read.");
		const from = headers.get("origin");
		if (from !== null && from !== origin) return foreign;
		const site = headers.get("sec-fetch-site");
		const isOpened =
			headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
		return site === null || site === "none" || site === "same-origin" || isOpened ? passes : foreign;
	}

	/** Whoever wants to be let in: its token is checked by what answers it. */
	judgeLogin(request: Request): Verdict {
		return this.#judgePage(request);
	}

	judgeApi(request: Request): Verdict {
		const verdict = this.#judgePage(request);
		if (!verdict.ok) return verdict;
		const { headers } = request;
		const isKnown = this.#logins.isKnown(this.cookieOf(headers), headers.get(keyHeader) ?? undefined);
		return isKnown ? passes : unknown;
	}

	/** A page cannot send the key with the upgrade: it is in its first line. */
	judgeSocket(request: Request): Verdict {
		const verdict = this.#judgePage(request);
		if (!verdict.ok) return verdict;
		return this.#logins.hasCookie(this.cookieOf(request.headers)) ? passes : unknown;
	}

	/** Other servers of this machine can plant one of the same name, which comes first if its path is longer. */
	cookieOf(headers: Headers): string | undefined {
		const start = `${this.#cookie}=`;
		return (headers.get("cookie") ?? "")
			.split(/; */)
			.filter((each) => each.startsWith(start))
			.slice(0, limits.cookies)
			.map((each) => each.slice(start.length))
			.find((each) => this.#logins.hasCookie(each));
	}

	/** With `value`, lets a browser in; without, takes it back. */
	setCookie(headers: Headers, value: string | undefined, maxAge: number): string {
		const isSecure = this.#originOf(headers)?.startsWith("https:") === true;
		return [
			`${this.#cookie}=${value ?? ""}`,
			"Path=/",
			"HttpOnly",
			"SameSite=Strict",
			`Max-Age=${value === undefined ? 0 : maxAge}`,
			...(isSecure ? ["Secure"] : []),
		].join("; ");
	}

	/** Scripts of our own page alone: exactly its host and origin. A browser sends no origin with a GET of the same one. */
	#judgePage({ method, headers }: Request): Verdict {
		const origin = this.#originOf(headers);
		if (origin === undefined) return misdirected;
		const from = headers.get("origin");
		const site = headers.get("sec-fetch-site");
		if (site !== null && site !== "same-origin") return foreign;
		const isOwn = from === null ? method === "GET" && site === "same-origin" : from === origin;
		return isOwn ? passes : foreign;
	}

	#originOf(headers: Headers): string | undefined {
		return this.#origins.get(headers.get("host") ?? "");
	}
}

const misdirected = refused(421, "This is not an address of tau web. Open the one that tau web has printed.");
const foreign = refused(403, "Only the page of tau web itself is answered.");
const unknown = refused(401, "This browser is not let in. Run tau web, and open its link.");

function refused(status: number, reason: string): Verdict {
	return { ok: false, status, reason };
}
