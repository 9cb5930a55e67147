/** Loads extensions with the packages of pi and omp that they import. */
import { Extensions, type LoadRequest } from "@tau/extensions/host";

import { currentModules } from "../application.ts";

export function loadWithModules(request: LoadRequest): Promise<Extensions> {
	const modules = currentModules();
	return Extensions.load({ ...(modules ? { modules } : {}), ...request });
}
