/** Reads the model options of the command line. */
import type { ModelRequest } from "@tau/config/models";

import type { Args } from "../args.ts";

export function modelRequest({ flags }: Args): ModelRequest {
	const model = flags.get("model");
	const provider = flags.get("provider");
	const apiKey = flags.get("api-key");
	const baseUrl = flags.get("base-url");
	const models = flags.get("models")?.split(",");
	return {
		...(model === undefined ? {} : { model }),
		...(provider === undefined ? {} : { provider }),
		...(apiKey === undefined ? {} : { apiKey }),
		...(baseUrl === undefined ? {} : { baseUrl }),
		...(models ? { models: models.map((name) => name.trim()).filter(Boolean) } : {}),
	};
}
