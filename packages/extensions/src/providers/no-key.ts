/** What extensions get for the key of a model that is asked without one: they take nothing for "cannot be asked". */
import type { StreamOptions } from "@tau/ai";

/** pi's placeholder for a key if the machine or a login authenticates the user. */
export const noKey = "<authenticated>";

/** The key that can be sent: none if it is the placeholder, or if a header has it already. */
export function realKey({ apiKey, headers }: Pick<StreamOptions, "apiKey" | "headers">): string | undefined {
	return apiKey === noKey || (apiKey !== undefined && apiKey === bearerOf(headers)) ? undefined : apiKey;
}

/** The key in the header of a provider that takes it there. */
export function bearerOf(headers: StreamOptions["headers"]): string | undefined {
	const value = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "authorization")?.[1];
	return value === undefined ? undefined : /^Bearer (.+)$/.exec(value)?.[1];
}
