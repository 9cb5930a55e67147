/** Loads extensions with the packages of pi and omp that they import. */
import { Extensions, type LoadRequest } from "@tau/extensions/host";
import { discoverExtensions, type Discovery } from "@tau/extensions/load";
import { isTrusted, recheckCode } from "@tau/extensions/trust";

import { currentModules } from "../application.ts";

export function loadWithModules(request: LoadRequest): Promise<Extensions> {
	const modules = currentModules();
	const { cwd, agentDir } = request;
	// At a reload, code that was written since the user was asked is left out.
	const discover = (): Promise<Discovery> => {
		recheckCode();
		return discoverExtensions({ ...request, isTrusted: request.isTrusted && isTrusted(cwd, agentDir) });
	};
	return Extensions.load({ ...(modules ? { modules } : {}), discover, ...request });
}
