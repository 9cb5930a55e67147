/** Waits on this machine for the browser to return from a login. */
import type { AuthorizationCode } from "./flow.ts";
import { readQuery, type RedirectAnswer } from "./redirect-answer.ts";

export type BrowserAnswer = Exclude<RedirectAnswer, { kind: "nothing" }>;

/** `query`: everything that the authorization server sent. */
type ReceivedAnswer = BrowserAnswer & { query: URLSearchParams };

/** Where the browser comes back to. */
export type RedirectTarget = Pick<AuthorizationCode, "redirect" | "stateInPath">;

export class RedirectServer implements Disposable {
	readonly #server: Bun.Server<undefined>;
	readonly #answer = Promise.withResolvers<ReceivedAnswer>();
	/** The redirect address for the authorization server. */
	readonly address: string;

	/** Throws when the port is not available. */
	constructor(grant: RedirectTarget, label: string, state: string) {
		const { redirect, stateInPath } = grant;
		const path = redirectPath(grant, state);
		this.#server = Bun.serve({
			hostname: "127.0.0.1",
			port: redirect.port ?? 0,
			fetch: (request) => {
				const url = new URL(request.url);
				if (url.pathname !== path)
					return reply(404, `Nothing to see here. This page is only for redirects from ${label}.`);
				const answer = readQuery(url.searchParams);
				// Any page can send a browser here; a request without the right state does not end the login.
				if (answer.kind === "nothing" || (!stateInPath && answer.state !== state)) {
					return reply(400, `This is not the login Tau is waiting for. Use the latest link.`);
				}
				this.#answer.resolve({ ...answer, query: url.searchParams });
				return reply(200, `Logged in to ${label}. You can close this page and return to the terminal.`);
			},
			error: () => reply(400, "Invalid request."),
		});
		this.address = redirectAddress(grant, state, this.#server.port);
	}

	/** The first answer to this login. */
	get answer(): Promise<ReceivedAnswer> {
		return this.#answer.promise;
	}

	[Symbol.dispose](): void {
		// Stopped without force: the browser is still loading the page that confirms the login.
		void this.#server.stop();
	}
}

export function redirectAddress(grant: RedirectTarget, state: string, port: number | undefined): string {
	return `http://${grant.redirect.host}:${port}${redirectPath(grant, state)}`;
}

function redirectPath({ redirect, stateInPath }: RedirectTarget, state: string): string {
	return stateInPath ? `${redirect.path}/${state}` : redirect.path;
}

function reply(status: number, text: string): Response {
	return new Response(page(text), {
		status,
		headers: {
			"content-type": "text/html; charset=utf-8",
			// The address of the page contains the code.
			"cache-control": "no-store",
			"referrer-policy": "no-referrer",
			"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
			connection: "close",
		},
	});
}

function page(text: string): string {
	const style = ":root{color-scheme:light dark;font:1.1rem/1.5 system-ui}p{max-width:36rem;margin:20vh auto}";
	return `<!doctype html><meta charset="utf-8"><title>Tau</title><style>${style}</style><p>${Bun.escapeHTML(text)}</p>`;
}
