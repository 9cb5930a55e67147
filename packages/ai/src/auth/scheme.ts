/** The ways in which a request is authenticated. */
import type { Env } from "@tau/utils";

import type { Failure, Model } from "../types.ts";

/** A key in a header, or a protocol's own scheme that needs more than a key. */
export type AuthScheme = KeyScheme | "aws" | "google-cloud" | "code-assist";
export type KeyScheme = "bearer" | "x-api-key" | "api-key" | "x-goog-api-key";

export interface OutgoingRequest {
	url: string;
	/** Changed in place. */
	headers: Headers;
	body: string;
}

export interface AuthContext {
	model: Model;
	apiKey?: string;
	env: Env;
	signal: AbortSignal;
}

/** Adds the authentication that the server expects. A failure says what is missing and how to provide it. */
export type Authorize = (request: OutgoingRequest, context: AuthContext) => Promise<Failure | undefined>;

export function keyHeader(scheme: KeyScheme, key: string): [name: string, value: string] {
	return scheme === "bearer" ? ["authorization", `Bearer ${key}`] : [scheme, key];
}
