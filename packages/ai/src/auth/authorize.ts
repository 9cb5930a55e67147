/** Shows a server who asks, by the scheme of its protocol. Schemes that need more than a key are loaded on use. */
import { registerSecret } from "@tau/utils";

import { showAnthropicKey } from "./anthropic.ts";
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
		if (scheme === "x-api-key") showAnthropicKey(request.headers, context.apiKey);
		else request.headers.set(...keyHeader(scheme, context.apiKey));
		return undefined;
	};
}
