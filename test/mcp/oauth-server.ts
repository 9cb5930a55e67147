/** A server that wants a login, with its authorization server: counts what clients do. */
export interface OAuthMcpServer extends AsyncDisposable {
	readonly url: string;
	readonly logins: number;
	readonly refreshes: number;
	/** The tokens that clients have sent. */
	readonly bearers: ReadonlySet<string>;
	/** Tokens that were issued so far are not accepted any more. */
	revoke(): void;
	/** Only the newest token is still accepted. */
	revokeOlder(): void;
	/** The next client that looks for the authorization server waits: resolves when it does, and lets it go on. */
	holdNext(): Promise<() => void>;
}

export function serveWithLogin(): OAuthMcpServer {
	const counts = { logins: 0, refreshes: 0, tokens: 0 };
	let valid = new Set<string>();
	let refreshToken = "";
	const bearers = new Set<string>();
	const gate = gateOf();
	const tokens = (): Response => {
		const access = `access-${++counts.tokens}`;
		refreshToken = `refresh-${counts.tokens}`;
		valid.add(access);
		return Response.json({
			access_token: access,
			refresh_token: refreshToken,
			token_type: "Bearer",
			expires_in: 3_600,
		});
	};
	const token = async (request: Request): Promise<Response> => {
		const body = new URLSearchParams(await request.text());
		if (body.get("grant_type") === "authorization_code") {
			counts.logins++;
			return tokens();
		}
		// A refresh token is good for one use.
		if (body.get("refresh_token") !== refreshToken)
			return Response.json({ error: "invalid_grant" }, { status: 400 });
		counts.refreshes++;
		return tokens();
	};
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const { pathname, searchParams, origin } = new URL(request.url);
			const metadata = metadataAt(pathname, origin);
			if (metadata) {
				await gate.pass();
				return Response.json(metadata);
			}
			if (pathname === "/register") return registered((await request.json()) as object);
			if (pathname === "/authorize") {
				const back = new URL(searchParams.get("redirect_uri") ?? "");
				back.searchParams.set("code", "code");
				back.searchParams.set("state", searchParams.get("state") ?? "");
				return Response.redirect(back.href, 302);
			}
			if (pathname === "/token") return await token(request);
			const given = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
			bearers.add(given);
			if (pathname !== "/mcp") return new Response("nothing here", { status: 404 });
			if (!valid.has(given)) {
				const at = `${origin}/.well-known/oauth-protected-resource/mcp`;
				return new Response("", {
					status: 401,
					headers: { "www-authenticate": `Bearer resource_metadata="${at}"` },
				});
			}
			if (request.method !== "POST") return new Response("", { status: 405 });
			return answer((await request.json()) as { id?: number; method: string });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}/mcp`,
		get logins() {
			return counts.logins;
		},
		bearers,
		get refreshes() {
			return counts.refreshes;
		},
		revokeOlder: () => {
			valid = new Set([...valid].slice(-1));
		},
		revoke: () => valid.clear(),
		holdNext: () => gate.holdNext(),
		async [Symbol.asyncDispose]() {
			await server.stop(true);
		},
	};
}

/** Lets everybody pass, except the next one after `holdNext`. */
function gateOf() {
	let hold: PromiseWithResolvers<() => void> | undefined;
	return {
		holdNext(): Promise<() => void> {
			hold = Promise.withResolvers();
			return hold.promise;
		},
		async pass(): Promise<void> {
			const held = hold;
			hold = undefined;
			if (!held) return;
			const release = Promise.withResolvers<void>();
			held.resolve(release.resolve);
			await release.promise;
		},
	};
}

function registered(client: object): Response {
	return Response.json({ ...client, client_id: "registered" }, { status: 201 });
}

function metadataAt(pathname: string, origin: string): object | undefined {
	if (pathname.startsWith("/.well-known/oauth-protected-resource"))
		return { resource: `${origin}/mcp`, authorization_servers: [origin] };
	if (!pathname.startsWith("/.well-known/oauth-authorization-server")) return undefined;
	return {
		issuer: origin,
		authorization_endpoint: `${origin}/authorize`,
		token_endpoint: `${origin}/token`,
		registration_endpoint: `${origin}/register`,
		response_types_supported: ["code"],
		grant_types_supported: ["authorization_code", "refresh_token"],
		code_challenge_methods_supported: ["S256"],
		token_endpoint_auth_methods_supported: ["none"],
	};
}

function answer({ id, method }: { id?: number; method: string }): Response {
	if (id === undefined) return new Response("", { status: 202 });
	const results: Record<string, object> = {
		initialize: {
			protocolVersion: "2025-06-18",
			capabilities: { tools: {} },
			serverInfo: { name: "login", version: "1" },
		},
		"tools/list": { tools: [{ name: "who", description: "Who am I", inputSchema: { type: "object" } }] },
		"tools/call": { content: [{ type: "text", text: "you are logged in" }] },
	};
	const result = results[method];
	if (!result)
		return Response.json({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } });
	return Response.json({ jsonrpc: "2.0", id, result });
}
