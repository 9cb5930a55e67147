/** A played local OAuth server: it checks what a real one checks, and fails on request. */
import { findFlow, type OAuthFlow } from "../oauth/index.ts";

/** One answer of an endpoint that departs from the default, in order. */
type Fault = (request: OAuthRequest) => Response;

interface OAuthRequest {
	method: string;
	path: string;
	headers: Record<string, string>;
	/** Query, form or JSON alike. */
	parameters: Record<string, string>;
}

export interface OAuthScript {
	/** What the user does in the browser. */
	user?: "allows" | "denies";
	/** How often a device code is still pending, and what comes then. */
	device?: readonly ("pending" | "slow_down" | "denied" | "expired" | "granted")[];
	/** Seconds between two polls for a device code. */
	interval?: number;
	/** Seconds that a token is valid. */
	lifetime?: number;
	/** Refresh tokens can be used once. */
	rotates?: boolean;
	account?: string;
	/** Lasting tokens of a flow with a second step that were issued elsewhere. */
	tickets?: readonly string[];
	/** What Code Assist first reports about the account; later answers come from `stumble`. */
	codeAssist?: object;
}

export interface PlayedOAuth extends AsyncDisposable {
	readonly url: string;
	/** The flow, with its endpoints here. */
	readonly flow: OAuthFlow;
	/** The environment that points a real Tau here. */
	readonly env: Record<string, string>;
	readonly requests: readonly OAuthRequest[];
	/** Refresh tokens that were used a second time. */
	readonly reused: number;
	readonly renewals: number;
	/** The endpoint at this path answers its next request with this. */
	stumble(address: string, fault: Fault): void;
	/** Invalidates all refresh tokens. */
	revoke(): void;
	/** Resolves when a renewal is requested; it is not answered before `release`. */
	hold(): { arrived: Promise<void>; release(): void };
}

/** Plays the server of a provider's login. */
export function playOAuth(provider: string, script: OAuthScript = {}): PlayedOAuth {
	const real = findFlow(provider, {});
	if (!real) throw new Error(`There is no login for ${provider}`);
	return new Server(real, script);
}

/** Follows the URL that a login shows, as a browser does. Returns the final page. */
export async function browse(address: string): Promise<Response> {
	const answer = await fetch(address, { redirect: "manual" });
	const location = answer.headers.get("location");
	return location === null ? answer : fetch(location, { redirect: "manual" });
}

class Server implements PlayedOAuth {
	readonly url: string;
	readonly flow: OAuthFlow;
	readonly env: Record<string, string>;
	readonly requests: OAuthRequest[] = [];
	reused = 0;
	renewals = 0;
	readonly #script: OAuthScript;
	readonly #server: Bun.Server<undefined>;
	readonly #faults = new Map<string, Fault[]>();
	readonly #codes = new Map<string, { challenge: string; redirect: string }>();
	readonly #tickets: Set<string>;
	readonly #spent = new Set<string>();
	#device: string[];
	#gate: Promise<void> = Promise.resolve();
	#arrived: () => void = () => {};
	#count = 0;

	constructor(real: OAuthFlow, script: OAuthScript) {
		this.#script = script;
		this.#device = [...(script.device ?? ["granted"])];
		this.#tickets = new Set(script.tickets);
		this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#serve(request) });
		this.url = `http://127.0.0.1:${this.#server.port}`;
		this.env = { [`TAU_OAUTH_${real.provider.toUpperCase().replaceAll("-", "_")}_URL`]: this.url };
		this.flow = findFlow(real.provider, this.env, [real]) ?? real;
	}

	stumble(address: string, fault: Fault): void {
		const { pathname } = new URL(address);
		this.#faults.set(pathname, [...(this.#faults.get(pathname) ?? []), fault]);
	}

