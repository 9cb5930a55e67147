/** Who may use the gateway: the holder of its token, holders of keys, and pages of listed origins. */
import { failure, type Failure } from "@tau/ai";
import { errorText, log } from "@tau/utils";

import { bearerOf, isOwnHost, isToken, type Bind } from "../access/index.ts";
import { ownerId, type KeyRow, type Keys } from "../keys/index.ts";

export interface Visitor {
	/** The account that requests are charged to. */
	id: string;
	/** Absent for the holder of the gateway's own token, who may do everything. */
	key?: KeyRow;
}

export interface VisitorRules {
	/** The address with the real port. */
	bind: Bind;
	/** Absent: everyone who can reach the address may use it. */
	token: (() => string) | undefined;
	keys: Keys;
	/** Names of a proxy in front. */
	hosts: readonly string[];
	/** Pages of these may use it. */
	origins: readonly string[];
	/** The last name that was right: programs use one, at every request. */
	ownHost?: string;
}

/** A request under another name, or from a page that is not listed, is refused before its token is looked at. */
export function strangerAt({ headers }: Request, rules: VisitorRules): Failure | undefined {
	const host = headers.get("host");
	if (host === null || (host !== rules.ownHost && !isOwnHost(host, rules.bind, rules.hosts)))
		return failure("auth", "The gateway is not known under this name (--host adds one)", { status: 403 });
	rules.ownHost = host;
	const origin = headers.get("origin");
	if (origin !== null && !rules.origins.includes(origin))
		return failure("auth", "Pages of this origin may not use the gateway (--origin adds one)", {
			status: 403,
		});
	return undefined;
}

export async function visitorOf(headers: Headers, { token, keys }: VisitorRules): Promise<Visitor | Failure> {
	if (token === undefined) return { id: ownerId };
	// Each vendor's clients have a header of their own. An empty one is none: a token whose file is gone is empty, too.
	const sent =
		bearerOf({ headers }) || headers.get("x-api-key") || headers.get("x-goog-api-key") || undefined;
	if (isToken(sent, token())) return { id: ownerId };
	try {
		const key = await keys.find(sent);
		if (key) return "kind" in key ? key : { id: key.id, key };
	} catch (error) {
		log.error("gateway: keys cannot be read", { reason: errorText(error) });
		return failure("overloaded", "The gateway cannot read its keys", { status: 503 });
	}
	return failure("auth", "The token or key is missing or wrong (tau auth-gateway token)", { status: 401 });
}

/** What a browser wants to read before and with an answer; nothing for programs, which send no origin. */
export function corsHeaders({ headers }: Request, { origins }: VisitorRules): Record<string, string> {
	const origin = headers.get("origin");
	if (origin === null || !origins.includes(origin)) return {};
	return {
		"access-control-allow-origin": origin,
		"access-control-allow-methods": "GET, POST",
		"access-control-allow-headers":
			"authorization, content-type, x-api-key, x-goog-api-key, anthropic-version, anthropic-beta, openai-beta",
		"access-control-expose-headers": "retry-after, retry-after-ms, x-tau-dropped, x-tau-failure",
		"access-control-max-age": "600",
		vary: "origin",
	};
}
