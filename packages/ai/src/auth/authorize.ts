/** Shows a server who asks, by the scheme of its protocol. Schemes that need more than a key are loaded on use. */
import { registerSecret } from "@tau/utils";

import { keyHeader, type Authorize, type AuthScheme } from "./scheme.ts";

export function authorizer(scheme: AuthScheme): Authorize {
	return async (request, context) => {
		// A server may quote the key that it refuses.
		if (context.apiKey) registerSecret(context.apiKey);
		if (scheme === "aws" || scheme === "google-cloud") return undefined;
		if (context.apiKey) request.headers.set(...keyHeader(scheme, context.apiKey));
		return undefined;
	};
}