	revoke(): void {
		for (const ticket of this.#tickets) this.#spent.add(ticket);
		this.#tickets.clear();
	}

	hold(): { arrived: Promise<void>; release(): void } {
		const gate = Promise.withResolvers<void>();
		const arrived = Promise.withResolvers<void>();
		this.#gate = gate.promise;
		this.#arrived = arrived.resolve;
		return { arrived: arrived.promise, release: gate.resolve };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#server.stop(true);
	}

	async #serve(raw: Request): Promise<Response> {
		const request = await readRequest(raw);
		this.requests.push(request);
		const fault = this.#faults.get(request.path)?.shift();
		if (fault) return fault(request);
		const { grant, tokenUrl, exchange, whoami, codeAssist } = this.flow;
		const is = (url: string | undefined): boolean =>
			url !== undefined && new URL(url).pathname === request.path;
		if (grant.kind === "authorization_code" && is(grant.authorizeUrl)) return this.#authorize(request);
		if (grant.kind === "device_code" && is(grant.deviceUrl)) return this.#startDevice(request);
		if (is(whoami?.url))
			return Response.json({ [whoami?.account ?? ""]: this.#script.account ?? "somebody" });
		if (is(exchange?.url)) return this.#exchange(request);
		if (is(tokenUrl)) return this.#token(request);
		if (is(codeAssist && `${codeAssist.url}:loadCodeAssist`)) return this.#loadCodeAssist(request);
		return Response.json({ error: "not_found" }, { status: 404 });
	}

	#authorize({ parameters }: OAuthRequest): Response {
		const { grant, clientId } = this.flow;
		if (grant.kind !== "authorization_code") return refuse("invalid_request");
		const redirect = parameters[grant.redirectParameter ?? "redirect_uri"] ?? "";
		if (parameters.client_id !== clientId || !/^http:\/\/(?:localhost|127\.0\.0\.1):\d+\//.test(redirect)) {
			return refuse("invalid_request");
		}
		const back = new URL(redirect.replace("//localhost:", "//127.0.0.1:"));
		if (parameters.state !== undefined) back.searchParams.set("state", parameters.state);
		if (this.#script.user === "denies") back.searchParams.set("error", "access_denied");
		else {
			const code = this.#make("code");
			this.#codes.set(code, { challenge: parameters.code_challenge ?? "", redirect });
			back.searchParams.set("code", code);
		}
		return Response.redirect(back.href, 302);
	}

	#startDevice({ parameters }: OAuthRequest): Response {
		if (parameters.client_id !== this.flow.clientId) return refuse("invalid_client");
		return Response.json({
			device_code: this.#make("device"),
			user_code: "ABCD-1234",
			verification_uri: `${this.url}/device`,
			expires_in: 900,
			interval: this.#script.interval ?? 5,
		});
	}

	async #token(request: OAuthRequest): Promise<Response> {
		const { parameters } = request;
		const { grant } = this.flow;
		const bare = grant.kind === "authorization_code" && grant.bareTokenRequest === true;
		if (!bare && parameters.client_id !== this.flow.clientId) return refuse("invalid_client", 401);
		if (parameters.client_secret !== this.flow.clientSecret) return refuse("invalid_client", 401);
		if (parameters.grant_type === "refresh_token") return this.#renew(parameters.refresh_token ?? "");
		if (grant.kind === "device_code") return this.#pollDevice();
		const login = this.#codes.get(parameters.code ?? "");
		const proof = new Bun.CryptoHasher("sha256").update(parameters.code_verifier ?? "").digest("base64url");
		if (!login || login.challenge !== proof) return refuse("invalid_grant");
		if (
			!bare &&
			(parameters.redirect_uri !== login.redirect || parameters.grant_type !== "authorization_code")
		) {
			return refuse("invalid_grant");
		}
		this.#codes.delete(parameters.code ?? "");
		return this.#grant();
	}

