/** Authenticates requests to Code Assist: by the token of a login, for a project that the body names. */
import { registerSecret } from "@tau/utils";

import { keyHeader, type Authorize } from "../scheme.ts";
import { splitKey } from "./key.ts";
import { noProject, projectOf } from "./project.ts";

export const authorizeCodeAssist: Authorize = async (request, { model, apiKey, env }) => {
	if (projectOf(apiKey, env) === undefined) return noProject(model.provider);
	if (!apiKey) return undefined;
	const { token } = splitKey(apiKey);
	registerSecret(token);
	request.headers.set(...keyHeader("bearer", token));
	return undefined;
};
