/** Models that only choose another one for each request. */
import type { Model } from "./types.ts";

/** Their protocol begins with this; extensions register them. */
export const virtualApi = "virtual:";

export function isVirtualModel({ api }: Pick<Model, "api">): boolean {
	return api.startsWith(virtualApi);
}
