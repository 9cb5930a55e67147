/** Authenticates a request by the scheme of its protocol. Schemes that need more than a key are loaded on use. */
import { registerSecret } from "@tau/utils/portable";

import { keyHeader, type Authorize, type AuthScheme } from "./scheme.ts";

export function authorizer(scheme: AuthScheme): Authorize {
	return async (request, context) => {
		// A server may quote the key that it refuses.
		if (context.apiKey) registerSecret(context.apiKey);
		if (scheme === "aws") return (await import("./aws/index.ts")).authorizeAws(request, context);
		if (scheme === "google-cloud") {
			return (await import("./google-cloud/index.ts")).authorizeGoogleCloud(request, context);
		}
		if (scheme === "code-assist") {
			return (await import("./code-assist/index.ts")).authorizeCodeAssist(request, context);
		}
		if (!context.apiKey) return undefined;
		if (scheme === "x-api-key") setAnthropicKey(request.headers, context.apiKey);
		else request.headers.set(...keyHeader(scheme, context.apiKey));
		return undefined;
	};
}

/** The prefix of a login's access tokens; keys have another letter there. */
const tokenPrefix = "sk-ant-oat";

/** Without this beta, the API accepts keys only. */
const tokenBeta = "oauth-2025-04-20";

/** A key of the API, or the token of a login. */
export function setAnthropicKey(headers: Headers, key: string): void {
	if (!key.startsWith(tokenPrefix)) {
		headers.set("x-api-key", key);
		return;
	}
	headers.set("authorization", `Bearer ${key}`);
	// The protocol may have requested other betas; they are sent as one list.
	headers.append("anthropic-beta", tokenBeta);
}