	#pollDevice(): Response {
		const next = this.#device.length > 1 ? this.#device.shift() : this.#device[0];
		// GitHub answers like this with status 200, others with 400.
		const status = this.#isExchangedAtOnce ? 200 : 400;
		switch (next) {
			case "pending":
				return refuse("authorization_pending", status);
			case "slow_down":
				return refuse("slow_down", status);
			case "denied":
				return refuse("access_denied", status);
			case "expired":
				return refuse("expired_token", status);
			default:
				return this.#grant();
		}
	}

	async #renew(ticket: string): Promise<Response> {
		this.#arrived();
		await this.#gate;
		if (this.#spent.has(ticket)) {
			this.reused++;
			return refuse("invalid_grant");
		}
		if (!this.#tickets.has(ticket)) return refuse("invalid_grant");
		this.renewals++;
		if (this.#script.rotates !== false) {
			this.#tickets.delete(ticket);
			this.#spent.add(ticket);
		}
		return this.#grant(this.#script.rotates !== false);
	}

	#grant(withTicket = true): Response {
		if (this.flow.givesKey) return Response.json({ key: this.#make("sk-or"), user_id: "user_1" });
		const ticket = this.#make("refresh");
		if (withTicket) this.#tickets.add(ticket);
		const account = this.#script.account ?? "ada@example.com";
		const claims = Buffer.from(JSON.stringify({ email: account })).toString("base64url");
		const access = this.#make("access");
		// In a flow with a second step, the token itself is exchanged.
		if (this.flow.exchange) this.#tickets.add(access);
		return Response.json({
			access_token: access,
			token_type: "bearer",
			...(this.#isExchangedAtOnce
				? {}
				: {
						...(withTicket ? { refresh_token: ticket } : {}),
						expires_in: this.#script.lifetime ?? 3600,
						...(this.flow.whoami ? {} : { id_token: `x.${claims}.y` }),
						account: { email_address: account },
					}),
		});
	}

	get #isExchangedAtOnce(): boolean {
		return this.flow.exchange !== undefined && !this.flow.exchange.isLate;
	}

	async #exchange({ headers, method }: OAuthRequest): Promise<Response> {
		this.#arrived();
		await this.#gate;
		const ticket = (headers.authorization ?? "").replace(/^Bearer /, "");
		if (!this.#tickets.has(ticket)) return Response.json({ message: "Bad credentials" }, { status: 401 });
		if (this.flow.exchange?.isLate) return this.#openGateway(method);
		this.renewals++;
		const seconds = Math.floor(Date.now() / 1000) + (this.#script.lifetime ?? 3600);
		return Response.json({
			token: this.#make("short"),
			expires_at: seconds,
			endpoints: { api: "https://api.business.githubcopilot.com" },
		});
	}

	/** GitLab's answer, which does not say when the token ends. */
	#openGateway(method: string): Response {
		if (method !== "POST") return Response.json({ message: "405 Not Allowed" }, { status: 405 });
		const headers = { "X-Gitlab-Realm": "saas", "X-Gitlab-Instance-Id": "instance-1", "x-api-key": "unused" };
		return Response.json({ token: this.#make("short"), headers }, { status: 201 });
	}

	#loadCodeAssist({ headers }: OAuthRequest): Response {
		if (!headers.authorization?.startsWith("Bearer access-")) return refuse("UNAUTHENTICATED", 401);
		const known = { currentTier: { id: "free-tier" }, cloudaicompanionProject: "project-of-ada" };
		return Response.json(this.#script.codeAssist ?? known);
	}

	#make(kind: string): string {
		this.#count++;
		return `${kind}-${this.#count}-${crypto.getRandomValues(new Uint8Array(12)).toHex()}`;
	}
}

function refuse(error: string, status = 400): Response {
	return Response.json({ error }, { status });
}

async function readRequest(request: Request): Promise<OAuthRequest> {
	const url = new URL(request.url);
	const text = await request.text();
	const json = request.headers.get("content-type")?.includes("json") === true;
	const body: Record<string, string> = json
		? JSON.parse(text)
		: Object.fromEntries(new URLSearchParams(text));
	return {
		method: request.method,
		path: url.pathname,
		headers: request.headers.toJSON(),
		parameters: { ...Object.fromEntries(url.searchParams), ...body },
	};
}
