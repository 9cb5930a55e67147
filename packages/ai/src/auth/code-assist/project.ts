/** The Google Cloud project that a request to Code Assist is billed to. */
import { env as read, type Env } from "@tau/utils/portable";

import { failure } from "../../failure.ts";
import type { Failure } from "../../types.ts";
import { splitKey } from "./key.ts";

export const projectVariables = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"] as const;

export function projectFrom(env: Env): string | undefined {
	return projectVariables.map((name) => read(name, env)?.trim()).find(Boolean);
}

/**
 * The login's own project comes first: a variable may be meant for another program, and a free account has no choice.
 */
export function projectOf(key: string | undefined, env: Env): string | undefined {
	return (key === undefined ? undefined : splitKey(key).project) ?? projectFrom(env);
}

export function noProject(provider: string): Failure {
	const ways = `run tau login ${provider}, or set ${projectVariables[0]}`;
	return failure("auth", `Code Assist needs to know the Google Cloud project: ${ways}`);
}
